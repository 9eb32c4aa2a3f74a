package schedule

import (
	"context"
	"iter"
	"time"

	"inkfeed/domain"
)

// Departures are the accounts noted to be deleted: see domain.Departure.
type Departures interface {
	// Upcoming lists those of before a time, the earliest first, and reads no further than
	// it is followed. What comes with an error is no entry.
	Upcoming(ctx context.Context, before time.Time) iter.Seq2[domain.Departure, error]
	// Done drops one, unless it was noted anew since it was read.
	Done(ctx context.Context, e domain.Departure) error
}

// Leavers deletes accounts whose time has come. Several instances may delete the same one at
// once: it goes once, or its user has kept it before.
type Leavers interface {
	// DeleteLeaving answers NotFound when the account stays, or has another time, and
	// Unavailable when it is to be tried again, however often. Any other error says why the
	// account cannot go.
	DeleteLeaving(ctx context.Context, e domain.Departure) error
	// Keep makes it an account that stays, and says why. It reports whether this call did.
	Keep(ctx context.Context, e domain.Departure, problem string) (kept bool, err error)
}

// NewDepartures makes a scheduler that deletes accounts at their time; the users projector
// then takes away what was theirs. Told, if there is one, hears of each account that could not
// go and so stays, and why; it must not block.
func NewDepartures(entries Departures, accounts Leavers, told func(ctx context.Context, userID, problem string), o Options) *Scheduler {
	s := New(departing{entries}, leaving{accounts, told}, o)
	s.words = departureWords
	s.metrics = s.options.Metrics.departures
	return s
}

var departureWords = schedulerWords{
	cannotLook: "cannot look for accounts that are to be deleted",
	done:       "account deleted at its time",
	nothing:    "nothing to delete: the account stays, is gone, or has another time",
	back:       "account not deleted at its time: it stays",
	again:      "account is deleted later",
}

// departing are departures as a scheduler knows entries.
type departing struct{ entries Departures }

func (d departing) Upcoming(ctx context.Context, before time.Time) iter.Seq2[domain.Scheduled, error] {
	return func(yield func(domain.Scheduled, error) bool) {
		for e, err := range d.entries.Upcoming(ctx, before) {
			if !yield(domain.Scheduled{AuthorID: e.UserID, At: e.At, ETag: e.ETag}, err) {
				return
			}
		}
	}
}

func (d departing) Done(ctx context.Context, e domain.Scheduled) error {
	return d.entries.Done(ctx, departureOf(e))
}

func departureOf(e domain.Scheduled) domain.Departure {
	return domain.Departure{UserID: e.AuthorID, At: e.At, ETag: e.ETag}
}

// leaving deletes where a scheduler publishes.
type leaving struct {
	accounts Leavers
	told     func(ctx context.Context, userID, problem string)
}

// PublishScheduled makes what nobody foresaw something to try again: what a user has asked for
// is not given up for a reason that would say nothing to them.
func (l leaving) PublishScheduled(ctx context.Context, e domain.Scheduled) (domain.Post, error) {
	err := l.accounts.DeleteLeaving(ctx, departureOf(e))
	if domain.Is(err, domain.Internal) {
		err = &domain.Error{Kind: domain.Unavailable, Message: "We couldn't delete your account yet.", Err: err}
	}
	return domain.Post{}, err
}

func (l leaving) PutBack(ctx context.Context, e domain.Scheduled, problem string) error {
	kept, err := l.accounts.Keep(ctx, departureOf(e), problem)
	if kept && l.told != nil {
		l.told(ctx, e.AuthorID, problem)
	}
	return err
}
