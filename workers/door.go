package workers

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// SiteSettings is what a Door needs of the settings of the site.
type SiteSettings interface {
	Get(ctx context.Context) (domain.Settings, error)
}

// doorInterval is how often a Door looks for what other processes have set: one point read.
const doorInterval = 15 * time.Second

// Door knows whether anybody can sign up, for pages that say so to every stranger: to ask the
// storage for each of them would cost more than the pages do.
type Door struct {
	settings SiteSettings
	changed  func()
	logger   *slog.Logger
	closed   atomic.Bool
	woken    chan struct{}
}

// NewDoor makes a door, which is taken to be open until Run has looked. Changed is called after
// each change of what Closed says.
func NewDoor(settings SiteSettings, changed func(), logger *slog.Logger) *Door {
	return &Door{settings: settings, changed: changed, logger: logger, woken: make(chan struct{}, 1)}
}

// Closed tells whether nobody can sign up, not even by an invitation. It may be what was so some
// seconds ago: who signs up is told by the settings themselves.
func (d *Door) Closed() bool { return d.closed.Load() }

// Wake makes it look now. It never blocks.
func (d *Door) Wake() {
	select {
	case d.woken <- struct{}{}:
	default:
	}
}

// Run looks until the context ends.
func (d *Door) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := d.look(ctx); err != nil && ctx.Err() == nil {
			d.logger.Warn("cannot look whether registration is open", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-d.woken:
		case <-time.After(doorInterval):
		}
	}
}

func (d *Door) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	settings, err := d.settings.Get(ctx)
	if err != nil {
		return err
	}
	if closed := settings.Registration == domain.RegistrationClosed; d.closed.Swap(closed) != closed {
		d.changed()
	}
	return nil
}
