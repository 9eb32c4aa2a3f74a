package web

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// marksReader tells what a reader has made of a post: two point reads.
type marksReader interface {
	likeChecker
	Bookmarked(ctx context.Context, postID, userID string) (bool, error)
}

// marks reads both at once; those of a stranger, "", are none.
func marks(ctx context.Context, posts marksReader, postID, viewerID string) (liked, bookmarked bool, err error) {
	if viewerID == "" {
		return false, false, nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		liked, err = posts.Liked(ctx, postID, viewerID)
		return err
	})
	group.Go(func() (err error) {
		bookmarked, err = posts.Bookmarked(ctx, postID, viewerID)
		return err
	})
	err = group.Wait()
	return liked, bookmarked, err
}
