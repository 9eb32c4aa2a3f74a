package web

import (
	"context"
	"log/slog"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/screening"
)

// site is what the pages share.
type site struct {
	url      string // see Config
	users    userByID
	sessions *sessions
	limiter  *limiter
	markdown *markdown.Renderer
	// screening decides which texts wait for a moderator.
	screening screening.Policy
	known     interface {
		Of(ctx context.Context, target domain.Target) (domain.Reported, error)
	}
	writing writingTrap
	closed  func() bool // see Config
	shells  shells      // nil: none are kept
	// rendering limits how many previews are rendered at a time.
	rendering slots
	logger    *slog.Logger
}

// get registers a page: what answers GET answers HEAD.
func get(e *echo.Echo, path string, h echo.HandlerFunc) {
	e.GET(path, h)
	e.HEAD(path, h)
}
