package accounts

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) mutes(t *testing.T) {
	user := s.MustUser(t)
	ctx := t.Context()
	person := domain.Mute{Kind: domain.MutePerson, ID: domain.NewUserID(nil), Date: fixture.At(1)}
	tag := domain.Mute{Kind: domain.MuteTag, ID: "go", Date: fixture.At(2)}
	post := domain.Mute{Kind: domain.MutePost, ID: domain.NewID(), Date: fixture.At(3)}
	is := func(t *testing.T, want ...domain.Mute) {
		t.Helper()
		got := fixture.Must[domain.Mutes](t)(s.Mutes.Of(ctx, user.ID))
		if fmt.Sprint(got) != fmt.Sprint(domain.Mutes(want)) {
			t.Errorf("the mutes are %v, want %v", got, want)
		}
		if u := fixture.Must[domain.User](t)(s.Users.ByID(ctx, user.ID)); u.MuteCount != len(want) {
			t.Errorf("%d mutes are counted, want %d", u.MuteCount, len(want))
		}
	}
	fixture.Run(t, "mutes are counted once each, and the latest comes first", func(t *testing.T) {
		is(t)
		for _, m := range []domain.Mute{person, tag, tag, post, person} {
			fixture.Check(t, s.Mutes.Mute(ctx, user.ID, m))
		}
		is(t, post, tag, person)
	})
	fixture.Run(t, "a mute ends once", func(t *testing.T) {
		for range 2 {
			fixture.Check(t, s.Mutes.Unmute(ctx, user.ID, domain.MuteTag, "go"))
		}
		fixture.Check(t, s.Mutes.Unmute(ctx, user.ID, domain.MuteTag, "rust"))
		is(t, post, person)
	})
	fixture.Run(t, "what cannot be muted is refused", func(t *testing.T) {
		for _, m := range []domain.Mute{{Kind: domain.MutePerson, ID: "ada"}, {Kind: domain.MuteTag, ID: "Not A Key"},
			{Kind: domain.MutePost}, {Kind: "page", ID: domain.NewID()}} {
			if err := s.Mutes.Mute(ctx, user.ID, m); !domain.Is(err, domain.Invalid) {
				t.Errorf("%v: %v", m, err)
			}
		}
		is(t, post, person)
	})
	fixture.Run(t, "simultaneous requests lose no mute, up to the limit", func(t *testing.T) {
		var group sync.WaitGroup
		for n := range 4 {
			group.Go(func() {
				tag := domain.Mute{Kind: domain.MuteTag, ID: fmt.Sprint("tag-", n)}
				fixture.Check(t, s.Mutes.Mute(ctx, user.ID, tag))
			})
		}
		group.Wait()
		for n := 6; n < domain.MaxMutes; n++ {
			usage := s.Cost(t, func(ctx context.Context) error {
				return s.Mutes.Mute(ctx, user.ID, domain.Mute{Kind: domain.MuteTag, ID: fmt.Sprint("tag-", n)})
			})
			if n == 6 || n == domain.MaxMutes-1 {
				t.Logf("mute %d costs %.1f RU", n, usage.Charge())
			}
		}
		err := s.Mutes.Mute(ctx, user.ID, domain.Mute{Kind: domain.MuteTag, ID: "one-more"})
		if !domain.Is(err, domain.Conflict) {
			t.Errorf("one mute too many: %v", err)
		}
		fixture.Check(t, s.Mutes.Mute(ctx, user.ID, person))
		if u := fixture.Must[domain.User](t)(s.Users.ByID(ctx, user.ID)); u.MuteCount != domain.MaxMutes {
			t.Errorf("%d mutes are counted", u.MuteCount)
		}
	})
	fixture.Run(t, "they are deleted with the account, which gets no others", func(t *testing.T) {
		fixture.Check(t, s.AccountDeletions.Delete(ctx, user.ID))
		if err := s.Mutes.Mute(ctx, user.ID, domain.Mute{Kind: domain.MuteTag, ID: "late"}); !domain.Is(err,
			domain.Conflict) && !domain.Is(err, domain.NotFound) {
			t.Errorf("a deleted user can mute: %v", err)
		}
		fixture.Check(t, s.AccountDeletions.FinishErasure(ctx, user.ID))
		if err := s.Mutes.Mute(ctx, user.ID, tag); !domain.Is(err, domain.NotFound) {
			t.Errorf("an erased user can mute: %v", err)
		}
		if all := fixture.Must[domain.Mutes](t)(s.Mutes.Of(ctx, user.ID)); len(all) > 0 {
			t.Errorf("%d mutes are left", len(all))
		}
	})
}
