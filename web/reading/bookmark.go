package reading

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// bookmark keeps posts for their readers, and takes them off their lists again.
type bookmark struct{ handler }

func (h bookmark) register(e *echo.Echo) {
	e.POST("/posts/:id/bookmark", h.bookmark)
	e.POST("/posts/:id/unbookmark", h.unbookmark)
}

func (h bookmark) bookmark(c echo.Context) error {
	reader, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	p, err := h.finder.Post(c)
	if err != nil {
		return err
	}
	b, err := h.store.Posts.Bookmark(c.Request().Context(), p, reader.ID, time.Now())
	if domain.Is(err, domain.NotFound) {
		return site.ErrNoPost
	}
	if err != nil {
		return err
	}
	h.save(c, h.Markdown.Save(b, p))
	return h.done(c, reader, p.ID, true)
}

// unbookmark does not ask for the post, which may be gone.
func (h bookmark) unbookmark(c echo.Context) error {
	postID := c.Param("id")
	if !domain.IsID(postID) {
		return site.ErrNoPost
	}
	reader, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	b, err := h.store.Posts.Unbookmark(c.Request().Context(), postID, reader.ID)
	if err != nil {
		return err
	}
	if b.UserID != "" {
		h.save(c, domain.Saved{Bookmark: b})
	}
	return h.done(c, reader, postID, false)
}

// save brings the reader's list up to date at once, as the workers will a moment later:
// who has just bookmarked something looks for it there. So a failure is none to the
// reader.
func (h bookmark) save(c echo.Context, s domain.Saved) {
	if err := h.store.Users.ApplyBookmark(c.Request().Context(), s); err != nil {
		h.Logger.WarnContext(c.Request().Context(), "a bookmark is left to the workers", "err", err, "request_id",
			site.RequestID(c))
	}
}

// done answers with where the form stands: below the post, or on the reader's list.
func (h bookmark) done(c echo.Context, reader domain.User, postID string, bookmarked bool) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(sent.Get("list"))
	inList := err == nil && number >= 1 && number <= site.MaxPage
	removed := ""
	if !bookmarked {
		removed = postID
	}
	switch {
	case !inList && site.IsFragment(c):
		return h.Render(c, http.StatusOK, view.Bookmark(view.BookmarkButton{PostID: postID, Bookmarked: bookmarked,
			JustPressed: true}))
	case !inList:
		return site.SeeOther(c, "/posts/"+postID+"#Page-bookmark")
	case !site.IsFragment(c):
		return site.SeeOther(c, removedFrom(number, removed))
	}
	page, err := h.bookmarksPage(c, reader, number, removed)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, view.BookmarkList(page))
}
