package reading

import (
	"context"

	"inkfeed/domain"
)

// reactions reads whether the viewer likes and has bookmarked a post. An anonymous viewer's id is
// "". A post without likes or bookmarks says so itself, which saves the reads: the post is in the
// same logical partition and changes with the first like or bookmark.
func (h post) reactions(ctx context.Context, p domain.Post, viewerID string) (liked, bookmarked bool, err error) {
	if viewerID == "" {
		return false, false, nil
	}
	if p.LikeCount > 0 {
		liked, err = h.store.Posts.Liked(ctx, p.ID, viewerID)
	}
	if err == nil && p.Bookmarked != "" {
		bookmarked, err = h.store.Posts.Bookmarked(ctx, p.ID, viewerID)
	}
	return liked, bookmarked, err
}
