package model

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/names"
)

// action is one thing that a person does, to the database and to the model. It can be
// done again, as a person does who got no answer. The model's error is what the
// database's must be like.
type action struct {
	what  string
	do    func(context.Context) error
	apply func(*model) error
	name  string // that it gives to a user, if any
	post  string // that it is about, if any
	// partly is what a process that dies may leave besides all and nothing, until the
	// person does it again; nil: nothing.
	partly func(*model)
}

func errGone() error { return domain.Errorf(domain.NotFound, "gone") }

// called is what the site takes a user's name to be, which it may have read before the
// last rename was made.
func (w *world) called(id string) string {
	if w.random.IntN(4) > 0 {
		return w.model.names[id]
	}
	var names []string
	for name, owner := range w.model.owner {
		if owner == id {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names[w.random.IntN(len(names))]
}

func (w *world) signUp(name string) (action, string) {
	id := domain.NewUserID(w.bytes)
	user := domain.User{ID: id, Username: name, Created: w.tick(), NameVersion: 1, PropagatedVersion: 1}
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
	post := domain.Post{ID: domain.NewIDFrom(w.bytes), AuthorID: author, AuthorName: w.called(author),
		Title: fmt.Sprint("Title ", n), Content: fmt.Sprint("text ", n), Tags: w.tags(), Status: w.status(),
		Created: w.tick(), Revision: 1, Version: 1}
	w.posts = append(w.posts, post.ID)
	return action{what: "publish " + post.ID,
		do: func(ctx context.Context) error { return w.store.Posts.Create(ctx, post) },
		apply: func(m *model) error {
			m.posts[post.ID] = &modelPost{author: author, title: post.Title, content: post.Content,
				tags: post.Tags, status: post.Status, created: post.Created,
				revision: 1, comments: make(map[string]modelComment), likes: make(map[string]bool), bookmarks: make(map[string]bool)}
			return nil
		},
	}, post.ID
}

// tags are some of those that there are.
func (w *world) tags() domain.Tags {
	var names []string
	for _, key := range slices.Sorted(maps.Keys(modelTags)) {
		if w.random.IntN(3) == 0 {
			names = append(names, modelTags[key])
		}
	}
	return domain.TagsOf(names)
}

// status is mostly the usual one.
func (w *world) status() domain.Status {
	if w.random.IntN(6) == 0 {
		return domain.Unlisted
	}
	return domain.Published
}

func (w *world) setStatus(user, post string, status domain.Status) action {
	if status == domain.Unpublished {
		return w.unpublish(user, post)
	}
	return action{post: post, what: fmt.Sprintf("make %s %q by %s", post, status, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Posts.SetStatus(ctx, post, user, status)
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
			p.status = status
			return nil
		},
	}
}

func (w *world) edit(user, post string) action {
	n := w.count()
	edit := domain.Edit{PostID: post, Title: fmt.Sprint("Edit ", n), Content: fmt.Sprint("edited ", n),
		Tags: w.tags(), Status: w.status(), At: w.tick(), Revision: 1}
	if p := w.model.posts[post]; p != nil {
		edit.Revision = p.revision
	}
	return action{post: post, what: fmt.Sprintf("edit %s by %s", post, user),
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
			p.keepVersion(post)
			p.title, p.content, p.revision = edit.Title, edit.Content, p.revision+1
			p.tags, p.status = edit.Tags, edit.Status
			return nil
		},
	}
}

func (w *world) comment(user, post string) (action, string) {
	comment := domain.Comment{ID: domain.NewIDFrom(w.bytes), PostID: post, AuthorID: user, AuthorName: w.called(user),
		Content: fmt.Sprint("comment ", w.count()), Created: w.tick()}
	return action{post: post, what: fmt.Sprintf("comment on %s by %s", post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Posts.AddComment(ctx, comment)
			return err
		},
		apply: func(m *model) error {
			if !m.open(post) {
				return errGone()
			}
			m.posts[post].comments[comment.ID] = modelComment{author: user, content: comment.Content}
			return nil
		},
	}, comment.ID
}

func (w *world) like(user, post string) action {
	like := domain.Like{PostID: post, UserID: user, Username: w.called(user), Created: w.tick()}
	return action{post: post, what: fmt.Sprintf("like %s by %s", post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Posts.Like(ctx, like)
			return err
		},
		apply: func(m *model) error {
			if !m.open(post) && (m.posts[post] == nil || !m.posts[post].likes[user]) {
				return errGone()
			}
			m.posts[post].likes[user] = true
			return nil
		},
	}
}

func (w *world) unlike(user, post string) action {
	return action{post: post, what: fmt.Sprintf("unlike %s by %s", post, user),
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

func (w *world) deleteComment(user, post, comment string) action {
	return action{post: post, what: fmt.Sprintf("delete comment %s on %s by %s", comment, post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Posts.DeleteComment(ctx, post, comment, user)
			return err
		},
		apply: func(m *model) error {
			p := m.posts[post]
			if p == nil {
				return errGone()
			}
			if c, ok := p.comments[comment]; ok && c.author != user && c.author != "" {
				return domain.Errorf(domain.Forbidden, "another's")
			}
			p.removeComment(comment)
			return nil
		},
	}
}

func (w *world) deletePost(user, post string) action {
	return action{what: fmt.Sprintf("delete %s by %s", post, user),
		do: func(ctx context.Context) error { return w.store.Posts.Delete(ctx, post, user) },
		apply: func(m *model) error {
			author, again := m.gone[post]
			if p := m.posts[post]; p != nil {
				author = p.author
			}
			switch {
			case author == "":
				return errGone()
			case author != user:
				return domain.Errorf(domain.Forbidden, "another's")
			case !again:
				m.deletePost(post)
			}
			return nil
		},
	}
}

func (w *world) deleteAccount(user string) action {
	return action{what: "delete the account " + user,
		do: func(ctx context.Context) error { return w.store.Users.Delete(ctx, user) },
		apply: func(m *model) error {
			m.deleteAccount(user)
			return nil
		},
	}
}

// late is what a deleted user writes, whose request came in before the account went:
// of that nothing stays.
func (w *world) late(user, post string) action {
	name := w.deleted[user]
	comment := domain.Comment{ID: domain.NewIDFrom(w.bytes), PostID: post, AuthorID: user, AuthorName: name,
		Content: "late", Created: w.tick()}
	own := domain.Post{ID: domain.NewIDFrom(w.bytes), AuthorID: user, AuthorName: name, Title: "Late", Content: "late",
		Created: w.tick(), Revision: 1, Version: 1}
	w.latePosts = append(w.latePosts, own.ID)
	like := domain.Like{PostID: post, UserID: user, Username: name, Created: w.tick()}
	draft := domain.Draft{PostID: domain.NewIDFrom(w.bytes), AuthorID: user, Title: "Late"}
	return action{post: post, what: fmt.Sprintf("late comment, like and post by %s", user),
		do: func(ctx context.Context) error {
			_, commented := w.store.Posts.AddComment(ctx, comment)
			_, liked := w.store.Posts.Like(ctx, like)
			_, drafted := w.store.Drafts.Save(ctx, draft)
			if drafted == nil {
				drafted = w.keepLate(ctx, user, post)
			}
			return cmp.Or(drafted, commented, liked, w.store.Posts.Create(ctx, own))
		},
		apply: func(m *model) error {
			if !m.open(post) {
				return errGone()
			}
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
	asAuthor := user
	if p := w.model.posts[post]; p != nil && w.random.IntN(4) > 0 {
		asAuthor = p.author
	}
	statuses := [...]domain.Status{domain.Published, domain.Published, domain.Unlisted, domain.Unpublished}
	switch n := w.random.IntN(34); {
	case n < 1:
		a, _ := w.signUp(w.someName())
		return a
	case n < 4:
		return w.rename(user, w.someName())
	case n < 8:
		a, _ := w.publish(user)
		return a
	case n < 10:
		return w.edit(asAuthor, post)
	case n < 14:
		a, _ := w.comment(user, post)
		return a
	case n < 18:
		return w.like(user, post)
	case n < 20:
		return w.unlike(user, post)
	case n < 22:
		return w.deletePost(asAuthor, post)
	case n < 23:
		return w.deleteAccount(user)
	case n < 24:
		if deleted := slices.Sorted(maps.Keys(w.deleted)); len(deleted) > 0 {
			return w.late(deleted[w.random.IntN(len(deleted))], post)
		}
	}
	if w.random.IntN(2) == 0 {
		return w.drawnDraft(user)
	}
	if w.random.IntN(2) == 0 {
		return w.drawnTalk(user, post)
	}
	if w.random.IntN(2) == 0 {
		return w.setStatus(asAuthor, post, statuses[w.random.IntN(len(statuses))])
	}
	return w.someCommentDeleted(user, post)
}

// someCommentDeleted deletes a comment on the post, mostly by its author.
func (w *world) someCommentDeleted(user, post string) action {
	comment := domain.NewIDFrom(w.bytes) // of none
	if p := w.model.posts[post]; p != nil && len(p.comments) > 0 {
		ids := slices.Sorted(maps.Keys(p.comments))
		comment = ids[w.random.IntN(len(ids))]
		if w.random.IntN(4) > 0 {
			user = p.comments[comment].author
		}
	}
	return w.deleteComment(user, post, comment)
}

// freshName is a new username. It is a partition key outside the Basic Multilingual Plane.
func (w *world) freshName() string { return fmt.Sprint("𠮷野家", w.count()) }

// someName is new, or one that somebody has or had, unless it may be reserved still by
// a half-done sign-up or rename or by an account that was deleted.
func (w *world) someName() string {
	if w.random.IntN(3) > 0 {
		return w.freshName()
	}
	used := slices.DeleteFunc(slices.Clone(w.names), func(name string) bool { return w.limbo[names.NameKey(name)] || w.fading[names.NameKey(name)] })
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
