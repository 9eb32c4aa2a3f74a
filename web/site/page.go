package site

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// Layout makes the frame of a page for whoever asks.
func (s *Site) Layout(c echo.Context, title string) (views.Page, error) {
	viewer, err := s.Viewer(c)
	if err != nil {
		return views.Page{}, err
	}
	return views.Page{Title: title, Base: s.BaseURL(c), Viewer: viewer, Next: here(c), Feeds: []views.Feed{FrontFeed},
		SignupClosed: s.Closed(), Shell: ShellRequestOf(c) != nil}, nil
}

// AnonymousLayout is the frame of a page for whoever is not signed in, or not known to be. Logging in
// leads to next.
func (s *Site) AnonymousLayout(title, next string) views.Page {
	return views.Page{Title: title, Next: next, SignupClosed: s.Closed()}
}

// here is where logging in from this page leads back to.
func here(c echo.Context) string {
	if c.Request().Method != http.MethodGet {
		return ""
	}
	return SafeNext(c.Request().URL.RequestURI())
}

// MaxPage is beyond the end of every list.
const MaxPage = 1_000_000

// ErrNoPage also answers for pages that cannot exist, such as ?page=x.
var ErrNoPage = domain.Errorf(domain.NotFound, "There is no such page.")

// PageNumber reads ?page=N. Each page has one address, so that 01 and +1 are no
// numbers of a page.
func PageNumber(c echo.Context) (int, error) {
	MarkNumbered(c.Request().Context())
	query := c.Request().URL.Query()
	if !query.Has("page") {
		return 1, nil
	}
	n := PageOf(query.Get("page"))
	if n == 0 {
		return 0, ErrNoPage
	}
	return n, nil
}

// PageOf is the number of a page as pageNumber reads it, 0 if that is none.
func PageOf(number string) int {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > MaxPage || strconv.Itoa(n) != number {
		return 0
	}
	return n
}

// PageOrNotFound makes a page beyond the end of a list not found. The first page may be
// empty.
func PageOrNotFound[T any](p domain.Page[T], err error) error {
	if err == nil && p.Number > 1 && len(p.Items) == 0 {
		return ErrNoPage
	}
	return err
}

// CanonicalPath is the one path of a page of a list.
func CanonicalPath(base string, number int) string {
	if number == 1 {
		return base
	}
	return base + "?page=" + strconv.Itoa(number)
}

// DeleteDone is a path whose page says that what was asked to be deleted is.
func DeleteDone(path, fragment string) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + "deleted=yes" + fragment
}

func IsDeleteDone(c echo.Context) bool { return c.QueryParam("deleted") == "yes" }

// FallbackLayout is page for a form that must come back whatever else fails: when it is
// not known who asks, it looks as to a stranger.
func (s *Site) FallbackLayout(c echo.Context, title string) views.Page {
	page, err := s.Layout(c, title)
	if err != nil {
		return s.AnonymousLayout(title, "")
	}
	return page
}

func IsFirstVisit(c echo.Context) bool { return c.QueryParam("first") == "yes" }
