package changefeed

import (
	"log/slog"
	"time"
)

// Options tunes a processor. Zero values mean the defaults, which are those of the
// .NET SDK's processor where it has them.
type Options struct {
	// Instance names this process among those that share the leases. A process
	// that starts under the name of one that died takes its leases at once.
	Instance        string
	AcquireInterval time.Duration // how often leases are balanced: 13 s
	// Expiration of a lease that is not renewed: 60 s. The instance that holds it
	// then stops by itself, and others may take it. Clocks of instances that differ
	// by more than Expiration less RenewInterval make them take each other's leases.
	Expiration    time.Duration
	RenewInterval time.Duration // 17 s
	PollInterval  time.Duration // the wait at the end of the feed: 5 s, less after Wake
	// Pause is the least time at the end of a range until it is read again, however often
	// the processor is woken: 100 ms. So a burst of writes costs one read and, of each copy,
	// one write. A write after a silence is read at once.
	Pause    time.Duration
	PageSize int // changes read at once: 500
	// MaxAttempts is how often a page, and then each change of it by itself, is
	// tried before the change becomes a dead letter: 5. Attempts that fail because
	// the storage is unavailable do not count.
	MaxAttempts int
	// ProjectTimeout cuts an attempt at projecting off, so that one that waits for
	// an answer that never comes is made anew: 5 min. It says nothing about the
	// changes: whether the attempt counts depends on the kind of its error, as ever,
	// so work that takes long and resumes where it stopped gets through.
	ProjectTimeout time.Duration
	Metrics        *Metrics          // nil records nothing
	OnProjected    func(changes int) // told of each page after its projection; may be nil
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
