package site

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/static"
	"inkfeed/web/site/remote"
	"inkfeed/web/site/tracing"
)

// RequestIDHeader is the response header with the request's id.
const RequestIDHeader = "X-Request-Id"

// fragmentHeader is a header of all responses to htmx. The page's script ignores responses without it: those are a
// proxy's.
const fragmentHeader = "HX-Server"

// RequestID returns the id that identifies a request in the log and on error pages.
func RequestID(c echo.Context) string { return c.Response().Header().Get(RequestIDHeader) }

// Route returns the pattern that a request matched, for example in logs. Unlike the path, it
// contains no personal data.
func Route(c echo.Context) string {
	if p := c.Path(); p != "" {
		return p
	}
	return "none"
}

// LogRequests gives each request an id and logs the request after it is answered. It does not log requests for shells,
// which the page cache makes while it answers another request.
func (s *Site) LogRequests(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		begin := time.Now()
		// A client's own id is ignored: it would be written to the log.
		c.Response().Header().Set(RequestIDHeader, rand.Text()[:16])
		if IsFragment(c) {
			c.Response().Header().Set(fragmentHeader, "Inkfeed")
		}
		if err := next(c); err != nil {
			s.HandleError(err, c)
		}
		if ShellRequestOf(c) != nil {
			return nil
		}
		level := slog.LevelInfo
		if isQuiet(Route(c)) || isCacheHit(c) {
			level = slog.LevelDebug
		}
		s.Logger.LogAttrs(c.Request().Context(), level, "request",
			slog.String("method", c.Request().Method), slog.String("route", Route(c)),
			slog.Int("status", c.Response().Status), slog.Duration("duration", time.Since(begin)),
			slog.Int64("bytes", c.Response().Size), slog.String("request_id", RequestID(c)))
		return nil
	}
}

// TraceHandlers is middleware that makes a span of each handler, and names the request's span after the route.
func TraceHandlers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if s := CacheabilityOf(r.Context()); s != nil {
			s.Route = Route(c)
		}
		tracing.SetRoute(r.Context(), Route(c))
		ctx, span := tracing.Start(r.Context(), "handler "+Route(c))
		defer c.SetRequest(r)
		c.SetRequest(r.WithContext(ctx))
		status := http.StatusInternalServerError // if the handler panics
		defer func() { tracing.End(span, status) }()
		err := next(c)
		if status = c.Response().Status; err != nil {
			status, _ = StatusAndMessage(err)
		}
		return err
	}
}

// isQuiet reports whether requests of a route are logged at the debug level only, because there are
// so many.
func isQuiet(route string) bool {
	return strings.HasPrefix(route, static.Prefix) || strings.HasPrefix(route, "/favicon") ||
		route == "/healthz" || route == "/readyz"
}

// isCacheHit reports whether the response came from a cached shell. Like pagecache's hits, it is logged
// at the debug level only.
func isCacheHit(c echo.Context) bool {
	return strings.HasPrefix(c.Response().Header().Get("Cache-Status"), CacheHit)
}

// RecoverPanic returns a panic of the handler as an error.
func (s *Site) RecoverPanic(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v == http.ErrAbortHandler {
				panic(v)
			}
			err = panicked(v)
		}()
		return next(c)
	}
}

// Rescue returns a panic as an error. A goroutine that a handler starts defers it, because RecoverPanic does not reach
// it and the panic would end the program.
func Rescue(err *error) {
	if v := recover(); v != nil {
		*err = panicked(v)
	}
}

func panicked(v any) error { return fmt.Errorf("panic: %v\n%s", v, debug.Stack()) }

// contentSecurityPolicy allows only content of this site, and nothing inline.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors " +
	"'none'"

// AllowFraming lets pages of this site show the response in a frame.
func AllowFraming(c echo.Context) {
	h := c.Response().Header()
	h.Set("Content-Security-Policy", strings.TrimSuffix(contentSecurityPolicy, "'none'")+"'self'")
	h.Set("X-Frame-Options", "SAMEORIGIN")
}

// AllowFrames lets the response show pages of this site in frames: those of AllowFraming.
func AllowFrames(c echo.Context) {
	c.Response().Header().Set("Content-Security-Policy", contentSecurityPolicy+"; frame-src 'self'")
}

// permissionsPolicy allows passkeys and no other browser feature.
const permissionsPolicy = "accelerometer=(), autoplay=(), browsing-topics=(), camera=(), display-capture=(), " +
	"encrypted-media=(), " +
	"geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=(), " +
	"publickey-credentials-create=(self), publickey-credentials-get=(self)"

// SecureHeaders returns middleware that sets the security headers of every response, including
// errors and files.
func SecureHeaders(strictTransport string) echo.MiddlewareFunc {
	confining := make(http.Header)
	confining.Set("Content-Security-Policy", contentSecurityPolicy)
	confining.Set("X-Content-Type-Options", "nosniff")
	confining.Set("X-Frame-Options", "DENY")
	// Security scanners expect this header. Current browsers ignore it. In older ones its filter
	// leaks nothing, because other sites can neither frame a page nor keep a reference to its
	// window.
	confining.Set("X-XSS-Protection", "1; mode=block")
	// With no-referrer, browsers would send "Origin: null" with this site's forms.
	confining.Set("Referrer-Policy", "same-origin")
	confining.Set("Permissions-Policy", permissionsPolicy)
	confining.Set("Cross-Origin-Opener-Policy", "same-origin")
	confining.Set("Cross-Origin-Resource-Policy", "same-origin")
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			h := c.Response().Header()
			maps.Copy(h, confining)
			if strictTransport != "" && remote.TLS(c.Request()) {
				h.Set("Strict-Transport-Security", strictTransport)
			}
			return next(c)
		}
	}
}

// UnsubscribeRoute is the route that ends subscriptions by mail. Mail programs post to it for their users (RFC 8058).
const UnsubscribeRoute = "/mail/:key/unsubscribe"

// RefuseCrossSite returns middleware that rejects forms submitted from another site, except to UnsubscribeRoute.
func RefuseCrossSite() echo.MiddlewareFunc {
	protection := http.NewCrossOriginProtection()
	protection.AddInsecureBypassPattern("POST /mail/{key}/unsubscribe")
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := protection.Check(c.Request()); err != nil {
				return &domain.Error{Kind: domain.Forbidden, Err: err,
					Message: locale.M("For your safety, we blocked a request from another site. Go back to this " +
						"site and " +
						"try again.")}
			}
			return next(c)
		}
	}
}

// LimitTime is middleware that cancels a request's context at the time limit of its route.
func LimitTime(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, l := c.Request(), limitsFor(c)
		l.extendDeadlines(c)
		ctx, cancel := context.WithTimeout(r.Context(), l.Time)
		defer cancel()
		defer c.SetRequest(r) // the limit does not apply to the error page
		c.SetRequest(r.WithContext(ctx))
		return next(c)
	}
}

// CacheHit is the value of Cache-Status, or its beginning, for responses from the cache.
const CacheHit = "Inkfeed; hit"
