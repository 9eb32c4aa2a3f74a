// Package site is shared by all features: sessions and viewers, forms, rendering, errors,
// middleware and limits.
package site

import (
	"log/slog"

	"github.com/labstack/echo/v4"

	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
	"inkfeed/domain/screening"
	"inkfeed/web/site/botcheck"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/session"
)

// Site is the configuration and the services that all features share.
type Site struct {
	URL      string // see web.Config
	Users    Users
	Sessions *session.Manager
	Limiter  *ratelimit.Limiter
	Markdown *markdown.Renderer
	// Screening decides which texts need a moderator's approval.
	Screening    screening.Policy
	WritingCheck botcheck.WritingChecker
	Closed       func() bool // see web.Config
	// Languages are those of the interface. DefaultLanguage returns the code of the site's own.
	Languages       *locale.Set
	DefaultLanguage func() string
	Shells          shells     // nil: no shells are cached
	Inspector       inspector  // nil: there is no cost inspector
	Identities      Identities // set by package account
	// PreviewSlots limits how many previews are rendered at a time.
	PreviewSlots Slots
	Logger       *slog.Logger
}

// Get registers the handler of a page for GET and HEAD.
func Get(e *echo.Echo, path string, h echo.HandlerFunc) {
	e.GET(path, h)
	e.HEAD(path, h)
}
