package credential

import (
	"context"
	"maps"
	"sync"

	"github.com/labstack/echo/v4"

	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

// networkKey is the key of a preferred request's network in its context.
type networkKey struct{}

// maxPreferred is the number of preferred requests of one network that wait. Its further requests wait like those of
// unknown browsers.
const maxPreferred = 16

// Preferred returns the context of a request for the hashes of a browser in which the account has logged in before.
// These requests go first and have places of their own in the queue, so that a flood of log-ins cannot keep them out.
// The caller limits how often.
func Preferred(c echo.Context) context.Context {
	return context.WithValue(c.Request().Context(), networkKey{}, remote.Of(c.Request()).WidestNetwork())
}

// Confirming is Preferred for a user who has a session or a mailed link, as often as ratelimit.LoginKnown allows.
// Further requests of the user wait like those of unknown browsers.
func Confirming(c echo.Context, limits *ratelimit.Limiter, userID string) context.Context {
	if ctx := c.Request().Context(); limits.Allow(ctx, ratelimit.LoginKnown, "confirming "+userID) != nil {
		return ctx
	}
	return Preferred(c)
}

// queue counts the requests that wait for a hash.
type queue struct {
	mu     sync.Mutex
	counts map[string]int64 // by kind, and of preferred requests by network; without zeros
}

// join adds a request, and returns how many of its kind wait. When the places of preferred requests, or those of its
// network, are full, it waits like others. The caller must call leave when the request no longer
// waits.
func (q *queue) join(ctx context.Context, places int64) (preferred bool, waiting int64, leave func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	network, preferred := ctx.Value(networkKey{}).(string)
	preferred = preferred && q.counts["preferred"] < places && (network == "" || q.counts[network] < maxPreferred)
	kinds := []string{"other"}
	if preferred {
		kinds = []string{"preferred", network}
	}
	for _, kind := range kinds {
		q.counts[kind]++
	}
	return preferred, q.counts[kinds[0]], func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, kind := range kinds {
			q.counts[kind]--
		}
		maps.DeleteFunc(q.counts, func(_ string, n int64) bool { return n == 0 })
	}
}

func (q *queue) isEmpty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.counts) == 0
}
