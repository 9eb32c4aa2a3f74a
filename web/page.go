package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// page makes the frame of a page for whoever asks.
func (s *site) page(c echo.Context, title string) (views.Page, error) {
	viewer, err := s.viewer(c)
	if err != nil {
		return views.Page{}, err
	}
	return views.Page{Title: title, Base: s.base(c), Viewer: viewer, Next: here(c), Feeds: []views.Feed{siteFeed},
		Closed: s.closed(), Framed: framingOf(c) != nil}, nil
}

// strangers is the frame of a page for whoever is not signed in, or not known to be. Logging in
// leads to next.
func (s *site) strangers(title, next string) views.Page {
	return views.Page{Title: title, Next: next, Closed: s.closed()}
}

// here is where logging in from this page leads back to.
func here(c echo.Context) string {
	if c.Request().Method != http.MethodGet {
		return ""
	}
	return safeNext(c.Request().URL.RequestURI())
}

// maxPage is beyond the end of every list.
const maxPage = 1_000_000

// errNoPage also answers for pages that cannot exist, such as ?page=x.
var errNoPage = domain.Errorf(domain.NotFound, "There is no such page.")

// pageNumber reads ?page=N. Each page has one address, so that 01 and +1 are no
// numbers of a page.
func pageNumber(c echo.Context) (int, error) {
	numbered(c.Request().Context())
	query := c.Request().URL.Query()
	if !query.Has("page") {
		return 1, nil
	}
	n := pageOf(query.Get("page"))
	if n == 0 {
		return 0, errNoPage
	}
	return n, nil
}

// pageOf is the number of a page as pageNumber reads it, 0 if that is none.
func pageOf(number string) int {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > maxPage || strconv.Itoa(n) != number {
		return 0
	}
	return n
}

// listed makes a page beyond the end of a list not found. The first page may be
// empty.
func listed[T any](p domain.Page[T], err error) error {
	if err == nil && p.Number > 1 && len(p.Items) == 0 {
		return errNoPage
	}
	return err
}

// canonical is the one path of a page of a list.
func canonical(base string, number int) string {
	if number == 1 {
		return base
	}
	return base + "?page=" + strconv.Itoa(number)
}

// deleteDone is a path whose page says that what was asked to be deleted is.
func deleteDone(path, fragment string) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + "deleted=yes" + fragment
}

func isDeleteDone(c echo.Context) bool { return c.QueryParam("deleted") == "yes" }

// frame is page for a form that must come back whatever else fails: when it is
// not known who asks, it looks as to a stranger.
func (s *site) frame(c echo.Context, title string) views.Page {
	page, err := s.page(c, title)
	if err != nil {
		return s.strangers(title, "")
	}
	return page
}

func isFirst(c echo.Context) bool { return c.QueryParam("first") == "yes" }
