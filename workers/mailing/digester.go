package mailing

import (
	"context"
	"log/slog"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/workers/loop"
)

// Times of digests.
const (
	digestHour = 7           // on the clock of the zone
	digestDay  = time.Monday // of weekly digests
	// settling is how long after that digests are made: until then the storage knows what was told before.
	settling = 2 * time.Minute
	// digestPoll is the time between two looks at the zones. A look costs some 3 RU.
	digestPoll = 5 * time.Minute
)

// Zones stores the time zones of subscribers, and until when digests were made in them.
type Zones interface {
	Zones(ctx context.Context) ([]subscription.Zone, error)
	// AdvanceZone stores a zone. It reports false if the zone has changed since it was read.
	AdvanceZone(ctx context.Context, z subscription.Zone) (bool, error)
}

// Digester stores the deliveries of digests when these are due. Every instance of the program runs one. They store the
// same delivery, and only the first one counts.
type Digester struct {
	Zones      Zones
	Deliveries interface {
		Put(ctx context.Context, list ...domain.Delivery) error
	}
	// Location returns the location of a zone. An empty name is the zone of the site.
	Location func(name string) *time.Location
	Logger   *slog.Logger
}

// Run stores deliveries of digests until the context ends.
func (g *Digester) Run(ctx context.Context) {
	failures := loop.NewFailureLog(g.Logger, "cannot prepare digests")
	for ctx.Err() == nil {
		if err := g.turn(ctx); err == nil {
			failures.Succeeded()
		} else if ctx.Err() == nil {
			failures.Failed(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(digestPoll):
		}
	}
}

// turn stores the deliveries that are due.
func (g *Digester) turn(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	zones, err := g.Zones.Zones(ctx)
	for _, zone := range zones {
		run, due := DueDigests(zone, g.Location(zone.Name), time.Now())
		if !due {
			continue
		}
		// If the process dies before the zone is advanced, the same delivery is stored again, which changes nothing.
		if err := g.Deliveries.Put(ctx, subscription.DigestDelivery(run, time.Now())); err != nil {
			return err
		}
		zone.Daily = run.Until
		if !run.Weekly.IsZero() {
			zone.Weekly = run.Until
		}
		if _, err := g.Zones.AdvanceZone(ctx, zone); err != nil {
			return err
		}
	}
	return err
}

// DueDigests returns the digests of a zone that are due at a time. They begin where the last ones ended and end at the
// last due instant. So digests that were missed, however many, are made up by one.
func DueDigests(zone subscription.Zone, location *time.Location, now time.Time) (run subscription.DigestRun, due bool) {
	now = now.Add(-settling)
	run = subscription.DigestRun{Zone: zone.Name, Daily: zone.Daily, Until: lastDue(now, location, false)}
	if lastDue(now, location, true).After(zone.Weekly) {
		run.Weekly = zone.Weekly
	}
	return run, run.Until.After(zone.Daily)
}

// lastDue returns the last instant until a time at which digests are due: one on each day, or weekly. If the clock
// skips it, it is an hour earlier or later; if the clock repeats it, it is one of the two.
func lastDue(now time.Time, location *time.Location, weekly bool) time.Time {
	year, month, day := now.In(location).Date()
	for ; ; day-- {
		at := time.Date(year, month, day, digestHour, 0, 0, 0, location)
		onDay := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Weekday() == digestDay
		if !at.After(now) && (onDay || !weekly) {
			return at.UTC()
		}
	}
}
