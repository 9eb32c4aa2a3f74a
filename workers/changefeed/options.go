package changefeed

import (
	"log/slog"
	"time"

	"inkfeed/workers/loop"
)

// Options tunes a processor. Zero values mean the defaults. Where the .NET SDK's processor has the same option, the
// default is the same.
type Options struct {
	// Instance names this process among those that share the leases. A process that starts under the name of one that
	// died takes its leases at once.
	Instance        string
	AcquireInterval time.Duration // time between two rounds of balancing the leases: 13 s
	// Expiration is the time after the last renewal of a lease at which its owner stops, and others may take it: 60 s.
	// If the clocks of instances differ by more than Expiration less RenewInterval, they take each other's leases.
	Expiration    time.Duration
	RenewInterval time.Duration // time between two renewals of an owned lease: 17 s
	PollInterval  time.Duration // the wait at the end of the feed: 5 s; shorter after Wake
	// Pause is the minimum wait at the end of a range, however often the processor is woken: 100 ms. So a burst of
	// writes costs one read of the feed, and one write of each copy. A write after a longer silence is read at once.
	// The wait is longer after a reading that took long: see pauseAfter.
	Pause time.Duration
	// Activity lets a processor rest while the instance is idle: it releases its leases. Nil: it never rests.
	Activity *loop.Activity
	PageSize int // the maximum number of changes in one read: 500
	// MaxAttempts is the number of attempts at a page, and then at each of its changes, before the change becomes a
	// dead letter: 5. Attempts that fail because the storage is unavailable do not count.
	MaxAttempts int
	// ProjectTimeout cancels an attempt to project, so that one whose answer never comes is repeated: 5 min. Whether a
	// cancelled attempt counts depends on the kind of its error. So a projector that takes longer, and continues where
	// it stopped, succeeds in the end.
	ProjectTimeout time.Duration
	Metrics        *Metrics          // nil records nothing
	Tracing        *Tracing          // nil makes no spans
	OnProjected    func(changes int) // called after the projection of each page; may be nil
	Logger         *slog.Logger      // nil discards
}

func (o Options) withDefaults() Options {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&o.AcquireInterval, 13*time.Second)
	set(&o.Expiration, 60*time.Second)
	set(&o.RenewInterval, 17*time.Second)
	set(&o.PollInterval, 5*time.Second)
	set(&o.Pause, 100*time.Millisecond)
	set(&o.ProjectTimeout, 5*time.Minute)
	if o.PageSize == 0 {
		o.PageSize = 500
	}
	if o.MaxAttempts == 0 {
		o.MaxAttempts = 5
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(nil)
	}
	if o.OnProjected == nil {
		o.OnProjected = func(int) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// pauseAfter returns the wait after a reading and projection that took so long: three times as long, so that the
// projection of a lasting burst takes at most a quarter of the time, but at most four pauses, which bounds how much
// the wait delays copies.
func (o Options) pauseAfter(worked time.Duration) time.Duration {
	return min(max(o.Pause, 3*worked), 4*o.Pause)
}
