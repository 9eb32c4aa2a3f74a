package projection

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// AuthorLookup reads the current names of authors, whether they are suspended, and whether they are deleted.
type AuthorLookup interface {
	Authors(ctx context.Context, userIDs []string) (map[string]domain.Author, error)
}

// AuthorUpdater corrects what an item of posts says of its author, or deletes the item. A missing item is no error, or
// an error of kind NotFound.
type AuthorUpdater interface {
	SetAuthorName(ctx context.Context, postID, itemID string, as domain.Author) error
	SetAuthorSuspended(ctx context.Context, postID, itemID string, suspended bool) error
	Delete(ctx context.Context, postID, authorID string) error
	DeleteComment(ctx context.Context, postID, commentID, userID string) (domain.CommentRemoval, error)
	Unlike(ctx context.Context, postID, userID string) (domain.Post, error)
	Unbookmark(ctx context.Context, postID, userID string) (domain.Bookmark, error)
}

// AuthorCorrector keeps posts, comments, likes and bookmarks in step with their authors.
//
// A user who comments while a rename is being propagated may write the old name after the propagation has passed. In
// the same way a comment may be written while its author's account is deleted or suspended. The change feed delivers
// every such write after the rename, deletion or suspension was made. So a comparison with the user's present state
// finds all of them.
type AuthorCorrector struct {
	Authors AuthorLookup
	Items   AuthorUpdater
}

// authoredItem is an item of posts with what it says of its author.
type authoredItem struct {
	postID, itemID, authorID string
	as                       domain.Author
}

// isBookmark reports whether the item is a bookmark, which says nothing of its author.
func (w authoredItem) isBookmark() bool { return w.itemID == domain.BookmarkID(w.authorID) }

// authored returns the changed item. It reports false for an item that has lost its author: the marker of a deleted
// post or bookmark, and the placeholder of a comment.
func authored(c feeds.PostChange) (authoredItem, bool) {
	switch {
	case c.Post != nil:
		p := c.Post
		by := author(p.ShownAuthor(), p.AuthorSuspended)
		return authoredItem{p.ID, p.ID, p.AuthorID, by}, p.Deleted.IsZero()
	case c.Comment != nil:
		m := c.Comment
		by := author(m.ShownAuthor(), m.AuthorSuspended)
		return authoredItem{m.PostID, m.ID, m.AuthorID, by}, m.Deleted.IsZero()
	case c.Bookmark != nil:
		return authoredItem{c.Bookmark.PostID, c.Bookmark.ID(), c.Bookmark.UserID, domain.Author{}},
			c.Bookmark.Deleted.IsZero()
	default:
		l := c.Like
		by := author(l.User(), l.AuthorSuspended)
		return authoredItem{l.PostID, l.ID(), l.UserID, by}, true
	}
}

// author returns what an item says of its author.
func author(u domain.User, suspended bool) domain.Author {
	return domain.Author{Name: u.Username, DisplayName: u.DisplayName, Avatar: u.Avatar, Suspended: suspended}
}

// correct updates the changed items that differ from their authors, and deletes those of deleted authors.
func (a AuthorCorrector) correct(ctx context.Context, changes []feeds.PostChange) error {
	items := make(map[authoredItem]bool)
	ids := make(map[string]bool)
	for _, c := range changes {
		if w, ok := authored(c); ok {
			items[w], ids[w.authorID] = true, true
		}
	}
	if len(items) == 0 {
		return nil
	}
	authors, err := a.Authors.Authors(ctx, slices.Collect(maps.Keys(ids)))
	if err != nil {
		return fmt.Errorf("look up the authors of changed items: %w", err)
	}
	return loop.InParallel(ctx, slices.Collect(maps.Keys(items)), func(ctx context.Context, w authoredItem) error {
		current, ok := authors[w.authorID]
		switch {
		case !ok: // a replica of the account may not have the user yet
			return nil
		case current.Deleted:
			return a.remove(ctx, w)
		case w.isBookmark():
			return nil
		}
		if current.Suspended != w.as.Suspended {
			if err := a.Items.SetAuthorSuspended(ctx, w.postID, w.itemID, current.Suspended); err != nil {
				return err
			}
		}
		if w.as.Suspended = current.Suspended; current != w.as {
			return a.Items.SetAuthorName(ctx, w.postID, w.itemID, current)
		}
		return nil
	})
}

// remove deletes the item of a deleted author.
func (a AuthorCorrector) remove(ctx context.Context, w authoredItem) error {
	var err error
	switch w.itemID {
	case w.postID:
		err = a.Items.Delete(ctx, w.postID, w.authorID)
	case domain.LikeID(w.authorID):
		_, err = a.Items.Unlike(ctx, w.postID, w.authorID)
	case domain.BookmarkID(w.authorID):
		_, err = a.Items.Unbookmark(ctx, w.postID, w.authorID)
	default:
		_, err = a.Items.DeleteComment(ctx, w.postID, w.itemID, w.authorID)
	}
	if domain.Is(err, domain.NotFound) {
		return nil // it was deleted with its post
	}
	return err
}
