package workers

import (
	"context"
	"maps"
	"slices"

	"inkfeed/domain"
)

// Authors says what authors are called now, and whether they are still there.
type Authors interface {
	Authors(ctx context.Context, userIDs []string) (map[string]domain.Author, error)
}

// Written corrects the author's name on an item of posts, or takes the item away.
// What is gone already is no error, or of kind NotFound.
type Written interface {
	SetAuthorName(ctx context.Context, postID, itemID, username string) error
	Delete(ctx context.Context, postID, authorID string) error
	DeleteComment(ctx context.Context, postID, commentID, userID string) (domain.Post, error)
	Unlike(ctx context.Context, postID, userID string) (domain.Post, error)
}

// Authorship keeps what users wrote in step with the users.
//
// Somebody who comments while a rename of theirs is being spread writes the old name,
// perhaps after the spreading has passed; somebody who deletes the account may leave
// a comment behind in the same way. Every such write comes by the change feed later
// than the rename or the deletion was made, so comparing it with the user as is misses
// none.
type Authorship struct {
	Authors Authors
	Written Written
}

// written is an item of posts as far as its author goes.
type written struct{ postID, itemID, authorID, authorName string }

// writtenBy is false for the marker of a deleted post, which has no author's name.
func writtenBy(c domain.PostChange) (written, bool) {
	switch {
	case c.Post != nil:
		return written{c.Post.ID, c.Post.ID, c.Post.AuthorID, c.Post.AuthorName}, c.Post.Deleted.IsZero()
	case c.Comment != nil:
		return written{c.Comment.PostID, c.Comment.ID, c.Comment.AuthorID, c.Comment.AuthorName}, true
	default:
		return written{c.Like.PostID, c.Like.ID(), c.Like.UserID, c.Like.Username}, true
	}
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
	return inParallel(ctx, slices.Collect(maps.Keys(items)), func(ctx context.Context, w written) error {
		author, ok := authors[w.authorID]
		switch {
		case !ok: // not here yet, on an account whose replicas differ for a moment
			return nil
		case author.Deleted:
			return a.takeAway(ctx, w)
		case author.Name != w.authorName:
			return a.Written.SetAuthorName(ctx, w.postID, w.itemID, author.Name)
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
	default:
		_, err = a.Written.DeleteComment(ctx, w.postID, w.itemID, w.authorID)
	}
	if domain.Is(err, domain.NotFound) {
		return nil // it went with its post
	}
	return err
}
