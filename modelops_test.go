package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"inkfeed/domain"
)

// action is one thing that a person does, to the database and to the model. It can be
// done again, as a person does who got no answer. The model's error is what the
// database's must be like.
type action struct {
	what  string
	do    func(context.Context) error
	apply func(*model) error
	name  string // that it gives to a user, if any
}

func errGone() error { return domain.Errorf(domain.NotFound, "gone") }

// user is the user as the site would have read it when the person began.
func (w *world) user(id string) domain.User {
	return domain.User{ID: id, Username: w.model.names[id]}
}

func (w *world) signUp(name string) (action, string) {
	id := domain.NewUserID(w.bytes)
	user := domain.User{ID: id, Username: name, Created: w.tick(), NameVersion: 1, SpreadVersion: 1}
	w.users, w.names = append(w.users, id), append(w.names, name)
	return action{what: "sign up as " + name,
		do:    func(ctx context.Context) error { return w.store.Users.Create(ctx, user, "hash") },
		apply: func(m *model) error { return m.reserve(id, name) }, name: name,
	}, id
}

func (w *world) rename(id, name string) action {
	w.names = append(w.names, name)
	return action{what: fmt.Sprintf("rename %s to %s", w.model.names[id], name),
		do: func(ctx context.Context) error {
			_, err := w.store.Users.Rename(ctx, id, name)
			return err
		},
		apply: func(m *model) error { return m.reserve(id, name) }, name: name,
	}
}

func (w *world) publish(author string) (action, string) {
	n := w.count()
	post := domain.Post{ID: domain.NewIDFrom(w.bytes), AuthorID: author, AuthorName: w.model.names[author],
		Title: fmt.Sprint("Title ", n), Content: fmt.Sprint("text ", n), Created: w.tick(), Revision: 1, Version: 1}
	w.posts = append(w.posts, post.ID)
	return action{what: "publish " + post.ID,
		do: func(ctx context.Context) error { return w.store.Posts.Create(ctx, post) },
		apply: func(m *model) error {
			m.posts[post.ID] = &modelPost{author: author, title: post.Title, content: post.Content, created: post.Created,
				revision: 1, comments: make(map[string]modelComment), likes: make(map[string]bool)}
			return nil
		},
	}, post.ID
}

func (w *world) edit(user, post string) action {
	n := w.count()
	edit := domain.Edit{PostID: post, Title: fmt.Sprint("Edit ", n), Content: fmt.Sprint("edited ", n), At: w.tick(), Revision: 1}
	if p := w.model.posts[post]; p != nil {
		edit.Revision = p.revision
	}
	return action{what: fmt.Sprintf("edit %s by %s", post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Posts.Edit(ctx, edit, user)
			return err
		},
		apply: func(m *model) error {
			p := m.posts[post]
			switch {
			case p == nil:
				return errGone()
			case p.author != user:
				return domain.Errorf(domain.Forbidden, "another's")
			}
			p.title, p.content, p.revision = edit.Title, edit.Content, p.revision+1
			return nil
		},
	}
}

func (w *world) comment(user, post string) (action, string) {
	comment := domain.Comment{ID: domain.NewIDFrom(w.bytes), PostID: post, AuthorID: user, AuthorName: w.model.names[user],
		Content: fmt.Sprint("comment ", w.count()), Created: w.tick()}
	return action{what: fmt.Sprintf("comment on %s by %s", post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Posts.AddComment(ctx, comment)
			return err
		},
		apply: func(m *model) error {
			if m.posts[post] == nil {
				return errGone()
			}
			m.posts[post].comments[comment.ID] = modelComment{user, comment.Content}
			return nil
		},
	}, comment.ID
}

func (w *world) like(user, post string) action {
	like := domain.NewLike(w.user(user), post, w.tick())
	return action{what: fmt.Sprintf("like %s by %s", post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Posts.Like(ctx, like)
			return err
		},
		apply: func(m *model) error {
			if m.posts[post] == nil {
				return errGone()
			}
			m.posts[post].likes[user] = true
			return nil
		},
	}
}

func (w *world) unlike(user, post string) action {
	return action{what: fmt.Sprintf("unlike %s by %s", post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Posts.Unlike(ctx, post, user)
			return err
		},
		apply: func(m *model) error {
			if m.posts[post] == nil {
				return errGone()
			}
			delete(m.posts[post].likes, user)
			return nil
		},
	}
}

// drawn is the next action of a random sequence: by a random user, mostly on one of
// few posts, now and then one that must be refused.
func (w *world) drawn() action {
	users := slices.Sorted(maps.Keys(w.model.names))
	if len(users) < 3 {
		a, _ := w.signUp(w.freshName())
		return a
	}
	user := users[w.random.IntN(len(users))]
	if len(w.posts) == 0 {
		a, _ := w.publish(user)
		return a
	}
	recent := w.posts[max(0, len(w.posts)-6):]
	post := recent[w.random.IntN(len(recent))]
	switch n := w.random.IntN(20); {
	case n < 1:
		a, _ := w.signUp(w.someName())
		return a
	case n < 4:
		return w.rename(user, w.someName())
	case n < 7:
		a, _ := w.publish(user)
		return a
	case n < 9:
		if p := w.model.posts[post]; p != nil && w.random.IntN(4) > 0 {
			user = p.author
		}
		return w.edit(user, post)
	case n < 13:
		a, _ := w.comment(user, post)
		return a
	case n < 17:
		return w.like(user, post)
	}
	return w.unlike(user, post)
}

func (w *world) freshName() string { return fmt.Sprint("user", w.count()) }

// someName is new, or one that somebody has or had, unless a half-done sign-up or
// rename may have left it reserved.
func (w *world) someName() string {
	if w.random.IntN(3) > 0 {
		return w.freshName()
	}
	used := slices.DeleteFunc(slices.Clone(w.names), func(name string) bool { return w.limbo[domain.NameKey(name)] })
	if len(used) == 0 {
		return w.freshName()
	}
	return used[w.random.IntN(len(used))]
}

func (w *world) count() int {
	w.made++
	return w.made
}

// tick is a time later than all before.
func (w *world) tick() time.Time {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(w.count()) * time.Millisecond)
}
