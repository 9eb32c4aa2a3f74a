package accounts

import (
	"context"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// scheduledDeletionOf returns the entry of a scheduled account deletion.
func (s *suite) scheduledDeletionOf(t *testing.T, userID string, at time.Time) (domain.ScheduledItem, bool) {
	t.Helper()
	for e, err := range s.ScheduledDeletions.Upcoming(t.Context(), fixture.FarFuture()) {
		if fixture.Check(t, err); e.UserID == userID && e.At.Equal(at) {
			return e, true
		}
	}
	return domain.ScheduledItem{}, false
}

// mustScheduleDeletion schedules the deletion of an account and returns its entry.
func (s *suite) mustScheduleDeletion(t *testing.T, user domain.User, at time.Time) domain.ScheduledItem {
	t.Helper()
	if got := fixture.Must[domain.User](t)(s.AccountDeletions.ScheduleDeletion(t.Context(), user.ID,
		at)).ScheduledDeletion; !got.Equal(at) {
		t.Fatalf("the deletion is scheduled for %s, want %s", got, at)
	}
	e, ok := s.scheduledDeletionOf(t, user.ID, at)
	if !ok {
		t.Fatal("there is no entry")
	}
	return e
}

// wantThere checks whether an account is unchanged or deleted.
func (s *suite) wantThere(t *testing.T, user domain.User, there bool) domain.User {
	t.Helper()
	got, err := s.Users.Account(t.Context(), user.ID)
	if !there {
		fixture.WantKind(t, err, domain.NotFound)
		return got
	}
	fixture.Check(t, err)
	hash := fixture.Must[string](t)(s.Credentials.PasswordHash(t.Context(), user.ID))
	if hash != "hash of "+user.Username {
		t.Errorf("the password hash is %q", hash)
	}
	return got
}

func (s *suite) scheduledDeletions(t *testing.T) {
	ctx := t.Context()
	fixture.Run(t, "an account is unchanged until its time and then deleted", func(t *testing.T) {
		user := s.MustUser(t)
		e := s.mustScheduleDeletion(t, user, fixture.Soon())
		if got := fixture.Must[domain.User](t)(s.Users.ByID(ctx, user.ID)); !got.ScheduledDeletion.Equal(e.At) {
			t.Errorf("the user is %+v", got)
		}
		s.MustPost(t, user, 1)
		s.wantThere(t, user, true)
		for range 2 {
			fixture.Check(t, s.AccountDeletions.DeleteScheduled(ctx, e)) // another instance, later
		}
		s.wantThere(t, user, false)
		for range 2 {
			fixture.Check(t, s.ScheduledDeletions.Done(ctx, e))
		}
		if _, there := s.scheduledDeletionOf(t, user.ID, e.At); there {
			t.Error("the schedule entry still exists")
		}
	})
	fixture.Run(t, "a repeated request keeps the scheduled time", func(t *testing.T) {
		user := s.MustUser(t)
		e := s.mustScheduleDeletion(t, user, fixture.Soon())
		if got := fixture.Must[domain.User](t)(s.AccountDeletions.ScheduleDeletion(ctx, user.ID,
			fixture.Soon().Add(time.Hour))); !got.ScheduledDeletion.Equal(e.At) {
			t.Errorf("the deletion is scheduled for %s", got.ScheduledDeletion)
		}
	})
	fixture.Run(t, "a cancelled deletion is not carried out, even if its entry remains", func(t *testing.T) {
		user := s.MustUser(t)
		e := s.mustScheduleDeletion(t, user, fixture.Soon())
		for range 2 {
			fixture.Check(t, s.AccountDeletions.CancelDeletion(ctx, user.ID))
		}
		fixture.WantKind(t, s.AccountDeletions.DeleteScheduled(ctx, e), domain.NotFound)
		if got := s.wantThere(t, user, true); !got.ScheduledDeletion.IsZero() {
			t.Errorf("the deletion is scheduled for %s", got.ScheduledDeletion)
		}
		later := s.mustScheduleDeletion(t, user, fixture.Soon().Add(time.Hour))
		fixture.WantKind(t, s.AccountDeletions.DeleteScheduled(ctx, e), domain.NotFound)
		s.wantThere(t, user, true)
		fixture.Check(t, s.AccountDeletions.DeleteScheduled(ctx, later))
		fixture.WantKind(t, s.AccountDeletions.CancelDeletion(ctx, user.ID), domain.NotFound)
		s.wantThere(t, user, false)
	})
	fixture.Run(t, "a cancellation at the scheduled time either succeeds or fails as too late", func(t *testing.T) {
		gone := 0
		for range 20 {
			user := s.MustUser(t)
			e := s.mustScheduleDeletion(t, user, fixture.Soon())
			var group sync.WaitGroup
			var stay error
			deleted := make([]error, 3)
			group.Go(func() { stay = s.AccountDeletions.CancelDeletion(ctx, user.ID) })
			for i := range deleted {
				group.Go(func() { deleted[i] = s.AccountDeletions.DeleteScheduled(ctx, e) })
			}
			group.Wait()
			s.wantThere(t, user, stay == nil)
			if stay != nil {
				gone++
				fixture.WantKind(t, stay, domain.NotFound)
			}
			for _, err := range deleted {
				if (err == nil) != (stay != nil) || err != nil && !domain.Is(err, domain.NotFound) {
					t.Errorf("deleted: %v; kept: %v", err, stay)
				}
			}
		}
		t.Logf("%d of 20 were deleted", gone)
	})
	fixture.Run(t, "an account suspended meanwhile is deleted as well", func(t *testing.T) {
		user := s.MustUser(t)
		e := s.mustScheduleDeletion(t, user, fixture.Soon())
		fixture.Must[domain.User](t)(s.Accounts.Suspend(ctx, user.ID, "Spam.", fixture.At(1)))
		fixture.Check(t, s.AccountDeletions.DeleteScheduled(ctx, e))
		s.wantThere(t, user, false)
	})
	fixture.Run(t, "an account without a password is deleted as well", func(t *testing.T) {
		user := fixture.Must[domain.User](t)(domain.NewUser(fixture.FreshName(), fixture.Epoch))
		fixture.Check(t, s.Accounts.CreateWith(ctx, user, domain.Credentials{Passkeys: []domain.Passkey{{ID: "x",
			Name: "key"}}}))
		fixture.Check(t, s.AccountDeletions.DeleteScheduled(ctx, s.mustScheduleDeletion(t, user, fixture.Soon())))
		_, err := s.Users.Account(ctx, user.ID)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "an account that cannot be deleted stays, with the reason until it is read", func(t *testing.T) {
		user := s.MustUser(t)
		e := s.mustScheduleDeletion(t, user, fixture.Soon())
		for i := range 2 {
			kept := fixture.Must[bool](t)(s.AccountDeletions.AbandonDeletion(ctx, e, "No reason."))
			if kept != (i == 0) {
				t.Errorf("attempt %d: kept is %t", i, kept)
			}
		}
		if got := s.wantThere(t, user, true); !got.ScheduledDeletion.IsZero() || got.DeletionProblem != "No reason." {
			t.Errorf("the user is %+v", got)
		}
		fixture.WantKind(t, s.AccountDeletions.DeleteScheduled(ctx, e), domain.NotFound)
		fixture.Check(t, s.AccountDeletions.CancelDeletion(ctx, user.ID))
		if got := s.wantThere(t, user, true); got.DeletionProblem != "" {
			t.Errorf("the user is %+v", got)
		}
	})
	fixture.Run(t, "entries are ordered by time and later ones are not due", func(t *testing.T) {
		first, second := s.MustUser(t), s.MustUser(t)
		late := s.mustScheduleDeletion(t, second, fixture.Soon().Add(time.Minute))
		early := s.mustScheduleDeletion(t, first, fixture.Soon())
		var order []string
		for e, err := range s.ScheduledDeletions.Upcoming(ctx, late.At) {
			fixture.Check(t, err)
			if e.UserID == second.ID {
				t.Error("an entry with a later time is listed")
			}
			order = append(order, e.UserID)
		}
		if len(order) == 0 || order[len(order)-1] != early.UserID {
			t.Errorf("the listed entries are %q", order)
		}
	})
	fixture.Run(t, "an entry that was scheduled again is not removed", func(t *testing.T) {
		user := s.MustUser(t)
		e := s.mustScheduleDeletion(t, user, fixture.Soon())
		fixture.Check(t, s.ScheduledDeletions.Put(ctx, e))
		fixture.Check(t, s.ScheduledDeletions.Done(ctx, e))
		if _, there := s.scheduledDeletionOf(t, user.ID, e.At); !there {
			t.Error("the schedule entry is missing")
		}
	})
	fixture.Run(t, "an unknown user cannot be scheduled", func(t *testing.T) {
		_, err := s.AccountDeletions.ScheduleDeletion(ctx, domain.NewUserID(nil), fixture.Soon())
		fixture.WantKind(t, err, domain.NotFound)
		fixture.WantKind(t, s.AccountDeletions.CancelDeletion(ctx, domain.NewUserID(nil)), domain.NotFound)
		fixture.WantKind(t, s.AccountDeletions.DeleteScheduled(ctx, domain.ScheduledItem{UserID: domain.NewUserID(nil),
			At: fixture.Soon()}),
			domain.NotFound)
		if kept := fixture.Must[bool](t)(s.AccountDeletions.AbandonDeletion(ctx,
			domain.ScheduledItem{UserID: domain.NewUserID(nil),
				At: fixture.Soon()},
			"No reason.")); kept {
			t.Error("the deletion of an unknown user was cancelled")
		}
	})
	fixture.Run(t, "an account has one continuation, the latest", func(t *testing.T) {
		user, soon := domain.NewUserID(nil), fixture.Soon()
		at := func(in time.Duration) domain.ScheduledItem {
			return domain.ScheduledItem{UserID: user, At: soon.Add(in)}
		}
		fixture.Check(t, s.Continuations.Put(ctx, at(time.Second)))
		first := fixture.Must[[]domain.ScheduledItem](t)(s.continuationsOf(t, user))
		fixture.Check(t, s.Continuations.Put(ctx, at(time.Minute)))
		fixture.Check(t, s.Continuations.Done(ctx, first[0]))
		left := fixture.Must[[]domain.ScheduledItem](t)(s.continuationsOf(t, user))
		if len(first) != 1 || len(left) != 1 || !left[0].At.Equal(at(time.Minute).At) {
			t.Fatalf("the continuations are %+v, later %+v", first, left)
		}
		fixture.Check(t, s.Continuations.Done(ctx, left[0]))
		if left := fixture.Must[[]domain.ScheduledItem](t)(s.continuationsOf(t, user)); len(left) != 0 {
			t.Errorf("%+v is left", left)
		}
	})
	fixture.Run(t, "finding due entries is a query in one partition", func(t *testing.T) {
		usage := s.Cost(t, func(ctx context.Context) error {
			for _, err := range s.ScheduledDeletions.Upcoming(ctx, fixture.Epoch) {
				return err
			}
			return nil
		})
		if usage.Requests() != 1 {
			t.Errorf("finding due entries takes %d requests", usage.Requests())
		}
	})
}

func (s *suite) continuationsOf(t *testing.T, userID string) (list []domain.ScheduledItem, err error) {
	for item, err := range s.Continuations.Upcoming(t.Context(), fixture.FarFuture()) {
		if err != nil {
			return nil, err
		}
		if item.UserID == userID {
			list = append(list, item)
		}
	}
	return list, nil
}
