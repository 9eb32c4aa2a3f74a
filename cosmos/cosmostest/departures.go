package cosmostest

import (
	"context"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
)

// departureOf finds the entry of a user who is leaving.
func (s *suite) departureOf(t *testing.T, userID string, at time.Time) (domain.Departure, bool) {
	t.Helper()
	for e, err := range s.Departures.Upcoming(t.Context(), ever()) {
		if check(t, err); e.UserID == userID && e.At.Equal(at) {
			return e, true
		}
	}
	return domain.Departure{}, false
}

// mustLeave lets a user leave and returns the entry of that.
func (s *suite) mustLeave(t *testing.T, user domain.User, at time.Time) domain.Departure {
	t.Helper()
	if got := must[domain.User](t)(s.Users.Leave(t.Context(), user.ID, at)); !got.Leaving.Equal(at) {
		t.Fatalf("leaves at %s, want %s", got.Leaving, at)
	}
	e, ok := s.departureOf(t, user.ID, at)
	if !ok {
		t.Fatal("there is no entry")
	}
	return e
}

// wantThere holds that an account is there as it was, or gone.
func (s *suite) wantThere(t *testing.T, user domain.User, there bool) domain.User {
	t.Helper()
	got, err := s.Users.Account(t.Context(), user.ID)
	if !there {
		wantKind(t, err, domain.NotFound)
		return got
	}
	check(t, err)
	if hash := must[string](t)(s.Users.PasswordHash(t.Context(), user.ID)); hash != "hash of "+user.Username {
		t.Errorf("its password is %q", hash)
	}
	return got
}

func (s *suite) departures(t *testing.T) {
	ctx := t.Context()
	t.Run("is as it was until its time, and then goes", func(t *testing.T) {
		user := s.mustUser(t)
		e := s.mustLeave(t, user, soon())
		if got := must[domain.User](t)(s.Users.ByID(ctx, user.ID)); !got.Leaving.Equal(e.At) {
			t.Errorf("found as %+v", got)
		}
		s.mustPost(t, user, 1)
		s.wantThere(t, user, true)
		for range 2 {
			check(t, s.Users.DeleteLeaving(ctx, e)) // another instance, late
		}
		s.wantThere(t, user, false)
		for range 2 {
			check(t, s.Departures.Done(ctx, e))
		}
		if _, there := s.departureOf(t, user.ID, e.At); there {
			t.Error("the entry is still there")
		}
	})
	t.Run("asked for again keeps its time", func(t *testing.T) {
		user := s.mustUser(t)
		e := s.mustLeave(t, user, soon())
		if got := must[domain.User](t)(s.Users.Leave(ctx, user.ID, soon().Add(time.Hour))); !got.Leaving.Equal(e.At) {
			t.Errorf("leaves at %s", got.Leaving)
		}
	})
	t.Run("kept, it is not deleted, whatever entry is left", func(t *testing.T) {
		user := s.mustUser(t)
		e := s.mustLeave(t, user, soon())
		for range 2 {
			check(t, s.Users.Stay(ctx, user.ID))
		}
		wantKind(t, s.Users.DeleteLeaving(ctx, e), domain.NotFound)
		if got := s.wantThere(t, user, true); !got.Leaving.IsZero() {
			t.Errorf("leaves at %s", got.Leaving)
		}
		later := s.mustLeave(t, user, soon().Add(time.Hour))
		wantKind(t, s.Users.DeleteLeaving(ctx, e), domain.NotFound)
		s.wantThere(t, user, true)
		check(t, s.Users.DeleteLeaving(ctx, later))
		wantKind(t, s.Users.Stay(ctx, user.ID), domain.NotFound)
		s.wantThere(t, user, false)
	})
	t.Run("whoever keeps it at its time comes before it, or is told that it is too late", func(t *testing.T) {
		gone := 0
		for range 20 {
			user := s.mustUser(t)
			e := s.mustLeave(t, user, soon())
			var group sync.WaitGroup
			var stay error
			deleted := make([]error, 3)
			group.Go(func() { stay = s.Users.Stay(ctx, user.ID) })
			for i := range deleted {
				group.Go(func() { deleted[i] = s.Users.DeleteLeaving(ctx, e) })
			}
			group.Wait()
			s.wantThere(t, user, stay == nil)
			if stay != nil {
				gone++
				wantKind(t, stay, domain.NotFound)
			}
			for _, err := range deleted {
				if (err == nil) != (stay != nil) || err != nil && !domain.Is(err, domain.NotFound) {
					t.Errorf("deleted: %v; kept: %v", err, stay)
				}
			}
		}
		t.Logf("%d of 20 were deleted", gone)
	})
	t.Run("suspended meanwhile it goes all the same", func(t *testing.T) {
		user := s.mustUser(t)
		e := s.mustLeave(t, user, soon())
		must[domain.User](t)(s.Users.Suspend(ctx, user.ID, "Spam.", at(1)))
		check(t, s.Users.DeleteLeaving(ctx, e))
		s.wantThere(t, user, false)
	})
	t.Run("of whoever has no password goes, too", func(t *testing.T) {
		user := must[domain.User](t)(domain.NewUser(freshName(), epoch))
		check(t, s.Users.CreateWith(ctx, user, domain.Credentials{Passkeys: []domain.Passkey{{ID: "x", Name: "key"}}}))
		check(t, s.Users.DeleteLeaving(ctx, s.mustLeave(t, user, soon())))
		_, err := s.Users.Account(ctx, user.ID)
		wantKind(t, err, domain.NotFound)
	})
	t.Run("that cannot go stays, and says why until that was seen", func(t *testing.T) {
		user := s.mustUser(t)
		e := s.mustLeave(t, user, soon())
		for i := range 2 {
			if kept := must[bool](t)(s.Users.Keep(ctx, e, "No reason.")); kept != (i == 0) {
				t.Errorf("attempt %d: kept is %t", i, kept)
			}
		}
		if got := s.wantThere(t, user, true); !got.Leaving.IsZero() || got.LeavingProblem != "No reason." {
			t.Errorf("%+v", got)
		}
		wantKind(t, s.Users.DeleteLeaving(ctx, e), domain.NotFound)
		check(t, s.Users.Stay(ctx, user.ID))
		if got := s.wantThere(t, user, true); got.LeavingProblem != "" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("entries come in the order of their times, and none of later", func(t *testing.T) {
		first, second := s.mustUser(t), s.mustUser(t)
		late := s.mustLeave(t, second, soon().Add(time.Minute))
		early := s.mustLeave(t, first, soon())
		var order []string
		for e, err := range s.Departures.Upcoming(ctx, late.At) {
			check(t, err)
			if e.UserID == second.ID {
				t.Error("one of later is listed")
			}
			order = append(order, e.UserID)
		}
		if len(order) == 0 || order[len(order)-1] != early.UserID {
			t.Errorf("listed are %q", order)
		}
	})
	t.Run("put anew is not dropped", func(t *testing.T) {
		user := s.mustUser(t)
		e := s.mustLeave(t, user, soon())
		check(t, s.Departures.Put(ctx, e))
		check(t, s.Departures.Done(ctx, e))
		if _, there := s.departureOf(t, user.ID, e.At); !there {
			t.Error("the entry is gone")
		}
	})
	t.Run("nobody who was never there", func(t *testing.T) {
		_, err := s.Users.Leave(ctx, domain.NewUserID(nil), soon())
		wantKind(t, err, domain.NotFound)
		wantKind(t, s.Users.Stay(ctx, domain.NewUserID(nil)), domain.NotFound)
		wantKind(t, s.Users.DeleteLeaving(ctx, domain.Departure{UserID: domain.NewUserID(nil), At: soon()}),
			domain.NotFound)
		if kept := must[bool](t)(s.Users.Keep(ctx, domain.Departure{UserID: domain.NewUserID(nil), At: soon()},
			"No reason.")); kept {
			t.Error("it was kept")
		}
	})
	t.Run("looking for what is due is a query in one partition", func(t *testing.T) {
		usage := s.cost(t, func(ctx context.Context) error {
			for _, err := range s.Departures.Upcoming(ctx, epoch) {
				return err
			}
			return nil
		})
		if usage.Requests() != 1 {
			t.Errorf("it takes %d requests", usage.Requests())
		}
	})
}
