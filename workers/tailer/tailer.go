package tailer

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"inkfeed/domain"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/loop"
)

// Mark is how far a tailer has come in a feed range.
type Mark struct {
	Range        domain.FeedRange
	Continuation string    // empty: at the beginning
	LSN          int64     // of the range when it was read last; 0: not known
	Read         time.Time // when it was read last; zero: never
	// Complete says that the end of the range has been seen: what is made of it is whole.
	Complete bool
}

// Follower is what a tailer reads a change feed for: something that every process
// keeps for itself, such as an index or a cache. It keeps the marks beside what it
// makes of the changes, so that both are lost together or not at all. Its calls come
// one at a time.
//
// After an error the same call comes again, with growing pauses, for as long as it
// takes. ErrLost makes the tailer ask for the marks anew instead.
type Follower[T any] interface {
	// Marks is where to go on, and in which container (its resource id). Without
	// marks all of the feed is read from the beginning, after Begin.
	Marks(ctx context.Context) (container string, marks []Mark, err error)
	// Begin forgets all that was made and every mark.
	Begin(ctx context.Context, container string) error
	// Replace puts marks in the place of those of some ranges, which tile the same part
	// of the feed: a range was split. Without ranges the marks are new.
	Replace(ctx context.Context, ranges []domain.FeedRange, marks []Mark) error
	// Follow makes what it will of changes and keeps the mark of their range, both or
	// neither. A page may come again when the service has merged ranges, and changes
	// of one item may then come in any order. There may be no changes, and only a mark.
	Follow(ctx context.Context, changes []domain.Change[T], m Mark) error
}

// ErrLost is what a Follower returns whose marks are no longer there: it begins anew.
var ErrLost = errors.New("what was made of the change feed is lost")

// Reasons for a tailer to restart, besides ErrLost.
var (
	errRecreated = errors.New("the container was made anew")
	errRestored  = errors.New("the container was put back to an older state")
)

// Feed is what a Tailer needs of a Feed.
type Feed[T any] interface {
	Container(ctx context.Context) (string, error)
	FeedRanges(ctx context.Context) ([]domain.FeedRange, error)
	Read(ctx context.Context, r domain.FeedRange, continuation string, limit int) (domain.ChangePage[T], error)
	Narrow(continuation string, r domain.FeedRange) (string, error)
}

// Options tunes a tailer. Zero values mean the defaults.
type Options struct {
	PollInterval time.Duration // the wait at the end of the feed: 5 s, less after Wake
	// Pause is the least time at the end of a range until it is read again, however often
	// the tailer is woken: 200 ms. So a burst of writes costs one read.
	Pause time.Duration
	// ReviewInterval is how often the container and its ranges are looked at: 13 s.
	ReviewInterval time.Duration
	// KeepInterval is how often a mark is kept when there is nothing else to keep: 1 min.
	KeepInterval time.Duration
	PageSize     int          // changes read at once: 200
	Logger       *slog.Logger // nil discards
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
	if o.PageSize == 0 {
		o.PageSize = 200
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Tailer follows a change feed for this process alone. Unlike a Processor it shares
// nothing with other processes: it has no leases, reads every feed range, and its
// follower keeps where it is.
type Tailer[T any] struct {
	name     string
	feed     Feed[T]
	follower Follower[T]
	options  Options

	following chan struct{} // has an element during a call of the follower

	mu      sync.Mutex
	readers map[domain.FeedRange]*tailReader[T]
	began   time.Time // when Run began, until the readers are there
}

// New makes a tailer. The name is for logs and metrics.
func New[T any](name string, feed Feed[T], follower Follower[T], o Options) *Tailer[T] {
	o = o.withDefaults()
	o.Logger = o.Logger.With("tailer", name)
	return &Tailer[T]{name: name, feed: feed, follower: follower, options: o,
		following: make(chan struct{}, 1), readers: make(map[domain.FeedRange]*tailReader[T])}
}

// Run follows the feed until the context ends, and then finishes the page at hand or
// leaves it. Failures are logged and tried again; they never end Run.
func (t *Tailer[T]) Run(ctx context.Context) {
	t.mu.Lock()
	t.began = time.Now()
	t.mu.Unlock()
	forget := false
	for pause := loop.NewBackoff(); ctx.Err() == nil; {
		reviewed, err := t.live(ctx, forget)
		switch {
		case ctx.Err() != nil:
			return
		case isAnew(err):
			t.options.Logger.Warn("reading the change feed anew", "reason", err)
		default:
			t.options.Logger.Warn("cannot follow the change feed", "error", err)
		}
		forget = errors.Is(err, errRestored) || forget && !reviewed
		if reviewed {
			pause = loop.NewBackoff()
		}
		loop.Wait(ctx, pause)
	}
}

func isAnew(err error) bool {
	return errors.Is(err, errRecreated) || errors.Is(err, errRestored) || errors.Is(err, ErrLost)
}

// live follows one container until it is another one, or its follower lost what it made.
// It begins with nothing when it is to forget what the follower has.
func (t *Tailer[T]) live(ctx context.Context, forget bool) (reviewed bool, err error) {
	container, err := t.begin(ctx, forget)
	if err != nil {
		return false, err
	}
	ctx, end := context.WithCancelCause(ctx)
	defer func() { end(nil); t.stopAll() }()
	for {
		err := t.review(ctx, end, container)
		switch {
		case ctx.Err() != nil:
			return reviewed, context.Cause(ctx)
		case isAnew(err):
			return reviewed, err
		case err != nil:
			t.options.Logger.Warn("cannot look at the feed ranges", "error", err)
		default:
			reviewed = true
		}
		wait := t.options.ReviewInterval
		if !reviewed { // nobody reads yet
			wait = loop.FirstBackoff
		}
		select {
		case <-ctx.Done():
			return reviewed, context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}

// begin makes the follower one of the container that there is, and starts its readers.
func (t *Tailer[T]) begin(ctx context.Context, forget bool) (container string, err error) {
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	kept, marks, err := t.follower.Marks(ctx)
	if err != nil {
		return "", err
	}
	if container, err = t.feed.Container(ctx); err != nil {
		return "", err
	}
	if forget || kept != container || len(marks) == 0 {
		marks = nil
		if err := t.follower.Begin(ctx, container); err != nil {
			return "", err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range marks {
		t.readers[m.Range] = newTailReader(t, m)
	}
	return container, nil
}

// review compares the readers with the ranges that the container has now.
func (t *Tailer[T]) review(ctx context.Context, end context.CancelCauseFunc, container string) error {
	answering, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	current, err := t.feed.Container(answering)
	if err != nil {
		return err
	}
	if current != container {
		return errRecreated
	}
	ranges, err := t.feed.FeedRanges(answering)
	if err != nil {
		return err
	}
	plan := changefeed.PlanLeases(t.asLeases(), ranges, container)
	for _, s := range plan.Split {
		if err := t.split(ctx, s); err != nil {
			return err
		}
	}
	if len(plan.Create) > 0 {
		var marks []Mark
		for _, r := range plan.Create {
			marks = append(marks, Mark{Range: r})
		}
		if err := t.replace(ctx, nil, marks); err != nil {
			return err
		}
	}
	t.startAll(ctx, end)
	return nil
}

// asLeases is what there is to read in the form that the plan knows.
func (t *Tailer[T]) asLeases() []domain.Lease {
	t.mu.Lock()
	defer t.mu.Unlock()
	var leases []domain.Lease
	for r := range t.readers {
		leases = append(leases, domain.Lease{Range: r})
	}
	return leases
}

// split puts the parts of a range in its place, each with the continuation cut to it. A
// continuation that cannot be cut is read on as it is: the SDK follows splits inside.
func (t *Tailer[T]) split(ctx context.Context, s changefeed.LeaseSplit) error {
	t.mu.Lock()
	reader := t.readers[s.Lease.Range]
	t.mu.Unlock()
	reader.stop()
	mark := reader.reached()
	var parts []Mark
	for _, r := range s.Into {
		continuation, err := t.feed.Narrow(mark.Continuation, r)
		if err != nil {
			t.options.Logger.Debug("a range is read on undivided", "range", changefeed.RangeName(mark.Range), "error", err)
			return nil
		}
		// The LSN may be that of one part, and say nothing of the others.
		parts = append(parts, Mark{Range: r, Continuation: continuation, Read: mark.Read, Complete: mark.Complete})
	}
	return t.replace(ctx, []domain.FeedRange{mark.Range}, parts)
}

// replace puts readers in the place of others, which must not run.
func (t *Tailer[T]) replace(ctx context.Context, ranges []domain.FeedRange, marks []Mark) error {
	if err := t.exclusively(ctx, func() error { return t.follower.Replace(ctx, ranges, marks) }); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range ranges {
		delete(t.readers, r)
	}
	for _, m := range marks {
		t.readers[m.Range] = newTailReader(t, m)
	}
	return nil
}

// exclusively makes a call of the follower.
func (t *Tailer[T]) exclusively(ctx context.Context, call func() error) error {
	select {
	case t.following <- struct{}{}:
		defer func() { <-t.following }()
		return call()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *Tailer[T]) startAll(ctx context.Context, end context.CancelCauseFunc) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.readers {
		r.start(ctx, end)
	}
}

func (t *Tailer[T]) stopAll() {
	t.mu.Lock()
	readers := t.readers
	t.readers = make(map[domain.FeedRange]*tailReader[T])
	t.began = time.Now()
	t.mu.Unlock()
	for _, r := range readers {
		r.stop()
	}
}

// Wake makes the tailer look for changes now instead of at its next poll. It never
// blocks.
func (t *Tailer[T]) Wake() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.readers {
		r.wake()
	}
}

// Behind is how far the follower is behind the feed, by what the tailer knows without
// asking: 0 when every range was at its end at its last poll; otherwise the age of the
// last change that was followed, or how long nothing could be read.
func (t *Tailer[T]) Behind() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.readers) == 0 && !t.began.IsZero() {
		return time.Since(t.began)
	}
	var most time.Duration
	for _, r := range t.readers {
		most = max(most, r.behind())
	}
	return most
}

// Current is a time before which every change has been followed: when the last read began of
// the range that was seen to its end longest ago. Zero means that one was not yet.
func (t *Tailer[T]) Current() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	var oldest time.Time
	for _, r := range t.readers {
		at := r.currentAt()
		if at.IsZero() {
			return at
		}
		if oldest.IsZero() || at.Before(oldest) {
			oldest = at
		}
	}
	return oldest
}

// Name returns the tailer's name in logs and metrics.
func (t *Tailer[T]) Name() string { return t.name }

// CatchingUp returns how long the tailer has been reading without having reached the end of every
// feed range. Once it has reached them all, CatchingUp returns 0, however far the tailer falls
// behind later.
func (t *Tailer[T]) CatchingUp() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	complete := len(t.readers) > 0
	for _, r := range t.readers {
		complete = complete && r.reached().Complete
	}
	if complete || t.began.IsZero() {
		return 0
	}
	return time.Since(t.began)
}

// Metrics returns Behind and CatchingUp as Prometheus gauges.
func (t *Tailer[T]) Metrics() []prometheus.Collector {
	gauge := func(name, help string, value func() time.Duration) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: name, Help: help, ConstLabels: prometheus.Labels{"tailer": t.name},
		}, func() float64 { return value().Seconds() })
	}
	return []prometheus.Collector{
		gauge("inkfeed_tailer_behind_seconds",
			"How far this instance's tailer of a change feed is behind; 0 when it is not.", t.Behind),
		gauge("inkfeed_tailer_catching_up_seconds",
			"How long a tailer has been reading without having reached the end of its change feed; 0 once it has.",
			t.CatchingUp),
	}
}

// decoded leaves out what cannot be decoded: an index without one item is better than
// none.
func decoded[T any](changes []domain.Change[T], log *slog.Logger) []domain.Change[T] {
	return slices.DeleteFunc(slices.Clone(changes), func(c domain.Change[T]) bool {
		if c.Err != nil {
			log.Warn("a change is skipped", "item", c.Item.ID, "partition", c.Item.PartitionKey, "error", c.Err)
		}
		return c.Err != nil
	})
}
