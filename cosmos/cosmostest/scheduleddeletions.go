package cosmostest

import (
	"context"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
)

// scheduledDeletionOf returns the entry of a scheduled account deletion.
func (s *accountSuite) scheduledDeletionOf(t *testing.T, userID string, at time.Time) (domain.ScheduledItem, bool) {
	t.Helper()
	for e, err := range s.ScheduledDeletions.Upcoming(t.Context(), ever()) {
		if check(t, err); e.UserID == userID && e.At.Equal(at) {
			return e, true
		}
	}
	return domain.ScheduledItem{}, false
}

// mustScheduleDeletion schedules the deletion of an account and returns its entry.
func (s *accountSuite) mustScheduleDeletion(t *testing.T, user domain.User, at time.Time) domain.ScheduledItem {
	t.Helper()
	if got := must[domain.User](t)(s.Users.ScheduleDeletion(t.Context(), user.ID, at)).ScheduledDeletion; !got.Equal(at) {
		t.Fatalf("the deletion is scheduled for %s, want %s", got, at)
	}
	e, ok := s.scheduledDeletionOf(t, user.ID, at)
	if !ok {
		t.Fatal("there is no entry")
	}
	return e
}

// wantThere checks whether an account is unchanged or deleted.
func (s *accountSuite) wantThere(t *testing.T, user domain.User, there bool) domain.User {
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

func (s *accountSuite) scheduledDeletions(t *testing.T) {
	ctx := t.Context()
	t.Run("an account is unchanged until its time and then deleted", func(t *testing.T) {
		user := s.mustUser(t)
		e := s.mustScheduleDeletion(t, user, soon())
		if got := must[domain.User](t)(s.Users.ByID(ctx, user.ID)); !got.ScheduledDeletion.Equal(e.At) {
			t.Errorf("found as %+v", got)
		}
		s.mustPost(t, user, 1)
		s.wantThere(t, user, true)
		for range 2 {
			check(t, s.Users.DeleteScheduled(ctx, e)) // another instance, later
		}
		s.wantThere(t, user, false)
		for range 2 {
			check(t, s.ScheduledDeletions.Done(ctx, e))
		}
		if _, there := s.scheduledDeletionOf(t, user.ID, e.At); there {
			t.Error("the entry is still there")
		}
	})
	t.Run("a repeated request keeps the scheduled time", func(t *testing.T) {
		user := s.mustUser(t)
		e := s.mustScheduleDeletion(t, user, soon())
		if got := must[domain.User](t)(s.Users.ScheduleDeletion(ctx, user.ID,
			soon().Add(time.Hour))); !got.ScheduledDeletion.Equal(e.At) {
			t.Errorf("the deletion is scheduled for %s", got.ScheduledDeletion)
		}
	})
	t.Run("a cancelled deletion does not happen, whatever entry remains", func(t *testing.T) {
		user := s.mustUser(t)
		e := s.mustScheduleDeletion(t, user, soon())
		for range 2 {
			check(t, s.Users.CancelDeletion(ctx, user.ID))
		}
		wantKind(t, s.Users.DeleteScheduled(ctx, e), domain.NotFound)
		if got := s.wantThere(t, user, true); !got.ScheduledDeletion.IsZero() {
			t.Errorf("the deletion is scheduled for %s", got.ScheduledDeletion)
		}
		later := s.mustScheduleDeletion(t, user, soon().Add(time.Hour))
		wantKind(t, s.Users.DeleteScheduled(ctx, e), domain.NotFound)
		s.wantThere(t, user, true)
		check(t, s.Users.DeleteScheduled(ctx, later))
		wantKind(t, s.Users.CancelDeletion(ctx, user.ID), domain.NotFound)
		s.wantThere(t, user, false)
	})
	t.Run("a cancellation at the scheduled time either succeeds or is told that it is too late", func(t *testing.T) {
		gone := 0
		for range 20 {
			user := s.mustUser(t)
			e := s.mustScheduleDeletion(t, user, soon())
			var group sync.WaitGroup
			var stay error
			deleted := make([]error, 3)
			group.Go(func() { stay = s.Users.CancelDeletion(ctx, user.ID) })
			for i := range deleted {
				group.Go(func() { deleted[i] = s.Users.DeleteScheduled(ctx, e) })
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
	t.Run("an account suspended meanwhile is deleted as well", func(t *testing.T) {
		user := s.mustUser(t)
		e := s.mustScheduleDeletion(t, user, soon())
		must[domain.User](t)(s.Users.Suspend(ctx, user.ID, "Spam.", at(1)))
		check(t, s.Users.DeleteScheduled(ctx, e))
		s.wantThere(t, user, false)
	})
	t.Run("an account without a password is deleted as well", func(t *testing.T) {
		user := must[domain.User](t)(domain.NewUser(freshName(), epoch))
		check(t, s.Users.CreateWith(ctx, user, domain.Credentials{Passkeys: []domain.Passkey{{ID: "x", Name: "key"}}}))
		check(t, s.Users.DeleteScheduled(ctx, s.mustScheduleDeletion(t, user, soon())))
		_, err := s.Users.Account(ctx, user.ID)
		wantKind(t, err, domain.NotFound)
	})
	t.Run("an account that cannot be deleted stays, with the reason until it is read", func(t *testing.T) {
		user := s.mustUser(t)
		e := s.mustScheduleDeletion(t, user, soon())
		for i := range 2 {
			if kept := must[bool](t)(s.Users.AbandonDeletion(ctx, e, "No reason.")); kept != (i == 0) {
				t.Errorf("attempt %d: kept is %t", i, kept)
			}
		}
		if got := s.wantThere(t, user, true); !got.ScheduledDeletion.IsZero() || got.DeletionProblem != "No reason." {
			t.Errorf("%+v", got)
		}
		wantKind(t, s.Users.DeleteScheduled(ctx, e), domain.NotFound)
		check(t, s.Users.CancelDeletion(ctx, user.ID))
		if got := s.wantThere(t, user, true); got.DeletionProblem != "" {
			t.Errorf("%+v", got)
		}
	})
	t.Run("entries are ordered by time and later ones are not due", func(t *testing.T) {
		first, second := s.mustUser(t), s.mustUser(t)
		late := s.mustScheduleDeletion(t, second, soon().Add(time.Minute))
		early := s.mustScheduleDeletion(t, first, soon())
		var order []string
		for e, err := range s.ScheduledDeletions.Upcoming(ctx, late.At) {
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
	t.Run("an entry that was scheduled again is not removed", func(t *testing.T) {
		user := s.mustUser(t)
		e := s.mustScheduleDeletion(t, user, soon())
		check(t, s.ScheduledDeletions.Put(ctx, e))
		check(t, s.ScheduledDeletions.Done(ctx, e))
		if _, there := s.scheduledDeletionOf(t, user.ID, e.At); !there {
			t.Error("the entry is gone")
		}
	})
	t.Run("an unknown user cannot be scheduled", func(t *testing.T) {
		_, err := s.Users.ScheduleDeletion(ctx, domain.NewUserID(nil), soon())
		wantKind(t, err, domain.NotFound)
		wantKind(t, s.Users.CancelDeletion(ctx, domain.NewUserID(nil)), domain.NotFound)
		wantKind(t, s.Users.DeleteScheduled(ctx, domain.ScheduledItem{UserID: domain.NewUserID(nil), At: soon()}),
			domain.NotFound)
		if kept := must[bool](t)(s.Users.AbandonDeletion(ctx, domain.ScheduledItem{UserID: domain.NewUserID(nil),
			At: soon()},
			"No reason.")); kept {
			t.Error("it was kept")
		}
	})
	t.Run("finding due entries is a query in one partition", func(t *testing.T) {
		usage := s.cost(t, func(ctx context.Context) error {
			for _, err := range s.ScheduledDeletions.Upcoming(ctx, epoch) {
				return err
			}
			return nil
		})
		if usage.Requests() != 1 {
			t.Errorf("it takes %d requests", usage.Requests())
		}
	})
}
