package cosmostest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"inkfeed/domain"
)

// race signs up users with each of the names at the same time.
func (s *accountSuite) race(t *testing.T, names []string) (won, refused []string) {
	var group sync.WaitGroup
	var mu sync.Mutex
	for _, name := range names {
		user := must[domain.User](t)(domain.NewUser(name, epoch))
		group.Go(func() {
			err := s.Users.Create(t.Context(), user, "")
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

func (s *accountSuite) names(t *testing.T) {
	t.Run("of many users racing for a name one gets it", func(t *testing.T) {
		if won, refused := s.race(t, slices.Repeat([]string{freshName()}, 8)); len(won) != 1 || len(refused) != 7 {
			t.Errorf("%v won, %v were refused", won, refused)
		}
	})
	t.Run("of many users racing for confusable names one gets it and the others do not exist", func(t *testing.T) {
		name := "x" + freshName()[:8]
		names := []string{name + "l-1o", name + "1-lo", name + "I_l0", name + "l_IO", name + "1-I0", name + "l-lo"}
		won, refused := s.race(t, names)
		if len(won) != 1 || len(refused) != len(names)-1 {
			t.Fatalf("%v won, %v were refused", won, refused)
		}
		for _, other := range refused {
			_, err := s.Users.ByName(t.Context(), other)
			wantKind(t, err, domain.NotFound)
		}
		// The user may write the name in each of these ways.
		user := must[domain.User](t)(s.Users.ByName(t.Context(), won[0]))
		for _, other := range refused {
			if got := must[domain.User](t)(s.Users.Rename(t.Context(), user.ID, other)); got.Username != other {
				t.Errorf("renamed to %s: %+v", other, got)
			}
		}
	})
	t.Run("a rename to a confusable name is rejected", func(t *testing.T) {
		holder, name := s.mustUser(t), "x"+freshName()[:8]
		must[domain.User](t)(s.Users.Rename(t.Context(), holder.ID, name+"l"))
		must[domain.User](t)(s.Users.Rename(t.Context(), holder.ID, freshName())) // and keeps the former name
		other := s.mustUser(t)
		_, err := s.Users.Rename(t.Context(), other.ID, name+"1")
		wantKind(t, err, domain.Invalid)
		if got := must[domain.User](t)(s.Users.ByID(t.Context(), other.ID)); got != other {
			t.Errorf("renamed to %+v", got)
		}
		if _, err := s.Users.ByName(t.Context(), name+"1"); !domain.Is(err, domain.NotFound) {
			t.Errorf("the name is taken: %v", err)
		}
	})
	t.Run("a name in any script is found however it is typed", func(t *testing.T) {
		latin, other := freshName()[:8], cyrillic(freshName())
		for stored, typed := range map[string]string{
			"Ｚoë-" + latin:   "ZOE\u0308-" + strings.ToUpper(latin),
			"Straße" + latin: "STRASSE" + latin,
			"東京" + latin:     "東京" + strings.ToUpper(latin),
			"Жи" + other:     "жИ" + strings.ToUpper(other),
		} {
			user := must[domain.User](t)(domain.NewUser(stored, epoch))
			check(t, s.Users.Create(t.Context(), user, "hash of it"))
			if got := must[domain.User](t)(s.Users.ByName(t.Context(), typed)); got != user {
				t.Errorf("%s, typed as %s, is %+v, want %+v", stored, typed, got, user)
			}
			again := must[domain.User](t)(domain.NewUser(typed, epoch))
			wantKind(t, s.Users.Create(t.Context(), again, ""), domain.Invalid)
		}
	})
	t.Run("reserved names are rejected, except for users who have them", func(t *testing.T) {
		user := s.mustUser(t)
		for _, name := range []string{"admin", "Supp0rt"} {
			_, err := s.Users.Rename(t.Context(), user.ID, name)
			wantKind(t, err, domain.Invalid)
		}
		// A user who registered before the name was reserved.
		early := domain.User{ID: domain.NewUserID(nil), Username: "Moderators", Created: epoch, NameVersion: 1,
			PropagatedVersion: 1}
		check(t, s.Users.Create(t.Context(), early, ""))
		if got := must[domain.User](t)(s.Users.Rename(t.Context(), early.ID,
			"moderators")); got.Username != "moderators" {
			t.Errorf("renamed to %+v", got)
		}
		check(t, s.Users.Delete(t.Context(), early.ID))
		check(t, s.Users.FinishErasure(t.Context(), early.ID))
	})
	t.Run("the names of a deleted account and confusable ones are free at the end", func(t *testing.T) {
		user, name := s.mustUser(t), "x"+freshName()[:8]
		must[domain.User](t)(s.Users.Rename(t.Context(), user.ID, name+"l"))
		check(t, s.Users.Delete(t.Context(), user.ID))
		early := must[domain.User](t)(domain.NewUser(name+"1", epoch))
		wantKind(t, s.Users.Create(t.Context(), early, ""), domain.Invalid)
		check(t, s.Users.FinishErasure(t.Context(), user.ID))
		check(t, s.Users.Create(t.Context(), must[domain.User](t)(domain.NewUser(name+"1", epoch)), ""))
	})
	t.Run("confusable names from before the check stay and both are confirmed", func(t *testing.T) {
		first, second := s.mustUser(t), s.mustUser(t)
		name := "x" + freshName()[:8]
		first.Username = name + "l"
		second.Username = name + "1"
		for _, u := range []domain.User{first, second, first, second} {
			if own := must[bool](t)(s.Users.ConfirmName(t.Context(), u)); !own {
				t.Errorf("%s does not own the name", u.Username)
			}
		}
		third := must[domain.User](t)(domain.NewUser(name+"I", epoch))
		wantKind(t, s.Users.Create(t.Context(), third, ""), domain.Invalid)
	})
	t.Run("a secret in the form of a name belongs to no user", func(t *testing.T) {
		author := s.mustUser(t)
		d := s.mustDraft(t, author, "Shared")
		secret := must[string](t)(s.Drafts.Share(t.Context(), author.ID, d.PostID))
		_, err := s.Users.ByName(t.Context(), secret)
		wantKind(t, err, domain.NotFound)
		_, err = s.Users.Rename(t.Context(), author.ID, secret)
		wantKind(t, err, domain.Invalid)
		must[domain.Shared](t)(s.Drafts.Shared(t.Context(), secret))
	})
}
