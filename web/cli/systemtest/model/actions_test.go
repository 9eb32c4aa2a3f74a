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

// action is one operation of a person on the database and on the model. A person who got no answer can repeat it. The
// errors of the database and of the model must have the same kind.
type action struct {
	what  string
	do    func(context.Context) error
	apply func(*model) error
	name  string // the username that it gives to a user, if any
	post  string // the ID of the post that it concerns, if any
	// partial applies the part of the action that a crashed process may leave until the person repeats the action. It
	// is nil if a crashed process leaves all or nothing.
	partial func(*model)
}

func errNotFound() error { return domain.NewError(domain.NotFound, "gone") }

// knownName returns the username that the site may know. The site may have read it before the last rename.
func (w *world) knownName(id string) string {
	if id == domain.SiteUserID {
		return ""
	}
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
	user := domain.User{ID: id, Username: name, Created: w.nextTime(), NameVersion: 1, PropagatedVersion: 1}
	w.users, w.names = append(w.users, id), append(w.names, name)
	return action{what: "sign up as " + name,
		do:    func(ctx context.Context) error { return w.store.Accounts.Create(ctx, user, "hash") },
		apply: func(m *model) error { return m.reserve(id, name) }, name: name,
	}, id
}

func (w *world) rename(id, name string) action {
	w.names = append(w.names, name)
	return action{what: fmt.Sprintf("rename %s to %s", w.model.names[id], name),
		do: func(ctx context.Context) error {
			_, err := w.store.Usernames.Rename(ctx, id, name)
			return err
		},
		apply: func(m *model) error { return m.reserve(id, name) }, name: name,
	}
}

func (w *world) publish(author string) (action, string) {
	n := w.nextNumber()
	post := domain.Post{ID: domain.NewIDFrom(w.bytes), AuthorID: author, AuthorName: w.knownName(author),
		Title: fmt.Sprint("Title ", n), Content: fmt.Sprint("text ", n), Tags: w.tags(), Status: w.status(),
		Created: w.nextTime(), Revision: 1, Version: 1}
	w.posts = append(w.posts, post.ID)
	return action{what: "publish " + post.ID,
		do: func(ctx context.Context) error { return w.store.Posts.Create(ctx, post) },
		apply: func(m *model) error {
			m.posts[post.ID] = &modelPost{author: author, title: post.Title, content: post.Content,
				tags: post.Tags, status: post.Status, created: post.Created,
				revision: 1, comments: make(map[string]modelComment), likes: make(map[string]bool),
				bookmarks: make(map[string]bool)}
			return nil
		},
	}, post.ID
}

// tags returns random tags of modelTags.
func (w *world) tags() domain.Tags {
	var names []string
	for _, key := range slices.Sorted(maps.Keys(modelTags)) {
		if w.random.IntN(3) == 0 {
			names = append(names, modelTags[key])
		}
	}
	return domain.TagsOf(names)
}

// status returns a random status, which is mostly Published.
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
				return errNotFound()
			case p.author != user:
				return domain.NewError(domain.Forbidden, "another's")
			}
			p.status = status
			return nil
		},
	}
}

func (w *world) edit(user, post string) action {
	n := w.nextNumber()
	edit := domain.Edit{PostID: post, Title: fmt.Sprint("Edit ", n), Content: fmt.Sprint("edited ", n),
		Tags: w.tags(), Status: w.status(), At: w.nextTime(), Revision: 1}
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
				return errNotFound()
			case p.author != user:
				return domain.NewError(domain.Forbidden, "another's")
			}
			p.keepVersion(post)
			p.title, p.content, p.revision = edit.Title, edit.Content, p.revision+1
			p.tags, p.status = edit.Tags, edit.Status
			return nil
		},
	}
}

func (w *world) comment(user, post string) (action, string) {
	comment := domain.Comment{ID: domain.NewIDFrom(w.bytes), PostID: post, AuthorID: user,
		AuthorName: w.knownName(user), Content: fmt.Sprint("comment ", w.nextNumber()), Created: w.nextTime()}
	return action{post: post, what: fmt.Sprintf("comment on %s by %s", post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Posts.AddComment(ctx, comment)
			return err
		},
		apply: func(m *model) error {
			if !m.isVisible(post) {
				return errNotFound()
			}
			m.posts[post].comments[comment.ID] = modelComment{author: user, content: comment.Content}
			return nil
		},
	}, comment.ID
}

func (w *world) like(user, post string) action {
	like := domain.Like{PostID: post, UserID: user, Username: w.knownName(user), Created: w.nextTime()}
	return action{post: post, what: fmt.Sprintf("like %s by %s", post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Posts.Like(ctx, like)
			return err
		},
		apply: func(m *model) error {
			if !m.isVisible(post) && (m.posts[post] == nil || !m.posts[post].likes[user]) {
				return errNotFound()
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
			if m.posts[post] == nil || domain.IsPageID(post) { // a static page has no likes
				return errNotFound()
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
				return errNotFound()
			}
			if c, ok := p.comments[comment]; ok && c.author != user && c.author != "" {
				return domain.NewError(domain.Forbidden, "another's")
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
				return errNotFound()
			case author != user:
				return domain.NewError(domain.Forbidden, "another's")
			case !again:
				m.deletePost(post)
			}
			return nil
		},
	}
}

func (w *world) deleteAccount(user string) action {
	return action{what: "delete the account " + user,
		do: func(ctx context.Context) error { return w.store.AccountDeletions.Delete(ctx, user) },
		apply: func(m *model) error {
			m.deleteAccount(user)
			return nil
		},
	}
}

// writeLate writes as a deleted user whose request arrived before the deletion. Nothing of it may remain.
func (w *world) writeLate(user, post string) action {
	name := w.deleted[user]
	comment := domain.Comment{ID: domain.NewIDFrom(w.bytes), PostID: post, AuthorID: user, AuthorName: name,
		Content: "late", Created: w.nextTime()}
	own := domain.Post{ID: domain.NewIDFrom(w.bytes), AuthorID: user, AuthorName: name, Title: "Late", Content: "late",
		Created: w.nextTime(), Revision: 1, Version: 1}
	w.latePosts = append(w.latePosts, own.ID)
	like := domain.Like{PostID: post, UserID: user, Username: name, Created: w.nextTime()}
	draft := domain.Draft{PostID: domain.NewIDFrom(w.bytes), AuthorID: user, Title: "Late"}
	return action{post: post, what: fmt.Sprintf("late comment, like and post by %s", user),
		do: func(ctx context.Context) error {
			_, commented := w.store.Posts.AddComment(ctx, comment)
			_, liked := w.store.Posts.Like(ctx, like)
			_, drafted := w.store.Drafts.Save(ctx, draft)
			if domain.Is(drafted, domain.NotFound) {
				drafted = nil // a deleted account begins no draft
			}
			if drafted == nil {
				drafted = w.bookmarkLate(ctx, user, post)
			}
			return cmp.Or(drafted, commented, liked, w.store.Posts.Create(ctx, own))
		},
		apply: func(m *model) error {
			if !m.isVisible(post) {
				return errNotFound()
			}
			return nil
		},
	}
}

// randomAction returns the next action of a random sequence. It is by a random user and mostly on one of few posts.
// Some actions must be refused.
func (w *world) randomAction() action {
	users := slices.Sorted(maps.Keys(w.model.names))
	if len(users) < 3 {
		a, _ := w.signUp(w.newName())
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
	switch n := w.random.IntN(44); {
	case n < 1:
		a, _ := w.signUp(w.randomName())
		return a
	case n < 4:
		return w.rename(user, w.randomName())
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
			return w.writeLate(deleted[w.random.IntN(len(deleted))], post)
		}
	case n < 30:
		return w.randomSiteAction(user)
	case n >= 40:
		return w.randomFollow(user)
	}
	if w.random.IntN(2) == 0 {
		return w.randomDraftAction(user)
	}
	if w.random.IntN(2) == 0 {
		return w.randomDiscussionAction(user, post)
	}
	if w.random.IntN(2) == 0 {
		return w.setStatus(asAuthor, post, statuses[w.random.IntN(len(statuses))])
	}
	return w.deleteRandomComment(user, post)
}

// deleteRandomComment deletes a comment on the post, mostly as its author.
func (w *world) deleteRandomComment(user, post string) action {
	comment := domain.NewIDFrom(w.bytes) // no comment has this ID
	if p := w.model.posts[post]; p != nil && len(p.comments) > 0 {
		ids := slices.Sorted(maps.Keys(p.comments))
		comment = ids[w.random.IntN(len(ids))]
		if w.random.IntN(4) > 0 {
			user = p.comments[comment].author
		}
	}
	return w.deleteComment(user, post, comment)
}

// newName returns a new username. It has a character outside the Basic Multilingual Plane and is a partition key.
func (w *world) newName() string { return fmt.Sprint("𠮷野家", w.nextNumber()) }

// randomName returns a new username, or one that is or was in use. It returns no name that an incomplete sign-up or
// rename or a deleted account may still reserve.
func (w *world) randomName() string {
	if w.random.IntN(3) > 0 {
		return w.newName()
	}
	used := slices.DeleteFunc(slices.Clone(w.names), func(name string) bool {
		return w.unsettled[names.NameKey(name)] || w.erasing[names.NameKey(name)]
	})
	if len(used) == 0 {
		return w.newName()
	}
	return used[w.random.IntN(len(used))]
}

// nextNumber returns a number that was not used before.
func (w *world) nextNumber() int {
	w.made++
	return w.made
}

// nextTime returns a time later than all earlier ones.
func (w *world) nextTime() time.Time {
	return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(w.nextNumber()) * time.Millisecond)
}
