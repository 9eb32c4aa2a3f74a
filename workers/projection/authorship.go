package projection

import (
	"context"
	"maps"
	"slices"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// Authors says what authors are called now, and whether they are still there.
type Authors interface {
	Authors(ctx context.Context, userIDs []string) (map[string]domain.Author, error)
}

// Written corrects what an item of posts says of its author, or takes the item away.
// What is gone already is no error, or of kind NotFound.
type Written interface {
	SetAuthorName(ctx context.Context, postID, itemID string, as domain.Author) error
	SetAuthorSuspended(ctx context.Context, postID, itemID string, suspended bool) error
	Delete(ctx context.Context, postID, authorID string) error
	DeleteComment(ctx context.Context, postID, commentID, userID string) (domain.CommentRemoval, error)
	Unlike(ctx context.Context, postID, userID string) (domain.Post, error)
	Unbookmark(ctx context.Context, postID, userID string) (domain.Bookmark, error)
}

// Authorship keeps what users wrote in step with the users.
//
// Somebody who comments while a rename of theirs is being spread writes the old name,
// perhaps after the spreading has passed; somebody who deletes the account, or is suspended,
// may leave a comment behind in the same way. Every such write comes by the change feed later
// than the rename, the deletion or the suspension was made, so comparing it with the user as
// is misses none.
type Authorship struct {
	Authors Authors
	Written Written
}

// written is an item of posts as far as its author goes.
type written struct {
	postID, itemID, authorID string
	as                       domain.Author // what it says of the author
}

// ownAlone tells of what says nothing of its author: a bookmark, which nobody else sees.
func (w written) ownAlone() bool { return w.itemID == domain.BookmarkID(w.authorID) }

// writtenBy is false for what has no author any more: the markers of deleted posts and
// bookmarks, and placeholders of comments.
func writtenBy(c domain.PostChange) (written, bool) {
	switch {
	case c.Post != nil:
		p := c.Post
		return written{p.ID, p.ID, p.AuthorID, saying(p.AuthorName, p.AuthorDisplayName, p.AuthorSuspended)}, p.Deleted.IsZero()
	case c.Comment != nil:
		m := c.Comment
		return written{m.PostID, m.ID, m.AuthorID, saying(m.AuthorName, m.AuthorDisplayName, m.AuthorSuspended)}, m.Deleted.IsZero()
	case c.Bookmark != nil:
		return written{c.Bookmark.PostID, c.Bookmark.ID(), c.Bookmark.UserID, domain.Author{}}, c.Bookmark.Deleted.IsZero()
	default:
		l := c.Like
		return written{l.PostID, l.ID(), l.UserID, saying(l.Username, l.DisplayName, l.AuthorSuspended)}, true
	}
}

func saying(username, displayName string, suspended bool) domain.Author {
	return domain.Author{Name: username, DisplayName: displayName, Suspended: suspended}
}

func (a Authorship) correct(ctx context.Context, changes []domain.PostChange) error {
	items := make(map[written]bool)
	ids := make(map[string]bool)
	for _, c := range changes {
		if w, ok := writtenBy(c); ok {
			items[w], ids[w.authorID] = true, true
		}
	}
	if len(items) == 0 {
		return nil
	}
	authors, err := a.Authors.Authors(ctx, slices.Collect(maps.Keys(ids)))
	if err != nil {
		return err
	}
	return loop.InParallel(ctx, slices.Collect(maps.Keys(items)), func(ctx context.Context, w written) error {
		author, ok := authors[w.authorID]
		switch {
		case !ok: // not here yet, on an account whose replicas differ for a moment
			return nil
		case author.Deleted:
			return a.takeAway(ctx, w)
		case w.ownAlone():
			return nil
		}
		if author.Suspended != w.as.Suspended {
			if err := a.Written.SetAuthorSuspended(ctx, w.postID, w.itemID, author.Suspended); err != nil {
				return err
			}
		}
		if w.as.Suspended = author.Suspended; author != w.as {
			return a.Written.SetAuthorName(ctx, w.postID, w.itemID, author)
		}
		return nil
	})
}

func (a Authorship) takeAway(ctx context.Context, w written) error {
	var err error
	switch w.itemID {
	case w.postID:
		err = a.Written.Delete(ctx, w.postID, w.authorID)
	case domain.LikeID(w.authorID):
		_, err = a.Written.Unlike(ctx, w.postID, w.authorID)
	case domain.BookmarkID(w.authorID):
		_, err = a.Written.Unbookmark(ctx, w.postID, w.authorID)
	default:
		_, err = a.Written.DeleteComment(ctx, w.postID, w.itemID, w.authorID)
	}
	if domain.Is(err, domain.NotFound) {
		return nil // it went with its post
	}
	return err
}
