package reading

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// bookmarks serves the reader's list of bookmarks.
type bookmarks struct{ handler }

func (h bookmarks) register(e *echo.Echo) {
	site.Get(e, "/bookmarks", h.show)
}

func (h bookmarks) show(c echo.Context) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	reader, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	removed := c.QueryParam("removed")
	if !domain.IsID(removed) {
		removed = ""
	}
	page, err := h.bookmarksPage(c, reader, number, removed)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, view.Bookmarks(page))
}

// bookmarksPage reads a page of the list without the bookmark that was just removed, which the list
// may still contain. If the page has become empty, it reads the page before.
func (h handler) bookmarksPage(c echo.Context, reader domain.User, number int,
	removed string) (view.BookmarksPage, error) {
	ctx := c.Request().Context()
	found, err := h.store.UserCopies.Bookmarks(ctx, reader.ID, number)
	if err == nil && len(found.Items) == 0 && number > 1 && removed != "" {
		found, err = h.store.UserCopies.Bookmarks(ctx, reader.ID, number-1)
	}
	if err := site.PageOrNotFound(found, err); err != nil {
		return view.BookmarksPage{}, err
	}
	found.Items = slices.DeleteFunc(found.Items,
		func(saved domain.BookmarkedPost) bool { return saved.PostID == removed })
	page, err := h.Layout(c, site.T(c, "Bookmarks"))
	if err != nil {
		return view.BookmarksPage{}, err
	}
	return view.BookmarksPage{LayoutData: page, Saved: found, Removed: removed}, nil
}

// bookmarksPath returns the address of a page of the list that confirms the removal of a bookmark.
func bookmarksPath(number int, postID string) string {
	query := url.Values{}
	if number > 1 {
		query.Set("page", strconv.Itoa(number))
	}
	if postID != "" {
		query.Set("removed", postID)
	}
	if len(query) == 0 {
		return "/bookmarks"
	}
	return "/bookmarks?" + query.Encode()
}
