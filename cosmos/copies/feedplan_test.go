package copies

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

func feedPost(minute, version int) domain.Summary {
	return domain.Summary{PostID: fmt.Sprintf("p%03d", minute), Version: version,
		Created: time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC)}
}

// carryOut applies a plan to rows in the same way as the transaction.
func carryOut(rows []FeedRow, p feedPlan) []FeedRow {
	after := map[string]FeedRow{}
	for _, row := range rows {
		after[row.ID] = row
	}
	for _, row := range p.remove {
		delete(after, row.ID)
	}
	put := func(i PostCopy) {
		after[i.ID] = FeedRow{ID: i.ID, CreationDate: i.CreationDate, Version: i.Version,
			DeletionDate: i.DeletionDate, Withdrawn: i.Withdrawn, Refill: i.Refill}
	}
	for _, r := range p.replace {
		put(r.by)
	}
	for _, s := range p.create {
		put(s)
	}
	var list []FeedRow
	for _, row := range after {
		list = append(list, row)
	}
	return list
}

func TestPlanFeed(t *testing.T) {
	rows := func(minutes ...int) (list []FeedRow) {
		for _, m := range minutes {
			s := feedPost(m, 2)
			list = append(list, FeedRow{ID: s.PostID, CreationDate: schema.Instant(s.Created), Version: 2})
		}
		return list
	}
	t.Run("a row of the same or a newer version needs no change", func(t *testing.T) {
		if plan := planFeed(rows(1, 2), []domain.Summary{feedPost(1, 2), feedPost(2, 1)}, 3); !plan.empty() ||
			plan.touch != nil {
			t.Errorf("%+v", plan)
		}
	})
	t.Run("a changed count replaces its row alone", func(t *testing.T) {
		plan := planFeed(rows(1, 2), []domain.Summary{feedPost(1, 3)}, 3)
		if len(plan.replace) != 1 || len(plan.create)+len(plan.remove) != 0 || plan.touch != nil {
			t.Errorf("%+v", plan)
		}
	})
	t.Run("a new post displaces the oldest and touches the newest", func(t *testing.T) {
		plan := planFeed(rows(3, 1, 2), []domain.Summary{feedPost(4, 1)}, 3)
		if len(plan.create) != 1 || len(plan.remove) != 1 || plan.remove[0].ID != "p001" ||
			plan.touch == nil || plan.touch.ID != "p003" {
			t.Errorf("%+v", plan)
		}
	})
	t.Run("the newest is not touched twice", func(t *testing.T) {
		plan := planFeed(rows(3, 1, 2), []domain.Summary{feedPost(4, 1), feedPost(3, 9)}, 3)
		if plan.touch != nil || len(plan.replace) != 1 {
			t.Errorf("%+v", plan)
		}
	})
	t.Run("an older post finds no room in a full feed", func(t *testing.T) {
		if plan := planFeed(rows(3, 1, 2), []domain.Summary{feedPost(0, 1)}, 3); !plan.empty() {
			t.Errorf("%+v", plan)
		}
	})
	gone := func(minute, version int, ago time.Duration) domain.Summary {
		s := feedPost(minute, version)
		s.Deleted = time.Now().Add(-ago)
		return s
	}
	t.Run("a deleted post becomes a tombstone that waits for the feed to be refilled", func(t *testing.T) {
		plan := planFeed(rows(1, 2, 3), []domain.Summary{gone(2, 3, 0)}, 3)
		if len(plan.replace) != 1 || plan.final || plan.touch == nil || plan.touch.ID != "p003" {
			t.Fatalf("%+v", plan)
		}
		if by := plan.replace[0].by; by.ID != "p002" || !by.Refill || by.TTL != schema.Forever ||
			by.DeletionDate == nil || !time.Time(by.CreationDate).IsZero() {
			t.Errorf("%+v", by)
		}
	})
	t.Run("a deleted post without a row leaves no tombstone, but fails its concurrent addition", func(t *testing.T) {
		plan := planFeed(rows(1, 3, 4), []domain.Summary{gone(2, 3, 0)}, 3)
		if plan.empty() || plan.size() != 0 || plan.touch == nil || plan.touch.ID != "p004" || !plan.final {
			t.Errorf("%+v", plan)
		}
	})
	t.Run("a deleted post that is older than all rows of a full feed needs no change", func(t *testing.T) {
		if plan := planFeed(rows(1, 2, 3), []domain.Summary{gone(0, 3, 0)}, 3); !plan.empty() {
			t.Errorf("%+v", plan)
		}
	})
	t.Run("a deleted post may have been the next in line of a feed that is not full", func(t *testing.T) {
		have := rows(1, 2)
		for range 2 { // the second time, the tombstone without a post exists
			plan := planFeed(have, []domain.Summary{gone(0, 3, 2*domain.TombstoneTime), gone(3, 3, 0)}, 3)
			if plan.size() != 1 || plan.touch == nil || plan.final {
				t.Errorf("%+v", plan)
			}
			have = carryOut(have, plan)
			if waiting := FeedRows(have).waiting(); len(have) != 3 || len(waiting) != 1 || waiting[0].ID != noPost {
				t.Errorf("%+v", have)
			}
		}
	})
	t.Run("the tombstone of a deleted post is final", func(t *testing.T) {
		have := carryOut(rows(1, 2, 3), planFeed(rows(1, 2, 3), []domain.Summary{gone(2, 3, 0)}, 3))
		if plan := planFeed(have, []domain.Summary{feedPost(2, 1), feedPost(2, 9), gone(2, 10, 0)}, 3); !plan.empty() {
			t.Errorf("%+v", plan)
		}
	})
	withdrawn := func(minute, version int) domain.Summary {
		s := feedPost(minute, version)
		s.Status = domain.Unlisted
		return s
	}
	t.Run("a withdrawn post becomes a tombstone from which only a later version returns", func(t *testing.T) {
		have := carryOut(rows(1, 2, 3), planFeed(rows(1, 2, 3), []domain.Summary{withdrawn(2, 3)}, 3))
		if waiting := FeedRows(have).waiting(); len(waiting) != 1 || waiting[0].ID != "p002" || !waiting[0].Withdrawn {
			t.Fatalf("%+v", have)
		}
		for _, s := range []domain.Summary{feedPost(2, 1), feedPost(2, 3), withdrawn(2, 3)} {
			if plan := planFeed(have, []domain.Summary{s}, 3); !plan.empty() {
				t.Errorf("version %d: %+v", s.Version, plan)
			}
		}
		plan := planFeed(have, []domain.Summary{feedPost(2, 4)}, 3)
		if len(plan.replace) != 1 || plan.replace[0].by.DeletionDate != nil || plan.touch == nil ||
			!slices.Equal(plan.joining, []string{"p002"}) {
			t.Errorf("%+v", plan)
		}
		if back := FeedRows(carryOut(have, plan)); len(back.Live()) != 3 || len(back) != 3 {
			t.Errorf("%+v", back)
		}
	})
	t.Run("an earlier unlisted version does not withdraw the post", func(t *testing.T) {
		if plan := planFeed(rows(1, 2), []domain.Summary{withdrawn(2, 1), withdrawn(1, 2)}, 3); !plan.empty() {
			t.Errorf("%+v", plan)
		}
	})
	t.Run("a post that was listed and withdrawn in between gets a newer tombstone", func(t *testing.T) {
		have := carryOut(rows(1, 2, 3), planFeed(rows(1, 2, 3), []domain.Summary{withdrawn(2, 3)}, 3))
		gone := gone(2, 9, 0)
		for _, s := range []domain.Summary{withdrawn(2, 9), gone} {
			then := carryOut(have, planFeed(have, []domain.Summary{s}, 3))
			if plan := planFeed(then, []domain.Summary{feedPost(2, 8)}, 3); !plan.empty() {
				t.Errorf("the version in between is planned as %+v", plan)
			}
			again := planFeed(then, []domain.Summary{feedPost(2, 10)}, 3)
			if back := len(again.joining) == 1; back != s.Deleted.IsZero() {
				t.Errorf("deleted %t, returns %t", !s.Deleted.IsZero(), back)
			}
		}
	})
	t.Run("an old post that is listed again finds no place in a full feed and keeps its tombstone", func(t *testing.T) {
		have := carryOut(rows(1, 2, 3), planFeed(rows(1, 2, 3), []domain.Summary{withdrawn(1, 3)}, 3))
		have = carryOut(have, planFeed(have, []domain.Summary{feedPost(4, 1)}, 3))
		if plan := planFeed(have, []domain.Summary{feedPost(1, 4)}, 3); !plan.empty() {
			t.Errorf("%+v", plan)
		}
	})
	t.Run("a post below all others joins only if it is next in line", func(t *testing.T) {
		plan := planFeed(rows(5, 6), []domain.Summary{feedPost(4, 1), feedPost(7, 1)}, 5)
		if len(plan.belowAll) != 1 || !plan.belowAll["p004"] {
			t.Errorf("%+v", plan)
		}
		// Otherwise the posts without a place would join after the first one.
		plan = planFeed(rows(5, 6), []domain.Summary{feedPost(2, 1), feedPost(3, 1), feedPost(4, 1)}, 3)
		if len(plan.create) != 1 || len(plan.belowAll) != 3 {
			t.Errorf("%+v", plan)
		}
		if plan := planFeed(rows(5, 6), []domain.Summary{feedPost(4, 1)}, 2); len(plan.belowAll) != 0 {
			t.Errorf("%+v", plan)
		}
	})
	t.Run("random changes leave exactly the newest posts", func(t *testing.T) {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 1))
		var have []FeedRow
		versions := map[int]int{}
		for step := range 300 {
			var changed []domain.Summary
			for range 1 + random.IntN(5) {
				m := random.IntN(40)
				versions[m]++
				changed = slices.DeleteFunc(changed,
					func(s domain.Summary) bool { return s.PostID == feedPost(m, 0).PostID })
				changed = append(changed, feedPost(m, versions[m]))
			}
			have = carryOut(have, planFeed(have, changed, 10))
			minutes := slices.Collect(func(yield func(int) bool) {
				for m := range versions {
					if !yield(m) {
						return
					}
				}
			})
			slices.Sort(minutes)
			slices.Reverse(minutes)
			want := map[string]bool{}
			for _, m := range minutes[:min(10, len(minutes))] {
				want[feedPost(m, 0).PostID] = true
			}
			if len(have) != len(want) {
				t.Fatalf("seed %d, step %d: %d rows, want %d", seed, step, len(have), len(want))
			}
			for _, row := range have {
				if !want[row.ID] {
					t.Fatalf("seed %d, step %d: %s is not among the newest", seed, step, row.ID)
				}
			}
		}
	})
}
