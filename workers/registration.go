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

// registrationInterval is the time between two reads of the settings. Each costs one point read.
const registrationInterval = 15 * time.Second

// RegistrationWatcher knows whether registration is closed. Pages show that to every anonymous visitor, and a read of
// the settings for each of them would cost more than the page does.
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

// Closed reports whether nobody can sign up, even with an invitation. It may be out of date by some seconds. The form
// for signing up therefore reads the settings itself.
func (w *RegistrationWatcher) Closed() bool { return w.closed.Load() }

// Wake makes the watcher read the settings now. It never blocks.
func (w *RegistrationWatcher) Wake() { w.woken.Set() }

// Run reads the settings at intervals until the context ends.
func (w *RegistrationWatcher) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			w.logger.Warn("cannot read whether registration is open", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-w.woken:
		case <-time.After(registrationInterval):
		}
	}
}

func (w *RegistrationWatcher) look(ctx context.Context) error {
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
