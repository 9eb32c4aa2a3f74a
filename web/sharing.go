package web

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// sharing is what the handler of a page says about caching it. The page cache puts one into the context of the
// requests that it makes itself.
type sharing struct {
	shared     bool          // all anonymous visitors get the same answer
	incomplete bool          // something on the page could not be read
	numbered   bool          // the handler reads the number of a page of a list
	life       time.Duration // see keepFor
	framing    *framing      // nil: a whole page is asked for, not its shell
}

// framing is what the handler of a page says about caching its shell, which is the same for all signed-in users.
type framing struct {
	framed  bool // the page has a shell
	refused bool // the page differs between viewers after all
}

type sharingKey struct{}

// withSharing returns a context in which handlers describe their answer in s.
func withSharing(ctx context.Context, s *sharing) context.Context {
	return context.WithValue(ctx, sharingKey{}, s)
}

func sharingOf(ctx context.Context) *sharing {
	s, _ := ctx.Value(sharingKey{}).(*sharing)
	return s
}

func framingOf(c echo.Context) *framing {
	if s := sharingOf(c.Request().Context()); s != nil {
		return s.framing
	}
	return nil
}

// noFrame says that the page is another one for each viewer.
func noFrame(c echo.Context) {
	if f := framingOf(c); f != nil {
		f.refused = true
	}
}

// shells answers requests of signed-in users from cached shells of pages.
type shells interface {
	// serveShell reports whether it has answered the request. It calls viewer if it can answer the request at all.
	serveShell(c echo.Context, viewer func(echo.Context) (domain.User, error)) (answered bool, err error)
}

// framed is shared of a page that all who are signed in get alike, too, but for the gaps.
func (s *site) framed(h echo.HandlerFunc) echo.HandlerFunc {
	h = shared(h)
	return func(c echo.Context) error {
		if f := framingOf(c); f != nil {
			f.framed = true
		}
		if s.shells == nil || sharingOf(c.Request().Context()) != nil || isFragment(c) {
			return h(c)
		}
		if answered, err := s.shells.serveShell(c, s.viewer); err != nil || answered {
			return err
		}
		return h(c)
	}
}

// shared is of a page that all strangers get alike, as long as what it is made of is as it
// was: it depends on nothing but its address and what is read through the site's stores.
func shared(h echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s := sharingOf(c.Request().Context()); s != nil {
			s.shared = true
		}
		return h(c)
	}
}

// incomplete says that something is missing on the page that could not be read: the next one
// who asks may be luckier.
func incomplete(ctx context.Context) {
	if s := sharingOf(ctx); s != nil {
		s.incomplete = true
	}
}

// keepFor lets the cache keep the answer for that long, although the cache does not see changes of
// the data behind it.
func keepFor(ctx context.Context, life time.Duration) {
	if s := sharingOf(ctx); s != nil {
		s.life = life
	}
}

// numbered says that the page depends on the number that is asked for.
func numbered(ctx context.Context) {
	if s := sharingOf(ctx); s != nil {
		s.numbered = true
	}
}
