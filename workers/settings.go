package workers

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// SiteSettings reads the settings of the site.
type SiteSettings interface {
	Get(ctx context.Context) (domain.Settings, error)
}

// settingsInterval is the time between two reads of the settings. A read costs one request unit.
const settingsInterval = 5 * time.Second

// SettingsWatcher knows the settings of the site. Every page depends on them, and reading them for each page would cost
// more than most pages do.
type SettingsWatcher struct {
	settings SiteSettings
	changed  func()
	logger   *slog.Logger
	current  atomic.Pointer[domain.Settings]
	writing  sync.Mutex // held while current and the pages that depend on it change
	woken    loop.Signal
}

// NewSettingsWatcher returns a watcher that has the default settings until Run has read the stored ones. It calls
// changed after each change of the settings.
func NewSettingsWatcher(settings SiteSettings, changed func(), logger *slog.Logger) *SettingsWatcher {
	w := &SettingsWatcher{settings: settings, changed: changed, logger: logger, woken: loop.NewSignal()}
	w.current.Store(&domain.Settings{})
	return w
}

// Current returns the settings. They may be some seconds out of date, so forms that depend on them read them
// themselves. The caller must not change them.
func (w *SettingsWatcher) Current() *domain.Settings { return w.current.Load() }

// Apply makes settings that were just written current in this process.
func (w *SettingsWatcher) Apply(settings domain.Settings) {
	w.writing.Lock()
	defer w.writing.Unlock()
	if settings.Version > w.current.Load().Version {
		w.current.Store(&settings)
		w.changed()
	}
}

// Wake makes the watcher read the settings now. It never blocks.
func (w *SettingsWatcher) Wake() { w.woken.Set() }

// Run reads the settings at intervals until the context ends.
func (w *SettingsWatcher) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := w.update(ctx); err != nil && ctx.Err() == nil {
			w.logger.Warn("cannot read the site's settings", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-w.woken:
		case <-time.After(settingsInterval):
		}
	}
}

func (w *SettingsWatcher) update(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	settings, err := w.settings.Get(ctx)
	if err == nil {
		w.Apply(settings)
	}
	return err
}
