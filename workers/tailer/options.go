package tailer

import (
	"log/slog"
	"time"

	"inkfeed/workers/loop"
)

// Options tunes a tailer. Zero values mean the defaults.
type Options struct {
	PollInterval time.Duration // the wait at the end of the feed: 5 s; shorter after Wake
	// Pause is the minimum wait at the end of a range, however often the tailer is woken: 200 ms. So a burst of writes
	// costs one read.
	Pause time.Duration
	// ReviewInterval is the time between two checks of the container and its ranges: 13 s.
	ReviewInterval time.Duration
	// KeepInterval is the time between two writes of a mark while there are no changes: 1 min.
	KeepInterval time.Duration
	// Activity makes the intervals loop.IdleInterval while the instance is idle. Nil: they are always those above.
	Activity *loop.Activity
	// MaxBackoff is the longest wait after an error: loop.MaxBackoff.
	MaxBackoff time.Duration
	// AnswerTimeout is the time limit of one read: loop.AnswerTimeout.
	AnswerTimeout time.Duration
	PageSize      int          // the maximum number of changes in one read: 200
	Logger        *slog.Logger // nil discards
}

func (o Options) withDefaults() Options {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&o.PollInterval, 5*time.Second)
	set(&o.Pause, 200*time.Millisecond)
	set(&o.ReviewInterval, 13*time.Second)
	set(&o.KeepInterval, time.Minute)
	set(&o.MaxBackoff, loop.MaxBackoff)
	set(&o.AnswerTimeout, loop.AnswerTimeout)
	if o.PageSize == 0 {
		o.PageSize = 200
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}
