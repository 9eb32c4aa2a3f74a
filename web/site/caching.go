package site

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/cosmos/operations"
	"inkfeed/domain"
)

// Cacheability describes how a response may be cached. The page cache puts one into the context of
// the requests that it makes itself, and handlers set its fields.
type Cacheability struct {
	Shared     bool          // all anonymous visitors get the same response
	Incomplete bool          // something on the page could not be read
	Numbered   bool          // the handler reads the page number of a list
	MaxAge     time.Duration // see CacheFor
	Shell      *ShellRequest // nil: a whole page is requested, not its shell
	Route      string        // the pattern of the route
}

// ShellRequest describes how the shell of a page may be cached. A shell is a page with gaps for the parts that differ
// between signed-in users. Most users share one shell; a user for whom more differs has a shell of their own.
type ShellRequest struct {
	// ViewerID is the user whose own shell is requested; empty: the shell that most users share.
	ViewerID string
	Shared   bool // the page has a shell
	Refused  bool // the page differs between viewers after all
	Gaps
}

// Gaps describes how the page of a signed-in user differs from a shell.
type Gaps struct {
	// Ordinary reports whether a user can be served from the shared shell. Otherwise the user has an own shell. Nil:
	// all users can.
	Ordinary func(domain.User) bool
	// Fill returns the content of the page's own gaps for a user, by their names. It reports false if the user's page
	// has to be rendered as a whole. Nil: there is no other gap than those of the layout.
	Fill func(context.Context, domain.User) (parts map[string]templ.Component, ok bool, err error)
}

// OrdinaryViewer returns the user for whom a shared shell is rendered. It stands for all who have written nothing on
// the page and have not reacted to it.
func OrdinaryViewer() domain.User { return domain.User{ID: "member"} }

type cacheabilityKey struct{}

// WithCacheability returns a context in which handlers describe their response in s.
func WithCacheability(ctx context.Context, s *Cacheability) context.Context {
	return context.WithValue(ctx, cacheabilityKey{}, s)
}

// CacheabilityOf returns the Cacheability in a context, or nil if the page cache did not make the
// request.
func CacheabilityOf(ctx context.Context) *Cacheability {
	s, _ := ctx.Value(cacheabilityKey{}).(*Cacheability)
	return s
}

// ShellRequestOf returns the ShellRequest of a request, or nil if the whole page is requested.
func ShellRequestOf(c echo.Context) *ShellRequest {
	if s := CacheabilityOf(c.Request().Context()); s != nil {
		return s.Shell
	}
	return nil
}

// RefuseShell records that the page must not be served from a shell, because it differs between
// signed-in users in more than its gaps.
func RefuseShell(c echo.Context) {
	if f := ShellRequestOf(c); f != nil {
		f.Refused = true
	}
}

// SetGaps describes the gaps of a page, if its shell is requested.
func SetGaps(c echo.Context, gaps Gaps) {
	if f := ShellRequestOf(c); f != nil {
		f.Gaps = gaps
	}
}

// shells serves pages to signed-in users from cached shells.
type shells interface {
	// ServeShell reports whether it has answered the request. It calls viewer only if it may be
	// able to.
	ServeShell(c echo.Context, viewer func(echo.Context) (domain.User, error)) (answered bool, err error)
}

// recentWrites lets the browsers of users who have just changed something bypass the caches of other instances.
type recentWrites interface {
	// Mark marks the browser that sent the request, before its answer begins.
	Mark(c echo.Context)
}

// NoteWrite says that a GET request has changed something that cached pages show. Other instances then do not answer
// the browser's next requests from their caches. Requests by other methods need no call.
func (s *Site) NoteWrite(c echo.Context) {
	if s.RecentWrites != nil {
		s.RecentWrites.Mark(c)
	}
}

// GetShared registers the handler of a page that is the same for all anonymous visitors. The page may depend only on
// its address and on data that is read through the site's stores.
func (s *Site) GetShared(e *echo.Echo, path string, h echo.HandlerFunc) {
	s.sharedPaths.add(path)
	Get(e, path, shared(h))
}

// GetSharedShell registers the handler of a page that is the same for all anonymous visitors, and for all signed-in
// users except for its gaps.
func (s *Site) GetSharedShell(e *echo.Echo, path string, h echo.HandlerFunc) {
	s.sharedPaths.add(path)
	Get(e, path, s.SharedShell(h))
}

// MayBeShared reports whether a path can be that of a page of GetShared or GetSharedShell, or of a static page. The
// handler decides whether it is. The page about a feed cannot be shared: feed readers are redirected instead, which the
// header Accept decides.
func (s *Site) MayBeShared(path string) bool {
	if strings.HasSuffix(path, "/feed") {
		return false
	}
	if s.sharedPaths.match(path) {
		return true
	}
	_, isPage := s.StaticPages().At(path)
	return isPage
}

// paths are the routes of pages, each without what follows its first parameter.
type paths struct {
	exact    map[string]bool
	prefixes []string
}

func (p *paths) add(route string) {
	prefix, _, parameter := strings.Cut(route, ":")
	switch {
	case parameter && !slices.Contains(p.prefixes, prefix):
		p.prefixes = append(p.prefixes, prefix)
	case !parameter && p.exact == nil:
		p.exact = map[string]bool{route: true}
	case !parameter:
		p.exact[route] = true
	}
}

func (p *paths) match(path string) bool {
	return p.exact[path] || slices.ContainsFunc(p.prefixes, func(prefix string) bool {
		return strings.HasPrefix(path, prefix)
	})
}

// SharedShell wraps the handler of a static page, which has no route of its own: see GetSharedShell.
func (s *Site) SharedShell(h echo.HandlerFunc) echo.HandlerFunc {
	h = shared(h)
	return func(c echo.Context) error {
		if f := ShellRequestOf(c); f != nil {
			f.Shared = true
		}
		ctx := c.Request().Context()
		if s.Shells == nil || CacheabilityOf(ctx) != nil || IsFragment(c) || operations.From(ctx) != nil {
			return h(c)
		}
		if answered, err := s.Shells.ServeShell(c, s.Viewer); err != nil || answered {
			return err
		}
		return h(c)
	}
}

// shared wraps the handler of a page that is the same for all anonymous visitors.
func shared(h echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s := CacheabilityOf(c.Request().Context()); s != nil {
			s.Shared = true
		}
		return h(c)
	}
}

// MarkIncomplete records that a part of the page could not be read, so that the page is not cached.
func MarkIncomplete(ctx context.Context) {
	if s := CacheabilityOf(ctx); s != nil {
		s.Incomplete = true
	}
}

// CacheFor lets the response be cached for this long, although the cache does not receive changes
// of the data behind it.
func CacheFor(ctx context.Context, life time.Duration) {
	if s := CacheabilityOf(ctx); s != nil {
		s.MaxAge = life
	}
}

// MarkNumbered records that the page depends on the requested page number.
func MarkNumbered(ctx context.Context) {
	if s := CacheabilityOf(ctx); s != nil {
		s.Numbered = true
	}
}
