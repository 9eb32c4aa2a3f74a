package workers

import (
	"context"
	"log/slog"
	"testing"

	"inkfeed/domain/siteinfo"
)

type noPages struct{}

func (noPages) Get(context.Context) (siteinfo.Pages, error) { return siteinfo.Pages{}, nil }

func TestPagesWatcher(t *testing.T) {
	changes := 0
	w := NewPagesWatcher(noPages{}, func() { changes++ }, nil, slog.New(slog.DiscardHandler))
	for _, step := range []struct {
		name  string
		state siteinfo.Pages
		drops bool
	}{
		{"a new page", siteinfo.Pages{Version: 1, List: []siteinfo.StaticPage{{Path: "/a"}}}, true},
		{"an edit without a change of the title", siteinfo.Pages{Version: 2,
			List: []siteinfo.StaticPage{{Path: "/a", PostVersion: 7}}}, false},
		{"an older state", siteinfo.Pages{Version: 1, List: []siteinfo.StaticPage{{Path: "/b"}}}, false},
		{"a title", siteinfo.Pages{Version: 3, List: []siteinfo.StaticPage{{Path: "/a", Title: "A"}}}, true},
		{"a former address", siteinfo.Pages{Version: 4, List: []siteinfo.StaticPage{{Path: "/a", Title: "A"}},
			Former: []siteinfo.FormerPath{{Path: "/b"}}}, true},
	} {
		before := changes
		w.Apply(step.state)
		if dropped := changes > before; dropped != step.drops {
			t.Errorf("%s: pages are dropped: %t", step.name, dropped)
		}
	}
	if len(w.Current().Former) != 1 || w.Current().Version != 4 {
		t.Errorf("%+v", w.Current())
	}
}
