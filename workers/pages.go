package workers

import (
	"context"
	"log/slog"

	"inkfeed/domain/siteinfo"
	"inkfeed/workers/loop"
)

// SitePages reads the list of static pages.
type SitePages interface {
	Get(ctx context.Context) (siteinfo.Pages, error)
}

// PagesWatcher knows the static pages of the site. Every page links to some of them.
type PagesWatcher struct{ watcher[siteinfo.Pages] }

// NewPagesWatcher returns a watcher without pages until Run has read the stored ones. It calls changed after each
// change of the addresses or the links. It reads seldom while the activity is idle; a nil activity never is.
func NewPagesWatcher(pages SitePages, changed func(), activity *loop.Activity, logger *slog.Logger) *PagesWatcher {
	w := &PagesWatcher{newWatcher("the list of static pages", pages.Get, activity, logger)}
	w.newer = func(p, than *siteinfo.Pages) bool { return p.Version > than.Version }
	w.replaced = func(by, old *siteinfo.Pages) {
		if !by.SameLinks(*old) {
			changed()
		}
	}
	activity.WakeOnUse(w)
	return w
}
