package app

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"inkfeed/web"
)

// refreshTimeout bounds how long the first visitor after a silence waits for what other processes have written.
const refreshTimeout = 2 * time.Second

// idleMetric returns a gauge of the activity.
func (b *background) idleMetric() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "inkfeed_idle",
		Help: "1 while this instance has no visitors, so that its workers read less often; otherwise 0."},
		func() float64 {
			if b.activity.Idle() {
				return 1
			}
			return 0
		})
}

// whileInUse returns a handler that keeps the server in use during its calls.
func (b *background) whileInUse(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer b.activity.Hold()()
		next.ServeHTTP(w, r)
	})
}

// visits returns what the site needs to know of the activity, or nil if the server is always in use.
func (b *background) visits() web.Visits {
	if b.activity == nil {
		return nil
	}
	return b
}

// Idle implements web.Visits.
func (b *background) Idle() bool { return b.activity.Idle() }

// Use implements web.Visits.
func (b *background) Use() { b.activity.Use() }

// Refresh implements web.Visits. It reads the settings, the list of static pages, and the change feeds that the page
// cache and the search follow. Requests that come together share one refresh.
func (b *background) Refresh(ctx context.Context) {
	done := b.refreshes.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshTimeout)
		defer cancel()
		var all sync.WaitGroup
		for _, refresh := range []func(context.Context){b.settings.Read, b.pageList.Read, b.search.CatchUp,
			b.pages.catchUp} {
			all.Go(func() { refresh(ctx) })
		}
		all.Wait()
		return nil, nil
	})
	select {
	case <-ctx.Done():
	case <-done:
	}
}
