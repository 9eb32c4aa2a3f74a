package config

import (
	"crypto/rand"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"time"

	"inkfeed/workers/changefeed"
)

// intervals are the times that the workers of this process keep.
type intervals struct {
	acquire, renew, expiration, poll time.Duration
}

// ObeyIntervals registers the workers' intervals, for commands that run
// workers. Processes that share leases should agree on them.
func (c *Config) ObeyIntervals(flags *flag.FlagSet) {
	w := &c.intervals
	c.obeyDuration(flags, &w.acquire, "lease-acquire", "INKFEED_LEASE_ACQUIRE", "13s", "look this often which leases to take")
	c.obeyDuration(flags, &w.renew, "lease-renew", "INKFEED_LEASE_RENEW", "17s", "renew leases this often; at most half of their expiration")
	c.obeyDuration(flags, &w.expiration, "lease-expiration", "INKFEED_LEASE_EXPIRATION", "60s", "others take a lease that was not renewed for so long")
	c.obeyDuration(flags, &w.poll, "poll", "INKFEED_POLL", "500ms", "read a drained change feed this often for what other processes write")
	c.Checking(func() error {
		switch {
		case w.renew > w.expiration/2:
			return fmt.Errorf("--lease-renew or INKFEED_LEASE_RENEW: %s is more than half of --lease-expiration or INKFEED_LEASE_EXPIRATION, %s: one late renewal would lose the lease", w.renew, w.expiration)
		case w.acquire >= w.expiration:
			return fmt.Errorf("--lease-acquire or INKFEED_LEASE_ACQUIRE: %s is not less than --lease-expiration or INKFEED_LEASE_EXPIRATION, %s", w.acquire, w.expiration)
		}
		return nil
	})
}

// Workers are the options of the processors of this process.
func (c *Config) Workers(logger *slog.Logger) changefeed.Options {
	return changefeed.Options{Instance: c.instance(), AcquireInterval: c.intervals.acquire, RenewInterval: c.intervals.renew,
		Expiration: c.intervals.expiration, PollInterval: c.intervals.poll, Logger: logger}
}

// instance names this process among those that share the leases. Nobody shares
// the embedded engine's, so a fixed name lets a restart take its own back at
// once instead of waiting for them to expire.
func (c *Config) instance() string {
	if c.Embedded() {
		return "embedded"
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()[:8])
}
