package site

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// Cacheability is what the handler of a page says about caching it. The page cache puts one into the context of the
// requests that it makes itself.
type Cacheability struct {
	Shared     bool          // all anonymous visitors get the same answer
	Incomplete bool          // something on the page could not be read
	Numbered   bool          // the handler reads the number of a page of a list
	Life       time.Duration // see keepFor
	Shell      *ShellRequest // nil: a whole page is asked for, not its shell
}

// ShellRequest is what the handler of a page says about caching its shell, which is the same for all signed-in users.
type ShellRequest struct {
	Shared  bool // the page has a shell
	Refused bool // the page differs between viewers after all
}

type cacheabilityKey struct{}

// WithCacheability returns a context in which handlers describe their answer in s.
func WithCacheability(ctx context.Context, s *Cacheability) context.Context {
	return context.WithValue(ctx, cacheabilityKey{}, s)
}

func CacheabilityOf(ctx context.Context) *Cacheability {
	s, _ := ctx.Value(cacheabilityKey{}).(*Cacheability)
	return s
}

func ShellRequestOf(c echo.Context) *ShellRequest {
	if s := CacheabilityOf(c.Request().Context()); s != nil {
		return s.Shell
	}
	return nil
}

// RefuseShell says that the page is another one for each viewer.
func RefuseShell(c echo.Context) {
	if f := ShellRequestOf(c); f != nil {
		f.Refused = true
	}
}

// shells answers requests of signed-in users from cached shells of pages.
type shells interface {
	// ServeShell reports whether it has answered the request. It calls viewer if it can answer the request at all.
	ServeShell(c echo.Context, viewer func(echo.Context) (domain.User, error)) (answered bool, err error)
}

// SharedShell is shared of a page that all who are signed in get alike, too, but for the gaps.
func (s *Site) SharedShell(h echo.HandlerFunc) echo.HandlerFunc {
	h = Shared(h)
	return func(c echo.Context) error {
		if f := ShellRequestOf(c); f != nil {
			f.Shared = true
		}
		if s.Shells == nil || CacheabilityOf(c.Request().Context()) != nil || IsFragment(c) {
			return h(c)
		}
		if answered, err := s.Shells.ServeShell(c, s.Viewer); err != nil || answered {
			return err
		}
		return h(c)
	}
}

// Shared is of a page that all strangers get alike, as long as what it is made of is as it
// was: it depends on nothing but its address and what is read through the site's stores.
func Shared(h echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s := CacheabilityOf(c.Request().Context()); s != nil {
			s.Shared = true
		}
		return h(c)
	}
}

// MarkIncomplete says that something is missing on the page that could not be read: the next one
// who asks may be luckier.
func MarkIncomplete(ctx context.Context) {
	if s := CacheabilityOf(ctx); s != nil {
		s.Incomplete = true
	}
}

// CacheFor lets the cache keep the answer for that long, although the cache does not see changes of
// the data behind it.
func CacheFor(ctx context.Context, life time.Duration) {
	if s := CacheabilityOf(ctx); s != nil {
		s.Life = life
	}
}

// MarkNumbered says that the page depends on the number that is asked for.
func MarkNumbered(ctx context.Context) {
	if s := CacheabilityOf(ctx); s != nil {
		s.Numbered = true
	}
}
