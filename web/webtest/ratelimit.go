package webtest

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/web/site/ratelimit"
)

// NewBotCheckSite returns a site on which texts of new accounts are held for review if they link to other sites or were
// sent faster than least.
func NewBotCheckSite(t *testing.T, least time.Duration) *Site {
	t.Helper()
	s := NewBotCheckSiteOn(t, NewDatabase(t), least)
	s.SetSettings(domain.Settings{})
	return s
}

// NewBotCheckSiteOn is NewBotCheckSite on a database.
func NewBotCheckSiteOn(t *testing.T, data *Database, least time.Duration) *Site {
	t.Helper()
	c := Config(data, io.Discard, KeyOne)
	c.SignupTime = least
	s := &Site{T: t, Data: data}
	s.Restart(c)
	return s
}

// Counters are rate limit counters that several instances share.
type Counters struct {
	mu    sync.Mutex
	All   map[string]int
	Calls int
	Err   error
}

// Add implements ratelimit.Counters.
func (f *Counters) Add(_ context.Context, name string, n int, _ time.Duration) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Calls++
	if f.Err != nil {
		return 0, f.Err
	}
	f.All[name] += n
	return f.All[name], nil
}

// Subtract implements ratelimit.Counters.
func (f *Counters) Subtract(_ context.Context, name string, n int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.All[name] -= n
	return f.Err
}

// NewLimitedSite returns a site with these rate limits and counters.
func NewLimitedSite(t *testing.T, data *Database, counters ratelimit.Counters, limits string,
	change ...func(*web.Config)) *Site {
	t.Helper()
	log := &bytes.Buffer{}
	c := Config(data, log, KeyOne)
	var err error
	if c.RateLimits, err = ratelimit.Parse(limits); err != nil {
		t.Fatal(err)
	}
	c.Counters = counters
	for _, f := range change {
		f(&c)
	}
	s := &Site{T: t, Data: data, Log: log}
	s.Restart(c)
	return s
}

// NewCounters returns counters at zero.
func NewCounters() *Counters { return &Counters{All: map[string]int{}} }

// From returns the visitor at another address.
func (v *Visitor) From(address string) *Visitor {
	other := *v
	other.Header = v.Header.Clone()
	other.Header.Set("X-Forwarded-For", address)
	return &other
}

// LogIn submits the log-in form.
func (v *Visitor) LogIn(name, password string) *Response {
	v.T.Helper()
	return v.Post("/login", "username", name, "password", password, "next", "/settings")
}
