package accounts

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// race signs up users with each of the names at the same time.
func (s *suite) race(t *testing.T, names []string) (won, refused []string) {
	var group sync.WaitGroup
	var mu sync.Mutex
	for _, name := range names {
		user := fixture.Must[domain.User](t)(domain.NewUser(name, fixture.Epoch))
		group.Go(func() {
			err := s.Accounts.Create(t.Context(), user, "")
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won = append(won, name)
			case domain.Is(err, domain.Invalid):
				refused = append(refused, name)
			default:
				t.Error(err)
			}
		})
	}
	group.Wait()
	return won, refused
}

// cyrillic returns an unused name in another script whose letters resemble no others.
func cyrillic(name string) string {
	return strings.Map(func(r rune) rune { return []rune("бджзилпфцшщъыьэюя")[r%17] }, name)
}

func (s *suite) names(t *testing.T) {
	fixture.Run(t, "of many users racing for a name one gets it", func(t *testing.T) {
		if won, refused := s.race(t, slices.Repeat([]string{fixture.FreshName()}, 8)); len(won) != 1 ||
			len(refused) != 7 {
			t.Errorf("%v got the name, %v were refused", won, refused)
		}
	})
	fixture.Run(t, "of many users racing for confusable names one gets it and the others do not exist",
		func(t *testing.T) {
			name := "x" + fixture.FreshName()[:8]
			names := []string{name + "l-1o", name + "1-lo", name + "I_l0", name + "l_IO", name + "1-I0", name + "l-lo"}
			won, refused := s.race(t, names)
			if len(won) != 1 || len(refused) != len(names)-1 {
				t.Fatalf("%v won, %v were refused", won, refused)
			}
			for _, other := range refused {
				_, err := s.Users.ByName(t.Context(), other)
				fixture.WantKind(t, err, domain.NotFound)
			}
			// The user may write the name in each of these ways.
			user := fixture.Must[domain.User](t)(s.Users.ByName(t.Context(), won[0]))
			for _, other := range refused {
				got := fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), user.ID, other))
				if got.Username != other {
					t.Errorf("renamed to %s: %+v", other, got)
				}
			}
		})
	fixture.Run(t, "a rename to a confusable name is rejected", func(t *testing.T) {
		holder, name := s.MustUser(t), "x"+fixture.FreshName()[:8]
		fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), holder.ID, name+"l"))
		fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), holder.ID,
			fixture.FreshName())) // and keeps the former name
		other := s.MustUser(t)
		_, err := s.Usernames.Rename(t.Context(), other.ID, name+"1")
		fixture.WantKind(t, err, domain.Invalid)
		if got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), other.ID)); got != other {
			t.Errorf("renamed to %+v", got)
		}
		if _, err := s.Users.ByName(t.Context(), name+"1"); !domain.Is(err, domain.NotFound) {
			t.Errorf("the name is taken: %v", err)
		}
	})
	fixture.Run(t, "a name in any script is found however it is typed", func(t *testing.T) {
		latin, other := fixture.FreshName()[:8], cyrillic(fixture.FreshName())
		for stored, typed := range map[string]string{
			"Ｚoë-" + latin:   "ZOE\u0308-" + strings.ToUpper(latin),
			"Straße" + latin: "STRASSE" + latin,
			"東京" + latin:     "東京" + strings.ToUpper(latin),
			"Жи" + other:     "жИ" + strings.ToUpper(other),
		} {
			user := fixture.Must[domain.User](t)(domain.NewUser(stored, fixture.Epoch))
			fixture.Check(t, s.Accounts.Create(t.Context(), user, "hash of it"))
			if got := fixture.Must[domain.User](t)(s.Users.ByName(t.Context(), typed)); got != user {
				t.Errorf("%s, typed as %s, is %+v, want %+v", stored, typed, got, user)
			}
			again := fixture.Must[domain.User](t)(domain.NewUser(typed, fixture.Epoch))
			fixture.WantKind(t, s.Accounts.Create(t.Context(), again, ""), domain.Invalid)
		}
	})
	fixture.Run(t, "reserved names are rejected, except for users who have them", func(t *testing.T) {
		user := s.MustUser(t)
		for _, name := range []string{"admin", "Supp0rt"} {
			_, err := s.Usernames.Rename(t.Context(), user.ID, name)
			fixture.WantKind(t, err, domain.Invalid)
		}
		// A user who registered before the name was reserved.
		early := domain.User{ID: domain.NewUserID(nil), Username: "Moderators", Created: fixture.Epoch, NameVersion: 1,
			PropagatedVersion: 1}
		fixture.Check(t, s.Accounts.Create(t.Context(), early, ""))
		if got := fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), early.ID,
			"moderators")); got.Username != "moderators" {
			t.Errorf("renamed to %+v", got)
		}
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), early.ID))
		fixture.Check(t, s.AccountDeletions.FinishErasure(t.Context(), early.ID))
	})
	fixture.Run(t, "the names of a deleted account and confusable ones are free at the end", func(t *testing.T) {
		user, name := s.MustUser(t), "x"+fixture.FreshName()[:8]
		fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), user.ID, name+"l"))
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), user.ID))
		early := fixture.Must[domain.User](t)(domain.NewUser(name+"1", fixture.Epoch))
		fixture.WantKind(t, s.Accounts.Create(t.Context(), early, ""), domain.Invalid)
		fixture.Check(t, s.AccountDeletions.FinishErasure(t.Context(), user.ID))
		fixture.Check(t, s.Accounts.Create(t.Context(), fixture.Must[domain.User](t)(domain.NewUser(name+"1",
			fixture.Epoch)), ""))
	})
	fixture.Run(t, "confusable names from before the check stay and both are confirmed", func(t *testing.T) {
		first, second := s.MustUser(t), s.MustUser(t)
		name := "x" + fixture.FreshName()[:8]
		first.Username = name + "l"
		second.Username = name + "1"
		for _, u := range []domain.User{first, second, first, second} {
			if own := fixture.Must[bool](t)(s.Usernames.ConfirmName(t.Context(), u)); !own {
				t.Errorf("%s does not own the name", u.Username)
			}
		}
		third := fixture.Must[domain.User](t)(domain.NewUser(name+"I", fixture.Epoch))
		fixture.WantKind(t, s.Accounts.Create(t.Context(), third, ""), domain.Invalid)
	})
	fixture.Run(t, "a secret in the form of a name belongs to no user", func(t *testing.T) {
		author := s.MustUser(t)
		d := s.MustDraft(t, author, "Shared")
		secret := fixture.Must[string](t)(s.Drafts.Share(t.Context(), author.ID, d.PostID))
		_, err := s.Users.ByName(t.Context(), secret)
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Usernames.Rename(t.Context(), author.ID, secret)
		fixture.WantKind(t, err, domain.Invalid)
		fixture.Must[domain.Shared](t)(s.Drafts.Shared(t.Context(), secret))
	})
}
