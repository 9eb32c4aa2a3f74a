package projection

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

// usersProjector returns a projector whose storage is the journal.
func usersProjector(j *journal) *UsersProjector {
	return &UsersProjector{Users: j, Usernames: j, Administrators: j, AccountDeletions: j, Posts: j, Drafts: j,
		ScheduledPosts: j, ScheduledDeletions: deletionJournal{j},
		AccountRows: rowJournal{j}, Continuations: j, Images: j, Deliveries: deliveryJournal{j}, Follows: j, Blocks: j,
		Subscriptions: subscriptionJournal{j},
		Logger:        slog.New(slog.DiscardHandler)}
}

func TestUsersProjector(t *testing.T) {
	project := func(j *journal, users ...domain.User) error {
		p := usersProjector(j)
		var changes []feeds.UserChange
		for _, u := range users {
			changes = append(changes, feeds.UserChange{User: &u})
		}
		return p.Project(t.Context(), changes)
	}
	t.Run("only confirms the name of a new user", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "ada", NameVersion: 1, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm ada")
	})
	t.Run("forwards deliveries before everything else, also in a rebuild", func(t *testing.T) {
		for _, rewrite := range []bool{false, true} {
			j := &journal{own: true}
			p := usersProjector(j)
			p.Rewrite = rewrite
			user := domain.User{ID: "u", Username: "ada", NameVersion: 1, PropagatedVersion: 1,
				ScheduledDeletion: time.Now()}
			err := p.Project(t.Context(), []feeds.UserChange{{User: &user},
				{Outgoing: &domain.Delivery{ID: "d", UserID: "u", Expires: time.Now().Add(time.Minute)}}})
			if err != nil {
				t.Fatal(err)
			}
			if want := []string{"deliver d", "forwarded d of u", "confirm ada"}; !slices.Equal(j.lines[:3], want) {
				t.Errorf("the calls are %q, want %q first", j.lines, want)
			}
		}
	})
	t.Run("keeps an outgoing delivery that could not be stored", func(t *testing.T) {
		j := &journal{own: true, fail: errors.New("throttled")}
		if err := usersProjector(j).Project(t.Context(), []feeds.UserChange{
			{Outgoing: &domain.Delivery{ID: "d", UserID: "u", Expires: time.Now().Add(time.Minute)}}}); err == nil {
			t.Error("no error")
		}
		j.is(t, "deliver d")
	})
	t.Run("forwards the deliveries that an older release has left for a minute", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			j := &journal{}
			if err := usersProjector(j).ForwardLeft(t.Context()); err != nil {
				t.Fatal(err)
			}
			j.is(t, "list those from before 23:59:00", "deliver left", "forwarded left of u",
				"rouse mail:urgent")
		})
		if err := usersProjector(&journal{fail: errors.New("throttled")}).ForwardLeft(t.Context()); err == nil {
			t.Error("no error")
		}
	})
	t.Run("ignores a delivery that has expired", func(t *testing.T) {
		j := &journal{own: true}
		if err := usersProjector(j).Project(t.Context(), []feeds.UserChange{
			{Outgoing: &domain.Delivery{ID: "d", UserID: "u", Expires: time.Now()}}}); err != nil {
			t.Fatal(err)
		}
		j.is(t)
	})
	t.Run("lists an account, or removes its row, after what people wait for", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "ada", NameVersion: 2, PropagatedVersion: 1},
			domain.User{ID: "v", Deleted: time.Now()},
			domain.User{ID: "w", Deleted: time.Now(), Erased: true}); err != nil {
			t.Fatal(err)
		}
		if want := []string{"u", "v"}; !slices.Equal(j.rows, want) {
			t.Errorf("the rows are of %q, want %q", j.rows, want)
		}
		failing := &journal{own: true, failRows: errors.New("throttled")}
		if err := project(failing, domain.User{ID: "u", Username: "ada"}); err == nil {
			t.Error("no error after a failed write")
		}
		failing.is(t, "confirm ada")
	})
	t.Run("settles a change that the list of administrators does not reflect", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "ada", Unsettled: true, NameVersion: 1,
			PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm ada", "settle u")
	})
	t.Run("puts a scheduled deletion into the schedule", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "ada",
			ScheduledDeletion: time.Date(2026, 1, 2, 3, 4, 5, 0,
				time.UTC), NameVersion: 1, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm ada", "schedule the deletion of u at 03:04:05")
		failing := &journal{own: true, fail: errors.New("throttled")}
		if err := project(failing, domain.User{ID: "u", Username: "ada", ScheduledDeletion: time.Now(), NameVersion: 1,
			PropagatedVersion: 1}); err == nil {
			t.Error("no error after a failed write")
		}
	})
	t.Run("propagates a new username, then marks it as propagated", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1},
			domain.User{ID: "u", Username: "cab", NameVersion: 3, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm cab", "suspension of u is false", "propagate cab to the items of u",
			`keep the avatar "" of u`, "u is propagated up to 3")
	})
	t.Run("propagates a display name with the username", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", DisplayName: "Charles", NameVersion: 2,
			PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is false", "propagate bab (Charles) to the items of u",
			`keep the avatar "" of u`, "u is propagated up to 2")
	})
	t.Run("propagates an avatar with the username", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", Avatar: "/b.jpg", NameVersion: 2,
			PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is false", "propagate bab/b.jpg to the items of u",
			`keep the avatar "/b.jpg" of u`, "u is propagated up to 2")
	})
	t.Run("comes back later for a former avatar whose deletion was interrupted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			j := &journal{own: true, avatarsAgain: time.Minute}
			user := domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1}
			if err := project(j, user); err != nil {
				t.Fatal(err)
			}
			j.is(t, "confirm bab", "suspension of u is false", "propagate bab to the items of u",
				`keep the avatar "" of u`, "schedule  of u at "+time.Now().Add(time.Minute).Format(time.TimeOnly))
		})
	})
	t.Run("propagates a suspension with the name", func(t *testing.T) {
		j := &journal{own: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1,
			Suspended: time.Now()}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is true", "propagate bab to the items of u",
			`keep the avatar "" of u`, "u is propagated up to 2")
	})
	t.Run("hides nothing if the suspension has ended meanwhile", func(t *testing.T) {
		j := &journal{own: true, authors: map[string]domain.Author{"u": {Name: "bab"}}}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1,
			Suspended: time.Now()}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is false", "propagate bab to the items of u",
			`keep the avatar "" of u`, "u is propagated up to 2")
	})
	t.Run("propagates to many items step by step", func(t *testing.T) {
		j := &journal{own: true, more: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is false", "again u")
	})
	t.Run("a rebuild propagates what is marked as propagated, in all steps", func(t *testing.T) {
		j := &journal{own: true, suspending: 3, naming: 2}
		p := usersProjector(j)
		p.Rewrite = true
		user := domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 2}
		if err := p.Project(t.Context(), []feeds.UserChange{{User: &user}}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab", "suspension of u is false", "suspension of u is false", "suspension of u is false",
			"propagate bab to the items of u", "suspension of u is false", "propagate bab to the items of u",
			`keep the avatar "" of u`, "u is propagated up to 2")
	})
	t.Run("a rebuild leaves a user who was renamed meanwhile to the live projector", func(t *testing.T) {
		j := &journal{own: true, authors: map[string]domain.Author{"u": {Name: "cab"}}}
		p := usersProjector(j)
		p.Rewrite = true
		user := domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 2}
		if err := p.Project(t.Context(), []feeds.UserChange{{User: &user}}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "confirm bab")
	})
	now := time.Now()
	t.Run("erases what a deleted user wrote, and ignores the name", func(t *testing.T) {
		j := &journal{}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1,
			Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "erase the pictures of u", "erase the follows of u", "erase the lists of u",
			"finish erasure of u")
	})
	t.Run("erases what is personal before it ends many follows", func(t *testing.T) {
		j := &journal{moreFollows: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "erase the pictures of u", "erase the follows of u", "erase the profile of u",
			"again u")
		j = &journal{}
		if err := project(j, domain.User{ID: "u", Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase the follows of u", "erase the lists of u",
			"finish erasure of u")
	})
	t.Run("erases many items step by step", func(t *testing.T) {
		j := &journal{more: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "again u")
	})
	t.Run("erases many pictures step by step", func(t *testing.T) {
		j := &journal{moreImages: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "erase the pictures of u", "again u")
	})
	t.Run("erases many redirects step by step", func(t *testing.T) {
		j := &journal{moreImports: true}
		if err := project(j, domain.User{ID: "u", Username: "bab", Deleted: now}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase what u wrote", "erase the pictures of u", "again u")
	})
	t.Run("does nothing for an erased user", func(t *testing.T) {
		j := &journal{}
		if err := project(j, domain.User{ID: "u", Deleted: now, Erased: true}); err != nil {
			t.Fatal(err)
		}
		j.is(t)
	})
	t.Run("puts the latest time of a scheduled draft into the schedule, and no other draft", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u": {Name: "ada"}, "v": {Name: "bob"}}}
		first := domain.Draft{PostID: "p1", AuthorID: "u", Version: 1, Publish: now.Add(time.Hour), Bytes: 16 << 10}
		moved, new, another := first, first, first
		moved.Publish, new.PostID, new.Publish, another.AuthorID = now.Add(2*time.Hour), "p2", time.Time{}, "v"
		p := usersProjector(j)
		if err := p.Project(t.Context(), []feeds.UserChange{{Draft: &first}, {Draft: &moved}, {Draft: &new},
			{Draft: &another}}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "schedule p1 of u at "+moved.Publish.Format(time.TimeOnly),
			"schedule p1 of v at "+first.Publish.Format(time.TimeOnly))
	})
	t.Run("counts a draft of an earlier release, and one that an earlier release changed", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u": {Name: "ada"}}}
		uncounted := domain.Draft{PostID: "p1", AuthorID: "u", Version: 2}
		grown := domain.Draft{PostID: "p2", AuthorID: "u", Version: 2, Bytes: 16 << 10,
			Content: strings.Repeat("c", 16<<10)}
		page := domain.Draft{PostID: "p.1", AuthorID: domain.SiteUserID, Version: 1}
		for _, d := range []domain.Draft{uncounted, grown, page} {
			if err := usersProjector(j).Project(t.Context(), []feeds.UserChange{{Draft: &d}}); err != nil {
				t.Fatal(err)
			}
		}
		j.is(t, "count draft p1 of u", "count draft p2 of u")
	})
	t.Run("erases a draft of a deleted account", func(t *testing.T) {
		j := &journal{authors: map[string]domain.Author{"u": {Deleted: true}}}
		p := usersProjector(j)
		late := domain.Draft{PostID: "p1", AuthorID: "u", Version: 1, Publish: now}
		if err := p.Project(t.Context(), []feeds.UserChange{{Draft: &late}}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "erase draft p1 of u")
	})
	t.Run("does not mark a failed propagation as done", func(t *testing.T) {
		j := &journal{own: true, fail: errors.New("throttled")}
		if err := project(j, domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1}); err == nil {
			t.Error("no error")
		}
		j.is(t, "confirm bab")
	})
}
