package cosmos

import (
	"context"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// A replica may not have received a write of another process yet, although the write was already copied.
func TestRewritingWaitsForAReplicaThatIsBehind(t *testing.T) {
	inTime(t, func(t *testing.T, store *Store) {
		ctx := t.Context()
		before := domain.Summary{PostID: domain.NewID(), AuthorID: "u", AuthorName: "ada", Title: "Before",
			Created: domain.Timestamp(time.Now()), Version: 4}
		now := before
		now.Title, now.Version = "Now", 5
		deleted := now
		deleted.Deleted, deleted.Version = domain.Timestamp(time.Now()), 6
		if err := store.UserCopies.ApplySummary(ctx, before); err != nil {
			t.Fatal(err)
		}
		last := before
		for _, next := range []domain.Summary{now, deleted} {
			if err := store.UserCopies.ApplySummary(ctx, next); err != nil {
				t.Fatal(err)
			}
			copied, err := client.Read[copies.PostCopy](ctx, store.Container(schema.UsersContainer), "u", next.PostID)
			if err != nil {
				t.Fatal(err)
			}
			asked := 0
			err = store.UserCopies.RewriteSummary(ctx, "u", next.PostID, func(context.Context) (domain.Summary, error) {
				if asked++; asked < 3 {
					return last, nil
				}
				return next, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if after, err := client.Read[copies.PostCopy](ctx, store.Container(schema.UsersContainer), "u",
				next.PostID); err != nil || after.ETag != copied.ETag {
				t.Errorf("the copy of version %d was rewritten: %+v, %v", next.Version, after, err)
			}
			last = next
		}
	})
}

func TestRewritingGivesUpWaiting(t *testing.T) {
	inTime(t, func(t *testing.T, store *Store) {
		s := domain.Summary{PostID: domain.NewID(), AuthorID: "u", Title: "T", Created: domain.Timestamp(time.Now()),
			Version: 5}
		if err := store.UserCopies.ApplySummary(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		s.Version = 4 // the post itself is older than its copy
		began := time.Now()
		source := func(context.Context) (domain.Summary, error) { return s, nil }
		if err := store.UserCopies.RewriteSummary(t.Context(), "u", s.PostID, source); err != nil {
			t.Fatal(err)
		}
		if found, err := client.Read[copies.PostCopy](t.Context(), store.Container(schema.UsersContainer), "u",
			s.PostID); err != nil || found.Version != 4 || time.Since(began) > time.Second {
			t.Errorf("after %v the copy is %+v, %v", time.Since(began), found, err)
		}
	})
}
