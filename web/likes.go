package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/views"
)

type likeLister interface {
	// Likes gives a page of likes, newest first.
	Likes(ctx context.Context, postID string, page int) (domain.Page[domain.Like], error)
	// LatestLikes gives at most so many likes, newest first.
	LatestLikes(ctx context.Context, postID string, most int) ([]domain.Like, error)
}

type likeChecker interface {
	Liked(ctx context.Context, postID, userID string) (bool, error)
}

// likes says who likes a post: all of them, page by page, and to htmx in one line.
type likes struct {
	*site
	posts interface {
		postGetter
		latestGetter
		likeLister
		likeChecker
	}
}

func (h likes) register(e *echo.Echo) {
	get(e, "/posts/:id/likes", shared(h.show))
}

func (h likes) show(c echo.Context) error {
	number, err := pageNumber(c)
	if err != nil {
		return err
	}
	p, err := h.findPost(c, h.posts)
	if err != nil {
		return err
	}
	if isFragment(c) {
		viewer, err := h.viewer(c)
		if err != nil {
			return err
		}
		liked := false
		if viewer.ID != "" {
			if liked, err = h.posts.Liked(c.Request().Context(), p.ID, viewer.ID); err != nil {
				return err
			}
		}
		return h.render(c, http.StatusOK, views.LikedByLine(likedBy(h.site, c, h.posts, p, viewer.ID, liked)))
	}
	found, err := h.posts.Likes(c.Request().Context(), p.ID, number)
	if err := listed(found, err); err != nil {
		return err
	}
	page, err := h.page(c, "Likes on "+p.Title)
	if err != nil {
		return err
	}
	page.Canonical = canonical("/posts/"+p.ID+"/likes", number)
	page.Description, page.NoIndex = "People who like “"+p.Title+"” by "+names.Called(p.AuthorName, p.AuthorDisplayName)+".", !p.Listed()
	return h.render(c, http.StatusOK, views.Likes(views.LikesPage{Page: page, Post: p, Likes: found}))
}

// likesNamed is how many a post's page names of those who like it.
const likesNamed = 2

// likedBy names some of those who like a post, the viewer first. Names are asked for
// by no one in particular, so it is no failure when they do not come: then the number
// alone is shown.
func likedBy(s *site, c echo.Context, posts likeLister, p domain.Post, viewerID string, liked bool) views.LikedBy {
	by := views.LikedBy{PostID: p.ID, Count: p.LikeCount, Known: true, You: liked}
	if p.LikeCount == 0 {
		return by
	}
	latest, err := posts.LatestLikes(c.Request().Context(), p.ID, likesNamed+1)
	if err != nil {
		s.logger.WarnContext(c.Request().Context(), "who likes a post could not be read", "err", err, "request_id", requestID(c))
		latest = nil
	}
	for _, like := range latest {
		if like.UserID != viewerID && len(by.Names) < likesNamed {
			by.Names = append(by.Names, domain.Author{Name: like.Username, DisplayName: like.DisplayName})
		}
	}
	return by
}
