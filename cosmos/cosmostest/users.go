package cosmostest

import (
	"strings"
	"sync"
	"testing"

	"inkfeed/domain"
)

func (s *suite) users(t *testing.T) {
	t.Run("is found by id and by name in any case", func(t *testing.T) {
		user := s.mustUser(t)
		if got := must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)); got != user {
			t.Errorf("got %+v, want %+v", got, user)
		}
		if got := must[domain.User](t)(s.Users.ByName(t.Context(), strings.ToUpper(user.Username))); got != user {
			t.Errorf("got %+v, want %+v", got, user)
		}
		if hash := must[string](t)(s.Users.PasswordHash(t.Context(), user.ID)); hash != "hash of "+user.Username {
			t.Errorf("hash %q", hash)
		}
	})
	t.Run("who does not exist is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewUserID(nil), "", "..", "credentials", "nobody"} {
			_, err := s.Users.ByID(t.Context(), id)
			wantKind(t, err, domain.NotFound)
		}
		for _, name := range []string{freshName(), "", "..", "a b", "../../x", domain.NewUserID(nil)} {
			_, err := s.Users.ByName(t.Context(), name)
			wantKind(t, err, domain.NotFound)
		}
	})
	t.Run("a taken name is refused, in any case", func(t *testing.T) {
		user := s.mustUser(t)
		other := must[domain.User](t)(domain.NewUser(strings.ToUpper(user.Username), epoch))
		wantKind(t, s.Users.Create(t.Context(), other, ""), domain.Invalid)
		_, err := s.Users.ByID(t.Context(), other.ID)
		wantKind(t, err, domain.NotFound)
	})
	t.Run("creating the same user again changes nothing", func(t *testing.T) {
		user := s.mustUser(t)
		check(t, s.Users.Create(t.Context(), user, "another hash"))
		if hash := must[string](t)(s.Users.PasswordHash(t.Context(), user.ID)); hash != "hash of "+user.Username {
			t.Errorf("hash %q", hash)
		}
	})
	t.Run("a rename keeps the old name for its address", func(t *testing.T) {
		user, name := s.mustUser(t), freshName()
		renamed := must[domain.User](t)(s.Users.Rename(t.Context(), user.ID, name))
		if renamed.Username != name || renamed.NameVersion != 2 || renamed.SpreadVersion != 1 {
			t.Errorf("renamed to %+v", renamed)
		}
		for _, by := range []string{user.Username, name} {
			if got := must[domain.User](t)(s.Users.ByName(t.Context(), by)); got != renamed {
				t.Errorf("by %s: %+v, want %+v", by, got, renamed)
			}
		}
		other := must[domain.User](t)(domain.NewUser(user.Username, epoch))
		wantKind(t, s.Users.Create(t.Context(), other, ""), domain.Invalid)
		back := must[domain.User](t)(s.Users.Rename(t.Context(), user.ID, user.Username))
		if back.Username != user.Username || back.NameVersion != 3 {
			t.Errorf("renamed back to %+v", back)
		}
	})
	t.Run("a rename may change the case alone", func(t *testing.T) {
		user := s.mustUser(t)
		upper := strings.ToUpper(user.Username)
		if got := must[domain.User](t)(s.Users.Rename(t.Context(), user.ID, upper)); got.Username != upper {
			t.Errorf("renamed to %+v", got)
		}
	})
	t.Run("a rename to the same name writes nothing", func(t *testing.T) {
		user := s.mustUser(t)
		if got := must[domain.User](t)(s.Users.Rename(t.Context(), user.ID, user.Username)); got != user {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a rename to a taken or impossible name is refused", func(t *testing.T) {
		user, other := s.mustUser(t), s.mustUser(t)
		for _, name := range []string{other.Username, "a b", ""} {
			_, err := s.Users.Rename(t.Context(), user.ID, name)
			wantKind(t, err, domain.Invalid)
		}
		if got := must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)); got != user {
			t.Errorf("now %+v", got)
		}
	})
	t.Run("a display name is changed and taken away, and each change is one to spread", func(t *testing.T) {
		user := s.mustUser(t)
		for i, name := range []string{"Ada Lovelace", "東京 太郎", "東京 太郎", ""} {
			got := must[domain.User](t)(s.Users.SetDisplayName(t.Context(), user.ID, name))
			want := user
			want.DisplayName, want.NameVersion = name, []int{2, 3, 3, 4}[i]
			if now := must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)); got != want || now != want {
				t.Errorf("%q: answered %+v, is %+v, want %+v", name, got, now, want)
			}
		}
		_, err := s.Users.SetDisplayName(t.Context(), domain.NewUserID(nil), "Nobody")
		wantKind(t, err, domain.NotFound)
	})
	t.Run("a rename and a display name at the same time both count", func(t *testing.T) {
		user, name := s.mustUser(t), freshName()
		var group sync.WaitGroup
		group.Go(func() { must[domain.User](t)(s.Users.SetDisplayName(t.Context(), user.ID, "Both")) })
		var renamed error
		group.Go(func() { _, renamed = s.Users.Rename(t.Context(), user.ID, name) })
		group.Wait()
		if renamed != nil { // it may have to be asked for again, and says so
			wantKind(t, renamed, domain.Conflict)
			must[domain.User](t)(s.Users.Rename(t.Context(), user.ID, name))
		}
		if got := must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)); got.Username != name ||
			got.DisplayName != "Both" || got.NameVersion != 3 {
			t.Errorf("user %+v", got)
		}
	})
	t.Run("an author's present names are looked up", func(t *testing.T) {
		user := s.mustUser(t)
		must[domain.User](t)(s.Users.SetDisplayName(t.Context(), user.ID, "Ada"))
		got := must[map[string]domain.Author](t)(s.Users.Authors(t.Context(), []string{user.ID}))
		if want := (domain.Author{Name: user.Username, DisplayName: "Ada"}); got[user.ID] != want {
			t.Errorf("got %+v, want %+v", got[user.ID], want)
		}
	})
	t.Run("what a crashed sign-up left undone is finished", func(t *testing.T) {
		user := s.mustUser(t)
		missing := must[domain.User](t)(domain.NewUser(freshName(), epoch))
		for _, u := range []domain.User{user, missing, missing} {
			if own := must[bool](t)(s.Users.ConfirmName(t.Context(), u)); !own {
				t.Errorf("%s does not own the name", u.Username)
			}
		}
		thief := domain.User{ID: domain.NewUserID(nil), Username: user.Username}
		if own := must[bool](t)(s.Users.ConfirmName(t.Context(), thief)); own {
			t.Error("another user owns the name")
		}
	})
	t.Run("current names are looked up many at once", func(t *testing.T) {
		want := map[string]string{}
		ids := []string{domain.NewUserID(nil)}
		for range 3 {
			u := s.mustUser(t)
			want[u.ID] = u.Username
			ids = append(ids, u.ID)
		}
		for range 120 {
			ids = append(ids, domain.NewUserID(nil))
		}
		got := must[map[string]domain.Author](t)(s.Users.Authors(t.Context(), ids))
		if len(got) != len(want) {
			t.Errorf("got %v, want %v", got, want)
		}
		for id, name := range want {
			if got[id] != (domain.Author{Name: name}) {
				t.Errorf("%s is %+v, want %q", id, got[id], name)
			}
		}
	})
}
