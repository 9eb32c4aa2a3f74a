package changefeed

import (
	"context"
	"slices"
	"sync"

	"inkfeed/cosmos/feeds"
)

// fakeLetters is a container of dead letters in memory.
type fakeLetters struct {
	mu      sync.Mutex
	letters []feeds.DeadLetter
	fail    error
}

func (d *fakeLetters) Put(_ context.Context, l feeds.DeadLetter) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail == nil {
		d.letters = append(d.letters, l)
	}
	return d.fail
}

func (d *fakeLetters) setFailure(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = err
}

func (d *fakeLetters) items() (ids []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.letters {
		ids = append(ids, l.Item.ID)
	}
	return ids
}

// collector is a projector that remembers what it saw.
type collector struct {
	mu       sync.Mutex
	seen     []int
	attempts int
	fail     error
	reject   map[int]error                               // items that never succeed
	during   func(ctx context.Context, page []int) error // called before each attempt
}

func (c *collector) Project(ctx context.Context, changes []int) error {
	c.mu.Lock()
	c.attempts++
	during := c.during
	c.mu.Unlock()
	if during != nil {
		if err := during(ctx, changes); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fail != nil {
		return c.fail
	}
	for _, item := range changes {
		if err := c.reject[item]; err != nil {
			return err
		}
	}
	c.seen = append(c.seen, changes...)
	return nil
}

func (c *collector) setFailure(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail = err
}

func (c *collector) all() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.seen)
}
