package schedule

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// Entries are what is noted to be published: see domain.Scheduled.
type Entries interface {
	// Upcoming lists those of before a time, the earliest first, and reads no further than
	// it is followed. What comes with an error is no entry.
	Upcoming(ctx context.Context, before time.Time) iter.Seq2[domain.Scheduled, error]
	// Done drops one, unless it was noted anew since it was read.
	Done(ctx context.Context, e domain.Scheduled) error
}

// Publisher publishes drafts whose time has come. Several instances may publish the
// same one at once, or finish what another began: there is one post.
type Publisher interface {
	// PublishScheduled answers NotFound when there is nothing to publish at that time,
	// or no longer, and Unavailable when it is to be tried again. Any other error is the
	// draft's own.
	PublishScheduled(ctx context.Context, e domain.Scheduled) (domain.Post, error)
	// PutBack makes it a draft that does not publish itself, and says why.
	PutBack(ctx context.Context, e domain.Scheduled, problem string) error
}

// Scheduler publishes drafts at their time. Each instance runs one: they share no lease,
// for what they do at once they do as if one did it. All look at one partition, again
// and again, and first of all when they start: so what came due while none ran is
// published then, as of its own time.
//
// A draft that cannot be published is put back, with the reason, at once when it breaks a
// rule, and after a few attempts when nobody knows why.
type Scheduler struct {
	entries   Entries
	publisher Publisher
	options   Options
	woken     chan struct{}
	failures  map[entryKey]*failure // those of the entries that were due last
	words     schedulerWords
	metrics   *scheduleMetrics
}

// schedulerWords are what the log says.
type schedulerWords struct{ cannotLook, done, nothing, back, again string }

var postWords = schedulerWords{
	cannotLook: "cannot look for what is to be published",
	done:       "scheduled post published",
	nothing:    "nothing to publish: the draft is gone, or has another time",
	back:       "scheduled post put back as a draft",
	again:      "scheduled post is tried again",
}

// Options tunes a scheduler. Zero values mean the defaults.
type Options struct {
	// Interval is how often it looks for what other instances noted: 2 s. What it knows
	// of already is published when its time comes, and what this instance notes wakes it.
	Interval time.Duration
	Metrics  *Metrics     // nil records nothing
	Logger   *slog.Logger // nil discards
}

const (
	// turnLimit is how many drafts it publishes in one turn.
	turnLimit = 100
	// waitingLimit is how many entries it looks at in one turn, and remembers until the
	// next: those that cannot be published yet must not keep it from what follows.
	waitingLimit = 10_000
	// staleTime is how long after its time an entry stays of which nobody knows anything:
	// a replica may not have heard yet that its draft was scheduled.
	staleTime = time.Minute
	// schedulerAttempts is how often a draft is tried that fails for no reason known.
	schedulerAttempts = 5
	// publishTimeout cuts an attempt off of which no answer comes.
	publishTimeout = time.Minute
)

type entryKey struct {
	authorID, postID string
	at               int64
}

// failure is what is known of a draft that could not be published yet.
type failure struct {
	attempts int // those that count
	pause    *loop.Backoff
	next     time.Time // not tried before; zero if it never was
}

// New makes a scheduler, which does nothing until it runs.
func New(entries Entries, publisher Publisher, o Options) *Scheduler {
	if o.Interval == 0 {
		o.Interval = 2 * time.Second
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics(nil)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Scheduler{entries: entries, publisher: publisher, options: o, woken: make(chan struct{}, 1),
		failures: make(map[entryKey]*failure), words: postWords, metrics: o.Metrics.posts}
}

// Wake makes it look now. It never blocks.
func (s *Scheduler) Wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// Run publishes what comes due until the context ends.
func (s *Scheduler) Run(ctx context.Context) {
	pause := loop.NewBackoff()
	for ctx.Err() == nil {
		wait := s.options.Interval
		next, then, err := s.turn(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			wait = max(wait, pause.Pause())
			s.options.Logger.Warn(s.words.cannotLook, "error", err)
		case then == goOn:
			wait = 0
		case then == rest:
		case !next.IsZero():
			wait = min(wait, max(0, time.Until(next)))
		}
		if err == nil {
			pause = loop.NewBackoff()
		}
		select {
		case <-ctx.Done():
		case <-s.woken:
		case <-time.After(wait):
		}
	}
}

// What follows a turn.
type following int

const (
	await following = iota // for what comes due next
	goOn                   // at once: there may be more that is due now
	rest                   // an interval: of a turn's worth of drafts none was answered for
)

// turn publishes what is due. It tells when the next is that it knows of.
func (s *Scheduler) turn(ctx context.Context) (next time.Time, then following, err error) {
	due, next, more, err := s.due(ctx)
	if err != nil {
		return time.Time{}, await, err
	}
	batch := due[:min(turnLimit, len(due))]
	var answered, gone atomic.Int64
	_ = loop.InParallel(ctx, batch, func(ctx context.Context, e domain.Scheduled) error {
		switch s.handle(ctx, e, s.failures[keyOf(e)]) {
		case entryGone:
			gone.Add(1)
			answered.Add(1)
		case nothingYet:
			answered.Add(1)
		}
		return nil
	})
	switch {
	case len(batch) == turnLimit && answered.Load() == 0:
		return next, rest, nil // more attempts would only add to what the storage has to refuse
	case more, len(due) > turnLimit && gone.Load() > 0:
		return next, goOn, nil
	}
	return next, await, nil
}

// due lists what is to be tried: before all what never was, however much there is that
// cannot be published yet, then what has waited the longest. More says that there may be
// more of the former.
func (s *Scheduler) due(ctx context.Context) (due []domain.Scheduled, next time.Time, more bool, err error) {
	now := time.Now()
	known := make(map[entryKey]*failure)
	untried := 0
	var reached time.Time
	soon := now.Add(s.options.Interval + publishTimeout) // until the next turn, at least
	for e, err := range s.entries.Upcoming(ctx, soon) {
		if err != nil {
			return nil, time.Time{}, false, err
		}
		if e.At.After(now) {
			next = e.At
			break
		}
		f := s.failures[keyOf(e)]
		if f == nil {
			f = &failure{pause: loop.NewBackoff()}
			untried++
		}
		known[keyOf(e)], reached = f, e.At
		if !f.next.After(now) {
			due = append(due, e)
		}
		if more = untried == turnLimit; more || len(known) == waitingLimit {
			break
		}
	}
	if more {
		s.keepBeyond(reached, known)
	}
	s.failures = known // what is no longer there is done
	slices.SortStableFunc(due, func(a, b domain.Scheduled) int {
		return known[keyOf(a)].next.Compare(known[keyOf(b)].next)
	})
	return due, next, more, nil
}

// keepBeyond adds what is known of entries that the listing did not get to.
func (s *Scheduler) keepBeyond(reached time.Time, known map[entryKey]*failure) {
	for key, f := range s.failures {
		if len(known) == waitingLimit {
			return
		}
		if key.at >= reached.UnixMilli() && known[key] == nil {
			known[key] = f
		}
	}
}

func keyOf(e domain.Scheduled) entryKey { return entryKey{e.AuthorID, e.PostID, e.At.UnixMilli()} }

// What became of an attempt.
type outcome int

const (
	triedLater outcome = iota // it failed
	nothingYet                // there is nothing to publish, as far as is known
	entryGone
)

// handle publishes a draft, or puts it back, after which its entry is gone. One that
// stays is tried later, so that it is not in the way of others.
func (s *Scheduler) handle(ctx context.Context, e domain.Scheduled, f *failure) outcome {
	log := s.options.Logger.With("user", e.AuthorID, "scheduled", e.At)
	if e.PostID != "" {
		log = log.With("post", e.PostID)
	}
	err := s.publish(ctx, e)
	f.next = time.Now().Add(f.pause.Pause())
	switch {
	case err == nil:
		late := time.Since(e.At)
		s.metrics.late.Observe(late.Seconds())
		log.Info(s.words.done, "late", late.Round(time.Millisecond))
	case domain.Is(err, domain.NotFound):
		if stale := e.At.Add(staleTime); time.Now().Before(stale) {
			if f.next.After(stale) {
				f.next = stale
			}
			return nothingYet
		}
		log.Debug(s.words.nothing)
	case domain.Is(err, domain.Unavailable):
		return s.later(log, err)
	default:
		if domain.Is(err, domain.Internal) {
			if f.attempts++; f.attempts < schedulerAttempts {
				return s.later(log, err)
			}
		}
		if back := s.publisher.PutBack(ctx, e, domain.Reason(err)); back != nil {
			return s.later(log, back)
		}
		s.metrics.putBack.Inc()
		log.Warn(s.words.back, "error", err)
	}
	if err := s.entries.Done(ctx, e); err != nil {
		return s.later(log, err)
	}
	return entryGone
}

// publish makes a panic, and an answer that never comes, errors like others.
func (s *Scheduler) publish(ctx context.Context, e domain.Scheduled) (err error) {
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	defer loop.Rescue(&err)
	_, err = s.publisher.PublishScheduled(ctx, e)
	return err
}

// later leaves a draft to another turn.
func (s *Scheduler) later(log *slog.Logger, err error) outcome {
	s.metrics.failures.Inc()
	log.Info(s.words.again, "error", err)
	return triedLater
}
