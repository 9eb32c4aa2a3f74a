package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/schema"
)

// adaLeaves lets ada's account be deleted in an hour.
func adaLeaves(ctx context.Context, w *world) error {
	_, err := w.Users.ScheduleDeletion(ctx, w.ada.ID, time.Now().Add(time.Hour))
	return err
}

func soundScheduledDeletions() []soundCase {
	return []soundCase{
		{"a user who is leaving", adaLeaves},
		{"one who has changed their mind", after(adaLeaves, func(ctx context.Context, w *world) error {
			return w.Users.CancelDeletion(ctx, w.ada.ID)
		})},
		{"the administrator, who is leaving", after(administer, func(ctx context.Context, w *world) error {
			if _, err := w.Users.SetRole(ctx, w.bob.ID, "administrator"); err != nil {
				return err
			}
			return adaLeaves(ctx, w)
		})},
	}
}

func brokenScheduledDeletions() []brokenCase {
	inEntry := func(path string, value any) worldStep {
		return after(adaLeaves, func(ctx context.Context, w *world) error {
			for e, err := range w.ScheduledDeletions.Upcoming(ctx, time.Now().Add(2*time.Hour)) {
				if err != nil {
					return err
				}
				return w.Container(schema.ScheduleContainer).Patch(ctx, schema.TypeScheduledDeletion, schema.ScheduledDeletionID(e.UserID, e.At), set(path, value))
			}
			return nil
		})
	}
	return []brokenCase{
		{ruleScheduledDeletion, "or nobody would look", "nobody would delete it at ", func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, set("/leavingDate", schema.Instant(time.Now())))
		}},
		{ruleScheduledDeletion, "at a time", "it does not say when", func(ctx context.Context, w *world) error {
			return w.Container(schema.ScheduleContainer).Create(ctx, schema.TypeScheduledDeletion, anyItem{"id": "x", "type": schema.TypeScheduledDeletion, "userId": "x"})
		}},
		{ruleIDs, "of a departure", "it is of x at ", inEntry("/userId", "x")},
		{ruleExpiry, "a departure", "schedule item", inEntry("/ttl", 3600)},
	}
}
