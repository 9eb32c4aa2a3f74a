package workers

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// SiteSettings reads the settings of the site.
type SiteSettings interface {
	Get(ctx context.Context) (domain.Settings, error)
}

// registrationInterval is the time between two reads of the settings. A read costs one request unit.
const registrationInterval = 15 * time.Second

// RegistrationWatcher knows whether registration is closed. Every page for anonymous visitors depends on that, and
// reading the settings for each of them would cost more than the page does.
type RegistrationWatcher struct {
	settings SiteSettings
	changed  func()
	logger   *slog.Logger
	closed   atomic.Bool
	woken    loop.Signal
}

// NewRegistrationWatcher returns a watcher that reports open registration until Run has read the settings. It calls
// changed whenever the result of Closed changes.
func NewRegistrationWatcher(settings SiteSettings, changed func(), logger *slog.Logger) *RegistrationWatcher {
	return &RegistrationWatcher{settings: settings, changed: changed, logger: logger, woken: loop.NewSignal()}
}

// Closed reports whether registration is closed, even to invited people. It may be some seconds out of date, so the
// sign-up form reads the settings itself.
func (w *RegistrationWatcher) Closed() bool { return w.closed.Load() }

// Wake makes the watcher read the settings now. It never blocks.
func (w *RegistrationWatcher) Wake() { w.woken.Set() }

// Run reads the settings at intervals until the context ends.
func (w *RegistrationWatcher) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.update(ctx); err != nil && ctx.Err() == nil {
			w.logger.Warn("cannot read the site's settings", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-w.woken:
		case <-time.After(registrationInterval):
		}
	}
}

// update reads the settings, and calls changed if the result of Closed changes.
func (w *RegistrationWatcher) update(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	settings, err := w.settings.Get(ctx)
	if err != nil {
		return err
	}
	if closed := settings.Registration == domain.RegistrationClosed; w.closed.Swap(closed) != closed {
		w.changed()
	}
	return nil
}
