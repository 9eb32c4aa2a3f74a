package web

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
)

// Visits knows whether people use this instance. While the instance is idle, its workers seldom read what other
// processes write.
type Visits interface {
	// Idle reports whether the instance has not been used for some time.
	Idle() bool
	// Use records a use of the instance.
	Use()
	// Refresh waits until the instance knows what other processes have written, but at most for some seconds.
	Refresh(ctx context.Context)
}

// visitInterval is the least time between two uses that are recorded, because a request from the cache takes less time
// than finding its route.
const visitInterval = time.Second

// visitor is the kind of visitor that a route is for.
type visitor int

const (
	person visitor = iota
	// program reads feeds, the sitemap and the like at intervals of its own. It gets current data, but does not count
	// as use.
	program
	monitor // also asks for files, and for addresses that do not exist; it needs no data
)

// visitRecorder records visits before the page cache answers.
type visitRecorder struct {
	visits Visits
	site   *site.Site
	router *echo.Echo
	routes map[string]visitor // all routes
	start  time.Time
	last   atomic.Int64 // when a use was last recorded, in nanoseconds since start
}

// recorded returns a handler that records visits. Without Visits it returns the given handler.
func (v *visitRecorder) recorded(next http.Handler) http.Handler {
	if v.visits == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.record(r)
		next.ServeHTTP(w, r)
	})
}

func (v *visitRecorder) record(r *http.Request) {
	now := int64(time.Since(v.start))
	idle := v.visits.Idle()
	if !idle && now-v.last.Load() < int64(visitInterval) {
		return
	}
	kind := v.visitorOf(r)
	if idle && kind != monitor {
		v.visits.Refresh(r.Context())
	}
	if kind == person {
		v.last.Store(now)
		v.visits.Use()
	}
}

// visitorOf returns the kind of visitor who sends such a request.
func (v *visitRecorder) visitorOf(r *http.Request) visitor {
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		return monitor
	}
	c := v.router.AcquireContext()
	defer v.router.ReleaseContext(c)
	c.SetPath("") // Find leaves that of the last request if there is no such route
	v.router.Router().Find(r.Method, echo.GetPath(r), c)
	if kind, known := v.routes[c.Path()]; known {
		return kind
	}
	if _, isPage := v.site.StaticPages().At(r.URL.Path); isPage {
		return person
	}
	return monitor
}

// mark records that the routes that are registered so far and not marked yet are for a kind of visitor.
func (v *visitRecorder) mark(kind visitor) {
	for _, r := range v.router.Routes() {
		if _, marked := v.routes[r.Path]; !marked {
			v.routes[r.Path] = kind
		}
	}
}
