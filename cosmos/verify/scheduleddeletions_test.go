package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// scheduleDeletionOfAda schedules the deletion of ada's account in an hour.
func scheduleDeletionOfAda(ctx context.Context, w *world) error {
	_, err := w.AccountDeletions.ScheduleDeletion(ctx, w.ada.ID, time.Now().Add(time.Hour))
	return err
}

func soundScheduledDeletions() []soundCase {
	return []soundCase{
		{"a user whose deletion is scheduled", scheduleDeletionOfAda},
		{"a user for whom work continues", func(ctx context.Context, w *world) error {
			return w.Continuations.Put(ctx, domain.ScheduledItem{UserID: w.ada.ID, At: time.Now()})
		}},
		{"a user who cancelled the deletion", after(scheduleDeletionOfAda, func(ctx context.Context, w *world) error {
			return w.AccountDeletions.CancelDeletion(ctx, w.ada.ID)
		})},
		{"an administrator whose deletion is scheduled", after(administer, func(ctx context.Context, w *world) error {
			if _, err := w.Accounts.SetRole(ctx, w.bob.ID, "administrator"); err != nil {
				return err
			}
			return scheduleDeletionOfAda(ctx, w)
		})},
	}
}

func brokenScheduledDeletions() []brokenCase {
	inEntry := func(path string, value any) worldStep {
		return after(scheduleDeletionOfAda, func(ctx context.Context, w *world) error {
			for e, err := range w.ScheduledDeletions.Upcoming(ctx, time.Now().Add(2*time.Hour)) {
				if err != nil {
					return err
				}
				return w.Container(schema.ScheduleContainer).Patch(ctx, schema.TypeScheduledDeletion,
					schema.ScheduledDeletionID(e.UserID, e.At), set(path, value))
			}
			return nil
		})
	}
	return []brokenCase{
		{ruleScheduledDeletion, "a scheduled deletion without an entry", "no entry deletes it at ",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID,
					set("/leavingDate", schema.Instant(time.Now())))
			}},
		{ruleScheduledDeletion, "an entry without a time", "the entry has no time",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.ScheduleContainer).Create(ctx, schema.TypeScheduledDeletion,
					anyItem{"id": "x", "type": schema.TypeScheduledDeletion, "userId": "x"})
			}},
		{ruleScheduledDeletion, "a continuation without a time", "the entry has no time",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.ScheduleContainer).Create(ctx, schema.TypeContinuation,
					anyItem{"id": "x", "type": schema.TypeContinuation, "userId": "x"})
			}},
		{ruleIDs, "a continuation with another id", "it is of x",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.ScheduleContainer).Create(ctx, schema.TypeContinuation, anyItem{"id": "y",
					"type": schema.TypeContinuation, "userId": "x", "continuationDate": schema.Instant(time.Now())})
			}},
		{ruleIDs, "an entry with another id", "it is of x at ", inEntry("/userId", "x")},
		{ruleExpiry, "a scheduled deletion", "schedule item", inEntry("/ttl", 3600)},
	}
}
