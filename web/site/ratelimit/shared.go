package ratelimit

import (
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Counters are counted by all instances together.
type Counters interface {
	// Add adds to a counter, which is forgotten when nothing was added for so long, and
	// returns how much it is then.
	Add(ctx context.Context, name string, n int, keep time.Duration) (int, error)
	// Take takes from a counter, if there is one.
	Take(ctx context.Context, name string, n int) error
}

// sharedCounts counts in fixed windows of time: within one, exactly, whichever instance is
// asked. Over the border of two, at most twice as much gets through.
type sharedCounts struct {
	counters Counters // nil: this instance is alone
	own      *ownCounters
	logger   *slog.Logger

	mu    sync.Mutex
	full  *lru.Cache[string, time.Time] // windows that are used up, which need no more writing
	until time.Time                     // the counters are left alone: they failed
}

const (
	// counterTime is how long the counters are waited for, and countersRest how long they
	// are left alone after they have failed.
	counterTime  = 2 * time.Second
	countersRest = 10 * time.Second
)

func newSharedCounts(counters Counters, logger *slog.Logger) *sharedCounts {
	full, _ := lru.New[string, time.Time](maxKeys)
	return &sharedCounts{counters: counters, own: newOwnCounters(), logger: logger, full: full}
}

// window is the name of the counter of this moment, and when its time is over. Windows of
// different keys do not begin together: nobody waits for the one moment.
func window(r Rule, often Rate, key string, now time.Time) (name string, end time.Time) {
	offset := time.Duration(fingerprint(key) % uint64(often.Per))
	number := (now.UnixNano() + int64(offset)) / int64(often.Per)
	return fmt.Sprintf("%s|%s|%d|%s", r, often, number, key), time.Unix(0, (number+1)*int64(often.Per)-int64(offset))
}

// fingerprint is the same on every instance (FNV-1a).
func fingerprint(key string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return h
}

// take counts one more, or says how long to wait.
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

func (s *sharedCounts) isFull(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, full := s.full.Get(name)
	return full
}

// give takes back what take has counted.
func (s *sharedCounts) give(ctx context.Context, r Rule, often Rate, key string) {
	name, _ := window(r, often, key, time.Now())
	s.mu.Lock()
	s.full.Remove(name)
	s.mu.Unlock()
	_ = s.own.Take(ctx, name, 1)
	if s.counters == nil || s.resting() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), counterTime)
	defer cancel()
	if err := s.counters.Take(ctx, name, 1); err != nil {
		s.failed(err)
	}
}

// add counts here as well, so that what was counted is not forgotten when the counters
// fail.
func (s *sharedCounts) add(ctx context.Context, name string, keep time.Duration) int {
	own, _ := s.own.Add(ctx, name, 1, keep)
	if s.counters == nil || s.resting() {
		return own
	}
	// Whoever goes away is counted, too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), counterTime)
	defer cancel()
	n, err := s.counters.Add(ctx, name, 1, keep+time.Second)
	if err != nil {
		s.failed(err)
		return own
	}
	return n
}

func (s *sharedCounts) resting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.until)
}

// failed is told once in a while: not by each request.
func (s *sharedCounts) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); !now.Before(s.until) {
		s.until = now.Add(countersRest)
		s.logger.Warn("the shared counters of limits cannot be reached; this instance counts alone meanwhile", "err",
			err, "for", countersRest)
	}
}

// ownCounters are counters in memory, of a bounded number.
type ownCounters struct {
	mu  sync.Mutex
	all *lru.Cache[uint64, *ownCount] // by digests of their names
	// seed is random, so that nobody can find two names of one digest.
	seed maphash.Seed
}

type ownCount struct {
	n   int
	end time.Time
}

func newOwnCounters() *ownCounters {
	all, _ := lru.New[uint64, *ownCount](maxKeys)
	return &ownCounters{all: all, seed: maphash.MakeSeed()}
}

func (o *ownCounters) Add(_ context.Context, name string, n int, keep time.Duration) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now, id := time.Now(), maphash.String(o.seed, name)
	count, ok := o.all.Get(id)
	if !ok || !now.Before(count.end) {
		count = &ownCount{}
		o.all.Add(id, count)
	}
	count.n, count.end = count.n+n, now.Add(keep)
	return count.n, nil
}

func (o *ownCounters) Take(_ context.Context, name string, n int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if count, ok := o.all.Get(maphash.String(o.seed, name)); ok {
		count.n -= n
	}
	return nil
}
