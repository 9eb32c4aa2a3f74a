package site

import (
	"log/slog"

	"github.com/labstack/echo/v4"

	"inkfeed/domain/markdown"
	"inkfeed/domain/screening"
	"inkfeed/web/site/botcheck"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/session"
)

// Site is what the pages share.
type Site struct {
	URL      string // see Config
	Users    Users
	Sessions *session.Manager
	Limiter  *ratelimit.Limiter
	Markdown *markdown.Renderer
	// screening decides which texts wait for a moderator.
	Screening    screening.Policy
	WritingCheck botcheck.WritingChecker
	Closed       func() bool // see Config
	Shells       shells      // nil: none are kept
	// rendering limits how many previews are rendered at a time.
	PreviewSlots Slots
	Logger       *slog.Logger
}

// Get registers a page: what answers GET answers HEAD.
func Get(e *echo.Echo, path string, h echo.HandlerFunc) {
	e.GET(path, h)
	e.HEAD(path, h)
}
