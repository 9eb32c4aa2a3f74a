package schedule

import (
	"context"
	"slices"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// itemKey identifies an item and its time.
type itemKey struct {
	userID, postID string
	at             int64 // in milliseconds
}

func keyOf(item domain.ScheduledItem) itemKey {
	return itemKey{item.UserID, item.PostID, item.At.UnixMilli()}
}

// failure is what a scheduler remembers of an item that is due and not done.
type failure struct {
	attempts int // those that count towards maxAttempts
	pause    *loop.Backoff
	next     time.Time // when to try again; zero: the item was never tried
}

// due lists the items to try now. Items that were never tried come first, however many others keep failing, and then
// those that have waited longest. It also returns the time of the first item that is not due yet, if it read that far.
// More reports whether there may be more items that were never tried.
func (s *Scheduler) due(ctx context.Context) (due []domain.ScheduledItem, next time.Time, more bool, err error) {
	now := time.Now()
	known := make(map[itemKey]*failure)
	untried := 0
	var reached time.Time
	soon := now.Add(max(s.options.Interval, loop.IdleInterval) + attemptTimeout) // at least until the next turn
	for item, err := range s.task.Items.Upcoming(ctx, soon) {
		if err != nil {
			return nil, time.Time{}, false, err
		}
		if item.At.After(now) {
			next = item.At
			break
		}
		f := s.failures[keyOf(item)]
		if f == nil {
			f = &failure{pause: loop.NewBackoff()}
			untried++
		}
		known[keyOf(item)], reached = f, item.At
		if !f.next.After(now) {
			due = append(due, item)
		}
		if more = untried == turnLimit; more || len(known) == waitingLimit {
			break
		}
	}
	if more {
		s.keepBeyond(reached, known)
	}
	s.failures = known // forgets items that no longer exist
	slices.SortStableFunc(due, func(a, b domain.ScheduledItem) int {
		return known[keyOf(a)].next.Compare(known[keyOf(b)].next)
	})
	return due, next, more, nil
}

// keepBeyond adds to known what the scheduler remembers of items beyond the end of the listing.
func (s *Scheduler) keepBeyond(reached time.Time, known map[itemKey]*failure) {
	for key, f := range s.failures {
		if len(known) == waitingLimit {
			return
		}
		if key.at >= reached.UnixMilli() && known[key] == nil {
			known[key] = f
		}
	}
}
