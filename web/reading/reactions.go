package reading

import (
	"context"

	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
)

// reactions reads both at once; those of a stranger, "", are none. What the post itself says that
// nobody has made of it is not read: it is in the same logical partition, and is changed with
// the first like or bookmark.
func (h post) reactions(ctx context.Context, p domain.Post, viewerID string) (liked, bookmarked bool, err error) {
	if viewerID == "" {
		return false, false, nil
	}
	group, ctx := errgroup.WithContext(ctx)
	if p.LikeCount > 0 {
		group.Go(func() (err error) {
			liked, err = h.store.Posts.Liked(ctx, p.ID, viewerID)
			return err
		})
	}
	if p.Bookmarked != "" {
		group.Go(func() (err error) {
			bookmarked, err = h.store.Posts.Bookmarked(ctx, p.ID, viewerID)
			return err
		})
	}
	err = group.Wait()
	return liked, bookmarked, err
}
