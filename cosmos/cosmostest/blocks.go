package cosmostest

import (
	"context"
	"testing"

	"inkfeed/domain"
)

func (s *suite) blocks(t *testing.T) {
	user, bob, carol := s.mustUser(t), s.mustUser(t), s.mustUser(t)
	ctx := t.Context()
	blocked := func(t *testing.T) (names []string) {
		t.Helper()
		for _, b := range must[domain.Page[domain.Block]](t)(s.Users.Blocked(ctx, user.ID, 1)).Items {
			names = append(names, b.Blocked.Username)
		}
		return names
	}
	want := func(t *testing.T, other domain.User, want bool) {
		t.Helper()
		if got := must[bool](t)(s.Users.Blocks(ctx, user.ID, other.ID)); got != want {
			t.Errorf("%s is blocked: %t, want %t", other.Username, got, want)
		}
	}
	t.Run("who is blocked is so until not, however often it is said", func(t *testing.T) {
		for range 2 {
			check(t, s.Users.Block(ctx, user.ID, bob.ID, at(1)))
			check(t, s.Users.Block(ctx, user.ID, carol.ID, at(2)))
		}
		want(t, bob, true)
		if got := must[bool](t)(s.Users.Blocks(ctx, bob.ID, user.ID)); got {
			t.Error("it works both ways")
		}
		if got := blocked(t); len(got) != 2 || got[0] != carol.Username || got[1] != bob.Username {
			t.Errorf("the list is %v", got)
		}
		for range 2 {
			check(t, s.Users.Unblock(ctx, user.ID, carol.ID))
		}
		want(t, carol, false)
	})
	t.Run("the list has names as they are now, and none of who is gone", func(t *testing.T) {
		gone := s.mustUser(t)
		check(t, s.Users.Block(ctx, user.ID, gone.ID, at(3)))
		name := freshName()
		must[domain.User](t)(s.Users.Rename(ctx, bob.ID, name))
		check(t, s.Users.Delete(ctx, gone.ID))
		if got := blocked(t); len(got) != 2 || got[0] != "" || got[1] != name {
			t.Errorf("the list is %v", got)
		}
	})
	t.Run("nobody blocks oneself, or nobody", func(t *testing.T) {
		wantKind(t, s.Users.Block(ctx, user.ID, user.ID, at(1)), domain.Invalid)
		wantKind(t, s.Users.Block(ctx, user.ID, domain.NewUserID(nil), at(1)), domain.NotFound)
		wantKind(t, s.Users.Block(ctx, user.ID, "credentials", at(1)), domain.NotFound)
	})
	t.Run("they go with the account", func(t *testing.T) {
		leaver := s.mustUser(t)
		check(t, s.Users.Block(ctx, leaver.ID, bob.ID, at(1)))
		check(t, s.Users.Delete(ctx, leaver.ID))
		check(t, s.Users.FinishErasure(ctx, leaver.ID))
		if got := must[bool](t)(s.Users.Blocks(ctx, leaver.ID, bob.ID)); got {
			t.Error("it is there still")
		}
	})
	t.Run("asking is a point read", func(t *testing.T) {
		if usage := s.cost(t, func(ctx context.Context) error {
			_, err := s.Users.Blocks(ctx, user.ID, bob.ID)
			return err
		}); usage.Requests() != 1 || usage.Charge() > 1.1 {
			t.Errorf("%d requests, %.1f RU", usage.Requests(), usage.Charge())
		}
	})
}
