package reading

import (
	"context"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	"inkfeed/web/site"
)

// postponed performs reactions after a log-in. It implements site.Reactions.
type postponed struct {
	like     like
	bookmark bookmark
}

// React performs a reaction.
func (h postponed) React(c echo.Context, u domain.User, do, postID string) (err error) {
	h.open(c, postID)
	switch do {
	case site.DoLike:
		_, err = h.like.add(c, u, postID)
	case site.DoBookmark:
		_, err = h.bookmark.add(c, u)
	}
	return err
}

// Title returns the title of a post.
func (h postponed) Title(c echo.Context, postID string) (string, error) {
	h.open(c, postID)
	p, err := h.like.finder.Post(c)
	return p.Title, err
}

// open makes the post that of the request, as if the address of the log-in had its id.
func (h postponed) open(c echo.Context, postID string) {
	c.SetParamNames("id")
	c.SetParamValues(postID)
}

// followButton returns the button for an author or a tag, for the viewer, who may be anonymous. A viewer who follows
// nothing costs no read.
func (h handler) followButton(ctx context.Context, b views.FollowButton, of domain.Source, viewer domain.User) (
	views.FollowButton, error) {
	if viewer.ID == "" {
		return b, nil
	}
	follows := false
	if viewer.Following > 0 {
		var err error
		if follows, err = h.store.Follows.Has(ctx, viewer.ID, of); err != nil {
			return b, err
		}
	}
	return b.For(follows), nil
}

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
