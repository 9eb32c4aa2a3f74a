package config

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"time"

	"inkfeed/workers/changefeed"
)

// intervals are the intervals of the workers of this process.
type intervals struct {
	acquire, renew, expiration, poll time.Duration
}

// bindDuration binds a setting that is a positive duration.
func (c *Config) bindDuration(value *time.Duration, flag, variable, otherwise, group, usage string) {
	c.Bind(Setting{Flag: flag, Variable: variable, Default: otherwise, Usage: usage, Group: group,
		Parse: Duration(value, otherwise)})
}

// BindIntervals binds the workers' intervals, for commands that run workers. Processes that share leases should
// have the same intervals.
func (c *Config) BindIntervals() {
	w := &c.intervals
	c.bindDuration(&w.acquire, "lease-acquire", "INKFEED_LEASE_ACQUIRE", "13s", GroupWorkers,
		"check for leases to take over every `interval`")
	c.bindDuration(&w.renew, "lease-renew", "INKFEED_LEASE_RENEW", "17s", GroupWorkers,
		"renew the leases every `interval`, at most half of their expiration")
	c.bindDuration(&w.expiration, "lease-expiration", "INKFEED_LEASE_EXPIRATION", "60s", GroupWorkers,
		"a lease expires this `time` after its last renewal, and another process can take it")
	c.bindDuration(&w.poll, "poll", "INKFEED_POLL", "500ms", GroupWorkers,
		"check every `interval` for changes that other processes wrote")
	c.AddCheck(func() error {
		switch {
		case w.renew > w.expiration/2:
			return fmt.Errorf("--lease-renew or INKFEED_LEASE_RENEW: %s is more than half of --lease-expiration or "+
				"INKFEED_LEASE_EXPIRATION, %s: one late renewal would lose the lease", w.renew, w.expiration)
		case w.acquire >= w.expiration:
			return fmt.Errorf("--lease-acquire or INKFEED_LEASE_ACQUIRE: %s is not less than --lease-expiration or "+
				"INKFEED_LEASE_EXPIRATION, %s", w.acquire, w.expiration)
		}
		return nil
	})
}

// bindMergeAbove binds the number of followers above which posts are merged into timelines when these are read.
func (c *Config) bindMergeAbove(n *int) {
	c.Bind(Setting{Flag: "merge-above", Variable: "INKFEED_MERGE_ABOVE", Default: "10000", Group: GroupWorkers,
		Usage: "add a new post to the timelines of up to this `number` of followers of its author, or a hundredth of " +
			"it for a tag; with more, merge it in when they read (docs/data-model.md has the costs)",
		Parse: func(text string) (err error) {
			if *n, err = strconv.Atoi(text); err != nil || *n < 0 {
				return fmt.Errorf("%q is not a number of followers", text)
			}
			return nil
		}})
}

// Workers returns the options of the processors of this process.
func (c *Config) Workers(logger *slog.Logger) changefeed.Options {
	return changefeed.Options{Instance: c.instance(), AcquireInterval: c.intervals.acquire,
		RenewInterval: c.intervals.renew, Expiration: c.intervals.expiration, PollInterval: c.intervals.poll,
		Logger: logger}
}

// instance returns the name of this process as an owner of leases. On the embedded engine, which serves one process,
// the name is fixed, so that a restarted process owns its former leases at once and does not wait until they expire.
func (c *Config) instance() string {
	if c.Embedded() {
		return "embedded"
	}
	return c.processName()
}

// processName returns a name that no other process has, former ones included. It is always the same for one Config.
func (c *Config) processName() string {
	if c.process == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "unknown"
		}
		c.process = fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()[:8])
	}
	return c.process
}
