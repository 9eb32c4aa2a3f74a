package schedule

import (
	"context"
	"log/slog"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// outcome is the result of an attempt at an item.
type outcome int

const (
	failed      outcome = iota // the item will be tried again
	nothingToDo                // at present; the item stays until it is stale
	itemDone                   // the item is deleted
)

// handle runs the task for an item, or abandons the item, and then deletes it. An item that stays gets a time for the
// next attempt, so that it does not delay others.
func (s *Scheduler) handle(ctx context.Context, item domain.ScheduledItem, f *failure) outcome {
	log := s.options.Logger.With("user", item.UserID, "scheduled", item.At)
	if item.PostID != "" {
		log = log.With("post", item.PostID)
	}
	err := s.attempt(ctx, item)
	f.next = time.Now().Add(f.pause.NextBackOff())
	switch {
	case err == nil:
		late := time.Since(item.At)
		s.task.metrics.late.Observe(late.Seconds())
		log.Info("scheduled item done", "late", late.Round(time.Millisecond))
	case domain.Is(err, domain.NotFound):
		if stale := item.At.Add(staleTime); time.Now().Before(stale) {
			if f.next.After(stale) {
				f.next = stale
			}
			return nothingToDo
		}
		log.Debug("scheduled item dropped: there is nothing to do at its time", "error", err)
	case domain.Is(err, domain.Unavailable):
		return s.retryLater(log, err)
	default:
		if domain.Is(err, domain.Internal) {
			if f.attempts++; f.attempts < maxAttempts {
				return s.retryLater(log, err)
			}
		}
		if abandonErr := s.task.Abandon(ctx, item, domain.Reason(err).Stored()); abandonErr != nil {
			return s.retryLater(log, abandonErr)
		}
		s.task.metrics.abandoned.Inc()
		log.Warn("scheduled item abandoned", "error", err)
	}
	if err := s.task.Items.Done(ctx, item); err != nil {
		return s.retryLater(log, err)
	}
	return itemDone
}

// attempt runs the task once. It turns a panic into an error, and ends an attempt that gets no answer.
func (s *Scheduler) attempt(ctx context.Context, item domain.ScheduledItem) (err error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	defer loop.Rescue(&err)
	return s.task.Run(ctx, item)
}

func (s *Scheduler) retryLater(log *slog.Logger, err error) outcome {
	s.task.metrics.retries.Inc()
	log.Info("scheduled item failed, trying again", "error", err)
	return failed
}
