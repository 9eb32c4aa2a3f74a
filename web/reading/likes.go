package reading

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// likes serves the list of users who like a post, and for htmx a single line that names some of
// them.
type likes struct{ handler }

func (h likes) register(e *echo.Echo) {
	h.GetShared(e, "/posts/:id/likes", h.show)
}

func (h likes) show(c echo.Context) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	p, err := h.finder.VisiblePost(c)
	if err != nil {
		return err
	}
	if site.IsFragment(c) {
		viewer, err := h.Viewer(c)
		if err != nil {
			return err
		}
		liked := false
		if viewer.ID != "" {
			if liked, err = h.store.Posts.Liked(c.Request().Context(), p.ID, viewer.ID); err != nil {
				return err
			}
		}
		return h.Render(c, http.StatusOK, view.LikersLine(h.likers(c, p, viewer.ID, liked)))
	}
	found, err := h.store.Posts.Likes(c.Request().Context(), p.ID, number)
	if err := site.PageOrNotFound(found, err); err != nil {
		return err
	}
	page, err := h.ReadingLayout(c, site.T(c, "Likes on {post}", "post", p.Title))
	if err != nil {
		return err
	}
	page.Canonical = site.CanonicalPath("/posts/"+p.ID+"/likes", number)
	page.Description, page.NoIndex = site.T(c, "People who like “{post}” by {author}.", "post", p.Title, "author",
		names.Called(p.AuthorName, p.AuthorDisplayName)), !p.Listed()
	return h.Render(c, http.StatusOK, view.Likes(view.LikesPage{LayoutData: page, Post: p, Likes: found}))
}

// maxNamedLikes is how many users a post's page names.
const maxNamedLikes = 2

// likers returns some of the users who like a post, the viewer first. If they cannot be read, it
// logs the error and returns the count alone.
func (h handler) likers(c echo.Context, p domain.Post, viewerID string, liked bool) view.Likers {
	by := view.Likers{PostID: p.ID, Count: p.LikeCount, Loaded: true, You: liked}
	if p.LikeCount == 0 {
		return by
	}
	latest, err := h.store.Posts.LatestLikes(c.Request().Context(), p.ID, maxNamedLikes+1)
	if err != nil {
		h.Logger.WarnContext(c.Request().Context(), "cannot read the likes of a post", "error", err, "request_id",
			site.RequestID(c))
		latest = nil
	}
	for _, like := range latest {
		if like.UserID != viewerID && len(by.Names) < maxNamedLikes {
			by.Names = append(by.Names, domain.Author{Name: like.Username, DisplayName: like.DisplayName})
		}
	}
	return by
}
