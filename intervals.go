package main

import (
	"errors"
	"flag"
	"fmt"
	"time"
)

// intervals are the times that the workers of this process keep.
type intervals struct {
	acquire, renew, expiration, poll time.Duration
}

// obeyIntervals registers the workers' intervals, for commands that run
// workers. Processes that share leases should agree on them.
func (c *config) obeyIntervals(flags *flag.FlagSet) {
	w := &c.intervals
	c.obeyDuration(flags, &w.acquire, "lease-acquire", "INKFEED_LEASE_ACQUIRE", "13s", "look this often which leases to take")
	c.obeyDuration(flags, &w.renew, "lease-renew", "INKFEED_LEASE_RENEW", "17s", "renew leases this often; at most half of their expiration")
	c.obeyDuration(flags, &w.expiration, "lease-expiration", "INKFEED_LEASE_EXPIRATION", "60s", "others take a lease that was not renewed for so long")
	c.obeyDuration(flags, &w.poll, "poll", "INKFEED_POLL", "1s", "read a drained change feed this often for what other processes write")
	c.checking(func() error {
		switch {
		case w.renew > w.expiration/2:
			return fmt.Errorf("--lease-renew or INKFEED_LEASE_RENEW: %s is more than half of --lease-expiration or INKFEED_LEASE_EXPIRATION, %s: one late renewal would lose the lease", w.renew, w.expiration)
		case w.acquire >= w.expiration:
			return fmt.Errorf("--lease-acquire or INKFEED_LEASE_ACQUIRE: %s is not less than --lease-expiration or INKFEED_LEASE_EXPIRATION, %s", w.acquire, w.expiration)
		}
		return nil
	})
}

// obeyDuration registers one setting that is a positive length of time.
func (c *config) obeyDuration(flags *flag.FlagSet, d *time.Duration, name, variable, otherwise, what string) {
	text := flags.String(name, c.or(variable, otherwise), what+", a `time` such as "+otherwise+" ("+variable+")")
	c.checking(func() error {
		var err error
		if *d, err = time.ParseDuration(*text); err == nil && *d <= 0 {
			err = errors.New("not positive")
		}
		if err != nil {
			return fmt.Errorf("--%s or %s: %q is not a time such as %s", name, variable, *text, otherwise)
		}
		return nil
	})
}
