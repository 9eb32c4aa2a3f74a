package ratelimit

import (
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Counters are counters that all instances share.
type Counters interface {
	// Add adds n to a counter and returns the new value. The counter expires when nothing was added
	// for the time keep.
	Add(ctx context.Context, name string, n int, keep time.Duration) (int, error)
	// Subtract subtracts n from a counter, if it exists.
	Subtract(ctx context.Context, name string, n int) error
}

// sharedCounts counts in fixed windows of time, exactly, for all instances. Around the border
// between two windows, up to twice the rate gets through.
type sharedCounts struct {
	counters Counters // nil: there are no other instances
	local    *localCounters
	logger   *slog.Logger

	mu          sync.Mutex
	full        simplelru.LRUCache[string, time.Time] // ends of windows that are used up, by counter name
	pausedUntil time.Time                             // the counters failed and are not used until then
}

// counterTimeout bounds one request to the counters, and pauseTime is how long they are not used
// after a failure.
const (
	counterTimeout = 2 * time.Second
	pauseTime      = 10 * time.Second
)

func newSharedCounts(counters Counters, logger *slog.Logger) *sharedCounts {
	full, _ := lru.New[string, time.Time](maxKeys)
	return &sharedCounts{counters: counters, local: newLocalCounters(), logger: logger, full: full}
}

// window returns the name of the counter for the current window of a key, and the end of the
// window. Windows of different keys begin at different times, so that there is no moment when all
// limits reset.
func window(r Rule, often Rate, key string, now time.Time) (name string, end time.Time) {
	offset := time.Duration(fingerprint(key) % uint64(often.Per))
	number := (now.UnixNano() + int64(offset)) / int64(often.Per)
	return fmt.Sprintf("%s|%s|%d|%s", r, often, number, key), time.Unix(0, (number+1)*int64(often.Per)-int64(offset))
}

// fingerprint returns a hash that is the same on every instance (FNV-1a).
func fingerprint(key string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return h
}

// take counts one action. If it exceeds the rate, it returns how long to wait.
func (s *sharedCounts) take(ctx context.Context, r Rule, often Rate, key string) time.Duration {
	now := time.Now()
	name, end := window(r, often, key, now)
	wait := end.Sub(now)
	if s.isFull(name) {
		return wait
	}
	if s.add(ctx, name, wait) <= often.Count {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.full.Add(name, end)
	return wait
}

// Once reports whether it is called with this name for the first time, over all instances, within the time keep.
func (l *Limiter) Once(ctx context.Context, name string, keep time.Duration) bool {
	return l.shared.add(ctx, "once|"+name, keep) == 1
}

func (s *sharedCounts) isFull(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, full := s.full.Get(name)
	return full
}

// refund reverts a call of take.
func (s *sharedCounts) refund(ctx context.Context, r Rule, often Rate, key string) {
	name, _ := window(r, often, key, time.Now())
	s.mu.Lock()
	s.full.Remove(name)
	s.mu.Unlock()
	_ = s.local.Subtract(ctx, name, 1)
	if s.counters == nil || s.isPaused() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), counterTimeout)
	defer cancel()
	if err := s.counters.Subtract(ctx, name, 1); err != nil {
		s.pause(err)
	}
}

// add counts in the shared counter and in this instance's own, which replaces it when the shared
// counters fail. It returns the count.
func (s *sharedCounts) add(ctx context.Context, name string, keep time.Duration) int {
	own, _ := s.local.Add(ctx, name, 1, keep)
	if s.counters == nil || s.isPaused() {
		return own
	}
	// Cancelled requests are counted too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), counterTimeout)
	defer cancel()
	n, err := s.counters.Add(ctx, name, 1, keep+time.Second)
	if err != nil {
		s.pause(err)
		return own
	}
	return n
}

func (s *sharedCounts) isPaused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.pausedUntil)
}

// pause stops using the shared counters for pauseTime. It logs once per pause, not once per
// request.
func (s *sharedCounts) pause(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); !now.Before(s.pausedUntil) {
		s.pausedUntil = now.Add(pauseTime)
		s.logger.Warn("the shared counters of rate limits are unavailable; this instance counts alone for now", "error",
			err, "for", pauseTime)
	}
}

// localCounters are counters in memory. Their number is bounded.
type localCounters struct {
	mu  sync.Mutex
	all simplelru.LRUCache[uint64, *localCount] // by hash of the name
	// seed is random, so that an attacker cannot find two names with the same hash.
	seed maphash.Seed
}

type localCount struct {
	n   int
	end time.Time
}

func newLocalCounters() *localCounters {
	all, _ := lru.New[uint64, *localCount](maxKeys)
	return &localCounters{all: all, seed: maphash.MakeSeed()}
}

// Add implements Counters.
func (o *localCounters) Add(_ context.Context, name string, n int, keep time.Duration) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now, id := time.Now(), maphash.String(o.seed, name)
	count, ok := o.all.Get(id)
	if !ok || !now.Before(count.end) {
		count = &localCount{}
		o.all.Add(id, count)
	}
	count.n, count.end = count.n+n, now.Add(keep)
	return count.n, nil
}

// Subtract implements Counters.
func (o *localCounters) Subtract(_ context.Context, name string, n int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if count, ok := o.all.Get(maphash.String(o.seed, name)); ok {
		count.n -= n
	}
	return nil
}
