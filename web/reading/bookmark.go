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

// bookmark adds and removes bookmarks.
type bookmark struct{ handler }

func (h bookmark) register(e *echo.Echo) {
	e.POST("/posts/:id/bookmark", h.bookmark)
	e.POST("/posts/:id/unbookmark", h.unbookmark)
}

func (h bookmark) bookmark(c echo.Context) error {
	reader, err := h.SignedIn(c)
	if err != nil {
		return h.Postpone(c, site.DoBookmark, c.Param("id"), err)
	}
	postID, err := h.add(c, reader)
	if err != nil {
		return err
	}
	return h.done(c, reader, postID, true)
}

func (h bookmark) add(c echo.Context, reader domain.User) (postID string, err error) {
	p, err := h.finder.Post(c)
	if err != nil {
		return "", err
	}
	b, err := h.store.Posts.Bookmark(c.Request().Context(), p, reader.ID, time.Now())
	if domain.Is(err, domain.NotFound) {
		err = site.ErrNoPost
	}
	if err == nil {
		h.save(c, h.Markdown.BookmarkedPost(b, p))
	}
	return p.ID, err
}

// unbookmark does not read the post, which may be deleted.
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
		h.save(c, domain.BookmarkedPost{Bookmark: b})
	}
	return h.done(c, reader, postID, false)
}

// save updates the reader's list of bookmarks at once, so that the reader finds the new bookmark
// there. The workers would do the same a moment later, so save only logs a failure.
func (h bookmark) save(c echo.Context, s domain.BookmarkedPost) {
	if err := h.store.UserCopies.ApplyBookmark(c.Request().Context(), s); err != nil {
		h.Logger.WarnContext(c.Request().Context(), "cannot update a list of bookmarks at once", "error", err,
			"request_id",
			site.RequestID(c))
	}
}

// done answers with the place of the submitted form: below the post, or on the reader's list.
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
		return site.SeeOther(c, bookmarksPath(number, removed))
	}
	page, err := h.bookmarksPage(c, reader, number, removed)
	if err != nil {
		return h.RedirectStored(c, bookmarksPath(number, removed), err)
	}
	return h.Render(c, http.StatusOK, view.BookmarkList(page))
}
