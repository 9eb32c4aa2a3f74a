package site

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/cosmos/operations"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
)

// Layout returns the layout data of a page for the current viewer.
func (s *Site) Layout(c echo.Context, title string) (views.LayoutData, error) {
	viewer, err := s.Viewer(c)
	if err != nil {
		return views.LayoutData{}, err
	}
	var waiting domain.Waiting
	if !IsFragment(c) && ShellRequestOf(c) == nil { // their menu is elsewhere
		if waiting, err = s.WaitingFor(c.Request().Context(), viewer); err != nil {
			return views.LayoutData{}, err
		}
	}
	return views.LayoutData{Title: title, Base: s.BaseURL(c), MailsOut: s.MailsOut, Viewer: viewer, Waiting: waiting,
		Next:         currentPath(c),
		Feeds:        []views.Feed{FrontFeed(c.Request().Context())},
		SignupClosed: s.Closed(), InvitationOnly: s.invitationOnly(),
		Shell: ShellRequestOf(c) != nil, Inspector: s.inspectorPanel(c, viewer)}, nil
}

// ReadingLayout is Layout for a page that everyone can read. It has the site's custom CSS. With "?safe" in the address,
// administrators see it without, so that they can mend what makes a page unusable.
func (s *Site) ReadingLayout(c echo.Context, title string) (views.LayoutData, error) {
	page, err := s.Layout(c, title)
	page.CustomCSS = siteinfo.From(c.Request().Context()).CSS != ""
	page.Safe = page.CustomCSS && page.Viewer.Role.MayAdminister() && c.QueryParams().Has("safe")
	return page, err
}

// WaitingFor returns what waits for a moderator. For other users it reads nothing.
func (s *Site) WaitingFor(ctx context.Context, u domain.User) (domain.Waiting, error) {
	if !u.Role.MayModerate() {
		return domain.Waiting{}, nil
	}
	return s.Waiting(ctx)
}

// AnonymousLayout returns the layout data of a page for an anonymous or unknown viewer. Logging in
// leads to next.
func (s *Site) AnonymousLayout(title, next string) views.LayoutData {
	return views.LayoutData{Title: title, Next: next, SignupClosed: s.Closed(), InvitationOnly: s.invitationOnly()}
}

// currentPath returns the address of the current page, to which a visitor returns after logging in. It returns an
// empty path for requests other than GET.
func currentPath(c echo.Context) string {
	if c.Request().Method != http.MethodGet {
		return ""
	}
	return SafeNext(c.Request().URL.RequestURI())
}

// MaxPage is the greatest accepted page number. It is beyond the end of every list.
const MaxPage = 1_000_000

// ErrNoPage reports that a list has no such page. It also covers invalid numbers, such as ?page=x.
var ErrNoPage = domain.NewError(domain.NotFound, "There is no such page.")

// YieldingPaths are the paths of pages that give way to a static page or an old address, because sites had these before
// the pages existed.
func YieldingPaths() []string {
	return []string{views.TagsPath, views.AuthorsPath, views.FollowingPath}
}

// OldAddresses finds the former addresses of imported posts and lists. It fails with NotFound for other addresses.
type OldAddresses interface {
	Find(ctx context.Context, path string) (domain.Redirect, error)
}

// ClaimOf reports whether a published static page or an old address claims a path of YieldingPaths. It returns the
// static page, if it is one. The rest costs a point read. The former address of a page claims nothing, so that a page
// which moves gives its path free.
func ClaimOf(ctx context.Context, path string, pages siteinfo.Pages, old OldAddresses) (by siteinfo.StaticPage,
	claimed bool, err error) {
	if by, claimed = pages.At(path); claimed && by.Published {
		return by, true, nil
	}
	_, err = old.Find(ctx, path)
	if domain.Is(err, domain.NotFound) {
		return siteinfo.StaticPage{}, false, nil
	}
	return siteinfo.StaticPage{}, err == nil, err
}

// Claims returns which paths of YieldingPaths are claimed: see ClaimOf.
func Claims(ctx context.Context, pages siteinfo.Pages, old OldAddresses) (claims []views.PathClaim, err error) {
	for _, path := range YieldingPaths() {
		by, claimed, err := ClaimOf(ctx, path, pages, old)
		if err != nil {
			return claims, err
		}
		if claimed {
			claims = append(claims, views.PathClaim{Path: path, PageID: by.PostID})
		}
	}
	return claims, nil
}

// PageNumber returns the page number in the query, or 1. It fails with ErrNoPage for other
// spellings of a number, such as 01 and +1, so that each page has one address.
func PageNumber(c echo.Context) (int, error) {
	MarkNumbered(c.Request().Context())
	query := c.Request().URL.Query()
	if !query.Has("page") {
		return 1, nil
	}
	n := ParsePageNumber(query.Get("page"))
	if n == 0 {
		return 0, ErrNoPage
	}
	return n, nil
}

// ParsePageNumber parses a page number as PageNumber does. It returns 0 for an invalid one.
func ParsePageNumber(number string) int {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > MaxPage || strconv.Itoa(n) != number {
		return 0
	}
	return n
}

// PageOrNotFound returns ErrNoPage for a page beyond the end of a list. The first page may be
// empty.
func PageOrNotFound[T any](p domain.ListPage[T], err error) error {
	if err == nil && p.Number > 1 && len(p.Items) == 0 {
		return ErrNoPage
	}
	return err
}

// CanonicalPath returns the only path of a page of a list.
func CanonicalPath(base string, number int) string {
	if number == 1 {
		return base
	}
	return base + "?page=" + strconv.Itoa(number)
}

// DeletedPath returns the path of a page that confirms a deletion.
func DeletedPath(path, fragment string) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + "deleted=yes" + fragment
}

// IsDeleted reports whether the page confirms a deletion.
func IsDeleted(c echo.Context) bool { return c.QueryParam("deleted") == "yes" }

// FallbackLayout is Layout for a form that must be shown even if the viewer cannot be read. Then it
// returns the layout data for an anonymous viewer.
func (s *Site) FallbackLayout(c echo.Context, title string) views.LayoutData {
	page, err := s.Layout(c, title)
	if err != nil {
		return s.AnonymousLayout(title, "")
	}
	return page
}

// inspector is the cost inspector. It is asked only about requests whose operations are recorded.
type inspector interface {
	// Panel returns the panel below the page of a request. It is rendered after everything is read.
	Panel(c echo.Context, recording *operations.Recording) templ.Component
	// Fragment returns what a fragment adds to the panel of its page.
	Fragment(c echo.Context, recording *operations.Recording) templ.Component
	// MayInspect reports whether the operations of a request may be recorded, from its cookies alone.
	MayInspect(r *http.Request) bool
}

// inspected returns the recording of a request if the viewer may see it, otherwise nil. Responses that the page cache
// asks for have no panel, because other visitors get them too.
func (s *Site) inspected(c echo.Context, viewer domain.User) *operations.Recording {
	ctx := c.Request().Context()
	recording := operations.From(ctx)
	if recording == nil || s.Inspector == nil || CacheabilityOf(ctx) != nil || !viewer.Role.MayAdminister() {
		return nil
	}
	return recording
}

// inspectorPanel returns the panel of the cost inspector for a page, or nil if there is none. A page for htmx has none:
// htmx would drop the panel, and with it the operations of a form that the next page shows.
func (s *Site) inspectorPanel(c echo.Context, viewer domain.User) templ.Component {
	if IsFragment(c) {
		return nil
	}
	if recording := s.inspected(c, viewer); recording != nil {
		return s.Inspector.Panel(c, recording)
	}
	return nil
}

// addInspectorFragment appends to a rendered fragment what it adds to the panel of its page. It does so only if htmx
// inserts the whole fragment. The editor's script, which inserts the preview itself, would show the addition as part of
// the post. When htmx selects an element of a page, such as the progress of an import every two seconds, the panel
// would grow without end.
func (s *Site) addInspectorFragment(c echo.Context, b *bytes.Buffer) error {
	if c.Request().Header.Get("HX-Request-Type") != "partial" {
		return nil
	}
	viewer, _ := c.Get(viewerKey).(domain.User)
	if recording := s.inspected(c, viewer); recording != nil {
		c.Response().Header().Set("Cache-Control", CacheNever)
		return s.Inspector.Fragment(c, recording).Render(context.WithoutCancel(c.Request().Context()), b)
	}
	return nil
}
