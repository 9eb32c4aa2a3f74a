package workers

import (
	"context"
	"log/slog"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// SiteSettings reads the settings of the site.
type SiteSettings interface {
	Get(ctx context.Context) (domain.Settings, error)
}

// SettingsWatcher knows the settings of the site.
type SettingsWatcher struct{ watcher[domain.Settings] }

// NewSettingsWatcher returns a watcher that has the default settings until Run has read the stored ones. It calls
// changed after each change of the settings. It reads seldom while the activity is idle; a nil activity never is.
func NewSettingsWatcher(settings SiteSettings, changed func(), activity *loop.Activity,
	logger *slog.Logger) *SettingsWatcher {
	w := &SettingsWatcher{newWatcher("the site's settings", settings.Get, activity, logger)}
	w.newer = func(s, than *domain.Settings) bool {
		return s.Version > than.Version || s.Version == 0 && *than == domain.Settings{} && *s != *than
	}
	w.replaced = func(_, _ *domain.Settings) { changed() }
	activity.WakeOnUse(w)
	return w
}
