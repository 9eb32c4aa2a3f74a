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
	"inkfeed/static"
	"inkfeed/web/site/client"
)

const RequestIDHeader = "X-Request-Id"

// RequestID names a request in the log and to its visitor.
func RequestID(c echo.Context) string { return c.Response().Header().Get(RequestIDHeader) }

// Route is the pattern that a request matched: unlike its path it says nothing
// about a person.
func Route(c echo.Context) string {
	if p := c.Path(); p != "" {
		return p
	}
	return "none"
}

// Observe names each request and logs it once it is answered.
func (s *Site) Observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		begin := time.Now()
		// An id that the client sends is not taken: it would be written to the log.
		c.Response().Header().Set(RequestIDHeader, rand.Text()[:16])
		if err := next(c); err != nil {
			s.HandleError(err, c)
		}
		level := slog.LevelInfo
		if isQuiet(Route(c)) || isHit(c) {
			level = slog.LevelDebug
		}
		s.Logger.LogAttrs(c.Request().Context(), level, "request",
			slog.String("method", c.Request().Method), slog.String("route", Route(c)),
			slog.Int("status", c.Response().Status), slog.Duration("duration", time.Since(begin)),
			slog.Int64("bytes", c.Response().Size), slog.String("request_id", RequestID(c)))
		return nil
	}
}

// isQuiet is true for what would drown the rest of the log.
func isQuiet(route string) bool {
	return strings.HasPrefix(route, static.Prefix) || strings.HasPrefix(route, "/favicon") ||
		route == "/healthz" || route == "/readyz"
}

// isHit is true of a page that was ready, and only counted: see pages.hit.
func isHit(c echo.Context) bool {
	return strings.HasPrefix(c.Response().Header().Get("Cache-Status"), CacheHit)
}

// RecoverPanic makes a panic an error like any other.
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
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}()
		return next(c)
	}
}

// contentSecurityPolicy allows what this site serves itself, and nothing inline.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
	"font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors " +
	"'none'"

// permissionsPolicy allows passkeys, and nothing else that pages could ask for.
const permissionsPolicy = "accelerometer=(), autoplay=(), browsing-topics=(), camera=(), display-capture=(), " +
	"encrypted-media=(), " +
	"geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=(), " +
	"publickey-credentials-create=(self), publickey-credentials-get=(self)"

// SecureHeaders sets the headers that confine every answer, errors and files too. Answers share them,
// rather than each having its own.
func SecureHeaders(strictTransport string) echo.MiddlewareFunc {
	confining := make(http.Header)
	confining.Set("Content-Security-Policy", contentSecurityPolicy)
	confining.Set("X-Content-Type-Options", "nosniff")
	confining.Set("X-Frame-Options", "DENY")
	// Scanners ask for it. No browser of today has the filter that it turned on; those that
	// had one leak nothing by it where no other site can frame a page or hold its window.
	confining.Set("X-XSS-Protection", "1; mode=block")
	// Not no-referrer: browsers would send "Origin: null" with our own forms.
	confining.Set("Referrer-Policy", "same-origin")
	confining.Set("Permissions-Policy", permissionsPolicy)
	confining.Set("Cross-Origin-Opener-Policy", "same-origin")
	confining.Set("Cross-Origin-Resource-Policy", "same-origin")
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			h := c.Response().Header()
			maps.Copy(h, confining)
			if strictTransport != "" && client.TLS(c.Request()) {
				h.Set("Strict-Transport-Security", strictTransport)
			}
			return next(c)
		}
	}
}

// RefuseCrossSite refuses forms that another site sends in a visitor's name.
func RefuseCrossSite() echo.MiddlewareFunc {
	protection := http.NewCrossOriginProtection()
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if err := protection.Check(c.Request()); err != nil {
				return &domain.Error{Kind: domain.Forbidden, Err: err,
					Message: "For your safety, we blocked a request from another site. Go back to this site and try " +
						"again."}
			}
			return next(c)
		}
	}
}

// LimitTime gives up on data that does not come.
func LimitTime(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, l := c.Request(), limitsOf(c)
		l.extend(c)
		ctx, cancel := context.WithTimeout(r.Context(), l.Time)
		defer cancel()
		defer c.SetRequest(r) // what is said afterwards is not bound by it
		c.SetRequest(r.WithContext(ctx))
		return next(c)
	}
}

const CacheHit = "Inkfeed; hit"
