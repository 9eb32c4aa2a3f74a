package model

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/web/cli/systemtest/harness"
)

// This file models threads of comments, and bookmarks.

// commentCount returns the number of comments without placeholders.
func (p *modelPost) commentCount() (n int) {
	for _, c := range p.comments {
		if c.author != "" {
			n++
		}
	}
	return n
}

func (p *modelPost) replies(id string) (n int) {
	for _, c := range p.comments {
		if c.parent == id {
			n++
		}
	}
	return n
}

// removeComment removes a comment, or replaces it by a placeholder while it has replies.
func (p *modelPost) removeComment(id string) {
	c, ok := p.comments[id]
	switch {
	case !ok:
		return
	case p.replies(id) > 0:
		p.comments[id] = modelComment{parent: c.parent}
		return
	}
	delete(p.comments, id)
	if parent, ok := p.comments[c.parent]; ok && parent.author == "" && p.replies(c.parent) == 0 {
		delete(p.comments, c.parent)
	}
}

// bookmark describes the entry of a post in a reader's list.
func (m *model) bookmark(user, id string) string {
	p := m.posts[id]
	if p.status == domain.Unpublished {
		return describeBookmark(user, id, p.status, m.names[p.author], "", "", "")
	}
	return describeBookmark(user, id, p.status, m.names[p.author], p.title, p.tags, p.content)
}

func describeBookmark(
	user, post string, status domain.Status, author, title string, tags domain.Tags, text string,
) string {
	return fmt.Sprintf("bookmark of %s by %s: %q, by %s, %q [%s] %s", post, user, status, author, title, tags, text)
}

func storedBookmarks(ctx context.Context, s *cosmos.Store, userID string, add func(string, ...any)) error {
	list, err := harness.AllPages(func(n int) (domain.ListPage[domain.BookmarkedPost], error) {
		return s.UserCopies.Bookmarks(ctx, userID, n)
	})
	for _, saved := range list {
		p := saved.Post
		add("%s", describeBookmark(userID, saved.PostID, p.Status, p.AuthorName, p.Title, p.Tags, p.Text))
	}
	return err
}

// reply returns an action in which user replies to the comment with the id to. The reply joins the thread of that
// comment.
func (w *world) reply(user, post, to string) (action, string) {
	parent, err := w.store.Posts.Comment(w.t.Context(), post, to)
	if err != nil {
		w.fatal("the comment %s on %s: %v", to, post, err)
	}
	reply := domain.Comment{ID: domain.NewIDFrom(w.bytes), PostID: post, AuthorID: user, AuthorName: w.knownName(user),
		Content: fmt.Sprint("reply ", w.nextNumber()), Created: w.nextTime()}
	reply.ParentID, reply.ParentCreated = parent.Thread()
	return action{post: post, what: fmt.Sprintf("reply to %s on %s by %s", reply.ParentID, post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Posts.AddComment(ctx, reply)
			return err
		},
		apply: func(m *model) error {
			if !m.isVisible(post) {
				return errNotFound()
			}
			p := m.posts[post]
			if _, ok := p.comments[reply.ParentID]; !ok {
				return domain.NewError(domain.Conflict, "the parent is gone")
			}
			p.comments[reply.ID] = modelComment{author: user, content: reply.Content, parent: reply.ParentID}
			return nil
		},
	}, reply.ID
}

func (w *world) editComment(user, post, id string) action {
	edit := domain.CommentEdit{PostID: post, ID: id, Content: fmt.Sprint("edited ", w.nextNumber()), At: w.nextTime()}
	if c, ok := w.model.posts[post].comments[id]; ok {
		edit.Began = c.edited
	}
	return action{post: post, what: fmt.Sprintf("edit comment %s on %s by %s", id, post, user),
		do: func(ctx context.Context) error {
			_, err := w.store.Posts.EditComment(ctx, edit, user)
			return err
		},
		apply: func(m *model) error {
			c, ok := m.posts[post].comments[id]
			switch {
			case !ok || c.author == "":
				return errNotFound()
			case c.author != user:
				return domain.NewError(domain.Forbidden, "another's")
			}
			c.content, c.edited = edit.Content, edit.At
			m.posts[post].comments[id] = c
			return nil
		},
	}
}

// bookmark does the same as the site: it reads the post, and adds the bookmark to the reader's list before the workers
// do.
func (w *world) bookmark(user, post string) action {
	at := w.nextTime()
	return action{post: post, what: fmt.Sprintf("bookmark %s by %s", post, user),
		do: func(ctx context.Context) error {
			p, err := w.store.Posts.Get(ctx, post)
			if err != nil {
				return err
			}
			b, err := w.store.Posts.Bookmark(ctx, p, user, at)
			if err != nil {
				return err
			}
			return w.store.UserCopies.ApplyBookmark(ctx, markdown.New().BookmarkedPost(b, p))
		},
		apply: func(m *model) error {
			if !m.isVisible(post) {
				return errNotFound()
			}
			m.posts[post].bookmarks[user] = true
			return nil
		},
	}
}

func (w *world) unbookmark(user, post string) action {
	return action{post: post, what: fmt.Sprintf("remove the bookmark of %s by %s", post, user),
		do: func(ctx context.Context) error {
			b, err := w.store.Posts.Unbookmark(ctx, post, user)
			if err != nil || b.UserID == "" {
				return err
			}
			return w.store.UserCopies.ApplyBookmark(ctx, domain.BookmarkedPost{Bookmark: b})
		},
		apply: func(m *model) error {
			if p := m.posts[post]; p != nil {
				delete(p.bookmarks, user)
			}
			return nil
		},
	}
}

// bookmarkLate bookmarks a post as a deleted user whose request arrived before the deletion.
func (w *world) bookmarkLate(ctx context.Context, user, post string) error {
	p, err := w.store.Posts.Get(ctx, post)
	if err != nil {
		return err
	}
	_, err = w.store.Posts.Bookmark(ctx, p, user, time.Now())
	return err
}

// randomDiscussionAction returns an action on the comments or bookmarks of a post.
func (w *world) randomDiscussionAction(user, post string) action {
	n := w.random.IntN(8)
	switch {
	case n < 2:
		return w.bookmark(user, post)
	case n < 3:
		return w.unbookmark(user, post)
	}
	p := w.model.posts[post]
	if p == nil || w.erasing[post] || len(p.comments) == 0 {
		a, _ := w.comment(user, post)
		return a
	}
	ids := slices.Sorted(maps.Keys(p.comments))
	id := ids[w.random.IntN(len(ids))]
	if n < 6 {
		a, _ := w.reply(user, post, id)
		return a
	}
	if c := p.comments[id]; c.author != "" && w.random.IntN(4) > 0 {
		user = c.author
	}
	return w.editComment(user, post, id)
}

// discussionActions returns the actions of everyAction that concern threads and bookmarks.
func discussionActions() map[string]func(*world) action {
	// thread creates a comment of the first user and a reply of the second.
	thread := func(w *world) (users [2]string, post, comment, reply string) {
		users = [2]string{w.newUser(), w.newUser()}
		post = w.newPost(w.newUser())
		comment = w.newComment(users[0], post)
		a, reply := w.reply(users[1], post, comment)
		w.must(a)
		return users, post, comment, reply
	}
	bookmarked := func(w *world) (reader, author, post string) {
		reader, author = w.newUser(), w.newUser()
		post = w.newPost(author)
		w.must(w.bookmark(reader, post))
		return reader, author, post
	}
	return map[string]func(*world) action{
		"reply": func(w *world) action {
			users, post, _, reply := thread(w)
			a, _ := w.reply(users[0], post, reply)
			return a
		},
		"comment's edit": func(w *world) action {
			users, post, comment, _ := thread(w)
			return w.editComment(users[0], post, comment)
		},
		"deletion of a comment with replies": func(w *world) action {
			users, post, comment, _ := thread(w)
			return w.deleteComment(users[0], post, comment)
		},
		"deletion of a placeholder's last reply": func(w *world) action {
			users, post, comment, reply := thread(w)
			w.must(w.deleteComment(users[0], post, comment))
			return w.deleteComment(users[1], post, reply)
		},
		"deletion of an account with threads": func(w *world) action {
			users, post, comment, _ := thread(w)
			a, _ := w.reply(users[0], post, comment)
			w.must(a)
			other := w.newComment(users[1], post)
			a, _ = w.reply(users[0], post, other)
			w.must(a)
			w.must(w.bookmark(users[0], post))
			return w.deleteAccount(users[0])
		},
		"bookmark": func(w *world) action { return w.bookmark(w.newUser(), w.newPost(w.newUser())) },
		"removal of a bookmark": func(w *world) action {
			reader, _, post := bookmarked(w)
			return w.unbookmark(reader, post)
		},
		"repeated bookmark": func(w *world) action {
			reader, _, post := bookmarked(w)
			w.must(w.unbookmark(reader, post))
			return w.bookmark(reader, post)
		},
		"edit of a bookmarked post": func(w *world) action {
			_, author, post := bookmarked(w)
			return w.edit(author, post)
		},
		"rename of a bookmarked post's author": func(w *world) action {
			_, author, _ := bookmarked(w)
			return w.rename(author, w.newName())
		},
		"unpublishing of a bookmarked post": func(w *world) action {
			_, author, post := bookmarked(w)
			return w.setStatus(author, post, domain.Unpublished)
		},
		"deletion of a bookmarked post": func(w *world) action {
			_, author, post := bookmarked(w)
			return w.deletePost(author, post)
		},
	}
}
