package fanout

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"inkfeed/domain"
	"inkfeed/workers/delivery"
)

// Store stores follows and timelines.
type Store interface {
	Followers(ctx context.Context, source domain.Source) (domain.Followers, error)
	// Merge makes a source one whose posts are merged into timelines when these are read.
	Merge(ctx context.Context, source domain.Source) error
	// Refresh makes later calls of FollowersAfter and FormerBetween complete: without it they may not know what other
	// processes have stored until now.
	Refresh(ctx context.Context, source domain.Source) error
	// FollowersAfter lists followers after a place, the earliest first, and returns the place of the last.
	FollowersAfter(ctx context.Context, source domain.Source, after domain.Place, limit int) (ids []string,
		last domain.Place, err error)
	// FormerBetween lists users who have ceased to follow since a time, and who had a place between two places.
	FormerBetween(ctx context.Context, source domain.Source, after, to domain.Place, since time.Time) ([]string, error)
	// AddEntry and RemoveEntry can be repeated.
	AddEntry(ctx context.Context, followers []string, e domain.TimelineEntry) error
	RemoveEntry(ctx context.Context, former []string, e domain.TimelineEntry) error
}

// Options tunes a Fanout. Zero values mean the defaults.
type Options struct {
	// MergeAbove is the number of followers above which an author is merged into timelines when these are read. For a
	// tag it is a hundredth of that. It has no default.
	MergeAbove int
	// Step is the number of followers after which the position is stored: 1,000.
	Step int
	// Rest returns how long to rest after work that took some time. Nil: not at all.
	Rest    func(took time.Duration) time.Duration
	Entries prometheus.Counter // counts entries; nil: not counted
	Logger  *slog.Logger       // nil discards
}

// Fanout adds posts to timelines.
type Fanout struct {
	store     Store
	positions delivery.Positions
	options   Options
}

// New returns a Fanout.
func New(store Store, positions delivery.Positions, o Options) *Fanout {
	if o.Step == 0 {
		o.Step = 1000
	}
	if o.Rest == nil {
		o.Rest = func(time.Duration) time.Duration { return 0 }
	}
	if o.Entries == nil {
		o.Entries = NewCounter(nil)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Fanout{store, positions, o}
}

// NewCounter returns the counter of entries and registers it with r, unless r is nil.
func NewCounter(r prometheus.Registerer) prometheus.Counter {
	return promauto.With(r).NewCounter(prometheus.CounterOpts{Name: "inkfeed_timelines_entries_total",
		Help: "Posts that were added to the timeline of a follower."})
}

// Limits of the destinations to which one process delivers at the same time.
const (
	maxSmall = 4
	maxLarge = 1
)

// Route implements delivery.Transport. Large fan-outs have a lane of their own, so that they do not delay small ones.
func (f *Fanout) Route(destination string) delivery.Route {
	r := delivery.Route{Host: "timelines", Lane: "small", Limit: maxSmall}
	if strings.HasPrefix(destination, domain.TimelinesPrefix+"large:") {
		r.Lane, r.Limit = "large", maxLarge
	}
	return r
}

// Open implements delivery.Transport.
func (f *Fanout) Open(context.Context, string) (delivery.Session, error) { return f, nil }

// Close implements delivery.Session.
func (f *Fanout) Close() {}

// mergePrefix begins the position of a delivery that does not add a post, but makes the source a merged one.
const mergePrefix = "merge "

// Deliver implements delivery.Session. It works in steps, and stores its position after each, so that another process
// can go on. Memory does not depend on the number of followers.
func (f *Fanout) Deliver(ctx context.Context, d domain.Delivery, done func()) error {
	if d.News == nil {
		return &domain.DeliveryError{Fault: domain.Refused, Answer: "It names no post."}
	}
	n := *d.News
	if time.Since(n.Created) > domain.TimelineTime {
		return &domain.Error{Kind: domain.NotFound} // nothing to do
	}
	position, merging := strings.CutPrefix(d.Position, mergePrefix)
	if d.Position == "" {
		followers, err := f.store.Followers(ctx, n.Source)
		switch {
		case err != nil:
			return err
		case followers.Merged:
			done()
			return nil
		}
		if merging = followers.Count > f.threshold(n.Source); merging {
			d.Position = mergePrefix // before the source is merged, because then nothing would go on after a crash
			if err := delivery.Advance(ctx, f.positions, d); err != nil {
				return err
			}
			f.options.Logger.InfoContext(ctx, "posts are merged into timelines from now on", "author",
				n.Source.AuthorID, "tag", n.Source.Tag, "followers", followers.Count)
		}
	}
	if position == "" {
		if merging {
			if err := f.store.Merge(ctx, n.Source); err != nil {
				return err
			}
		}
		if err := f.store.Refresh(ctx, n.Source); err != nil {
			return err
		}
	}
	if merging {
		n = domain.TimelineEntry{Source: n.Source}
	}
	for place := domain.Place(position); ; {
		last, err := delivery.Repeat(ctx, func() (domain.Place, error) { return f.step(ctx, n, place, d.Created) })
		if err != nil {
			return fmt.Errorf("add a post to timelines: %w", err)
		}
		if last == "" {
			break
		}
		place = last
		if d.Position = string(place); merging {
			d.Position = mergePrefix + d.Position
		}
		if err := delivery.Advance(ctx, f.positions, d); err != nil {
			return err
		}
	}
	done()
	return nil
}

// tagShare is the part of the threshold that applies to tags. Everyone can write posts with ten tags that others
// follow, so each of them may cause much less work than a post of an author with as many followers.
const tagShare = 100

// threshold is the number of followers above which a source is merged.
func (f *Fanout) threshold(s domain.Source) int {
	if s.Tag != "" {
		return max(1, f.options.MergeAbove/tagShare)
	}
	return f.options.MergeAbove
}

// chunk is the number of entries after which a fan-out rests, so that it holds up page requests for milliseconds only.
const chunk = 64

// clockMargin is the maximum difference that is assumed between the clocks of two servers.
const clockMargin = time.Minute

// step adds an entry to the timelines of the followers after a place, and returns the place of the last one. It returns
// an empty place if there are none.
func (f *Fanout) step(ctx context.Context, e domain.TimelineEntry, after domain.Place, since time.Time) (domain.Place,
	error) {
	followers, last, err := f.store.FollowersAfter(ctx, e.Source, after, f.options.Step)
	if err != nil {
		return "", err
	}
	for some := range slices.Chunk(followers, chunk) {
		began := time.Now()
		if err := f.store.AddEntry(ctx, some, e); err != nil {
			return "", err
		}
		f.options.Entries.Add(float64(len(some)))
		delivery.Rest(ctx, f.options.Rest(time.Since(began)))
	}
	// A follower may have left after the list was read, in this attempt or an earlier one, and the users projector may
	// have cleaned the timeline before the post was added. From now on it would find the post.
	if err := f.store.Refresh(ctx, e.Source); err != nil {
		return "", err
	}
	former, err := f.store.FormerBetween(ctx, e.Source, after, last, since.Add(-clockMargin))
	if err != nil {
		return "", err
	}
	return last, f.store.RemoveEntry(ctx, former, e)
}
