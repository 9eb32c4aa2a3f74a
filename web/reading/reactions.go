package reading

import (
	"context"

	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
)

// reactions reads whether the viewer likes and has bookmarked a post. An anonymous viewer's id is
// "". A post without likes or bookmarks says so itself, which saves the reads: the post is in the
// same logical partition and changes with the first like or bookmark.
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
