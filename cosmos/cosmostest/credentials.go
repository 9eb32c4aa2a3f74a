package cosmostest

import (
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"inkfeed/domain"
)

var somePasskey = domain.Passkey{ID: "cGFzc2tleQ", Name: "Phone", Created: at(1), LastUsed: at(2),
	Data: []byte(`{"id":"x"}`)}

func (s *suite) credentials(t *testing.T) {
	t.Run("of a new user are those of the sign-up", func(t *testing.T) {
		user := must[domain.User](t)(domain.NewUser(freshName(), epoch))
		check(t, s.Users.CreateWith(t.Context(), user, domain.Credentials{Passkeys: []domain.Passkey{somePasskey}}))
		want := domain.Credentials{UserID: user.ID, Passkeys: []domain.Passkey{somePasskey}, Version: 1}
		if got := must[domain.Credentials](t)(s.Users.Credentials(t.Context(), user.ID)); !reflect.DeepEqual(got,
			want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	t.Run("are read as they were written", func(t *testing.T) {
		c := must[domain.Credentials](t)(s.Users.Credentials(t.Context(), s.mustUser(t).ID))
		c.Email, c.EmailVerified, c.TOTP, c.TOTPStep, c.Recovery = "ada@example.org", true, []byte{0, 1, 255},
			58_000_000, []string{"a", "b"}
		c.Passkeys = []domain.Passkey{somePasskey, {ID: "eA", Created: at(3), Data: []byte{0}}}
		written := must[domain.Credentials](t)(s.Users.SetCredentials(t.Context(), c))
		c.Version++
		read := must[domain.Credentials](t)(s.Users.Credentials(t.Context(), c.UserID))
		if !reflect.DeepEqual(written, c) || !reflect.DeepEqual(read, c) {
			t.Errorf("wrote %+v, read %+v, want %+v", written, read, c)
		}
	})
	t.Run("changed meanwhile are not overwritten", func(t *testing.T) {
		c := must[domain.Credentials](t)(s.Users.Credentials(t.Context(), s.mustUser(t).ID))
		must[domain.Credentials](t)(s.Users.SetCredentials(t.Context(), c))
		c.PasswordHash = "another"
		_, err := s.Users.SetCredentials(t.Context(), c)
		wantKind(t, err, domain.Conflict)
	})
	t.Run("changed in the same way by many at once, by one: a code is good once", func(t *testing.T) {
		c := must[domain.Credentials](t)(s.Users.Credentials(t.Context(), s.mustUser(t).ID))
		c.TOTPStep = 58_000_001
		var group sync.WaitGroup
		var won, lost atomic.Int32
		for range 8 {
			group.Go(func() {
				switch _, err := s.Users.SetCredentials(t.Context(), c); {
				case err == nil:
					won.Add(1)
				case domain.Is(err, domain.Conflict):
					lost.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		group.Wait()
		if won.Load() != 1 || lost.Load() != 7 {
			t.Errorf("%d changed it, %d were told of the change", won.Load(), lost.Load())
		}
	})
	t.Run("of nobody are not there", func(t *testing.T) {
		nobody := domain.NewUserID(nil)
		_, err := s.Users.Credentials(t.Context(), nobody)
		wantKind(t, err, domain.NotFound)
		_, err = s.Users.SetCredentials(t.Context(), domain.Credentials{UserID: nobody})
		wantKind(t, err, domain.NotFound)
	})
	t.Run("are given a password, and stay as they are otherwise", func(t *testing.T) {
		c := must[domain.Credentials](t)(s.Users.Credentials(t.Context(), s.mustUser(t).ID))
		c.PasswordHash, c.Recovery, c.Passkeys = "", []string{"a"}, []domain.Passkey{somePasskey}
		c = must[domain.Credentials](t)(s.Users.SetCredentials(t.Context(), c))
		if err := s.Users.SetPassword(t.Context(), c.UserID, "new hash"); err != nil {
			t.Fatal(err)
		}
		c.PasswordHash, c.Version = "new hash", c.Version+1
		if got := must[domain.Credentials](t)(s.Users.Credentials(t.Context(), c.UserID)); !reflect.DeepEqual(got, c) {
			t.Errorf("they are %+v, want %+v", got, c)
		}
		_, err := s.Users.SetCredentials(t.Context(), domain.Credentials{UserID: c.UserID, Version: c.Version - 1})
		wantKind(t, err, domain.Conflict) // who began before
		wantKind(t, s.Users.SetPassword(t.Context(), domain.NewUserID(nil), "x"), domain.NotFound)
	})
	t.Run("end sessions in the transaction that removes or replaces a means of logging in", func(t *testing.T) {
		has := domain.Credentials{PasswordHash: "hash", TOTP: []byte("x"), TOTPStep: 5, Recovery: []string{"a", "b"},
			Passkeys: []domain.Passkey{somePasskey, {ID: "eA"}}}
		for name, one := range map[string]struct {
			change func(*domain.Credentials)
			ends   bool
		}{
			"a new password": {func(c *domain.Credentials) { c.PasswordHash = "another" }, true},
			"no password":    {func(c *domain.Credentials) { c.PasswordHash = "" }, true},
			"no app": {func(c *domain.Credentials) { c.TOTP, c.TOTPStep, c.Recovery = nil, 0, nil },
				true},
			"new recovery codes": {func(c *domain.Credentials) { c.Recovery = []string{"c", "d"} }, true},
			"one passkey less":   {func(c *domain.Credentials) { c.Passkeys = c.Passkeys[1:] }, true},
			"one passkey more": {
				func(c *domain.Credentials) { c.Passkeys = append(c.Passkeys, domain.Passkey{ID: "eQ"}) }, false},
			"a passkey renamed": {func(c *domain.Credentials) { c.Passkeys[0].Name = "Laptop" }, false},
			"a code used": {func(c *domain.Credentials) { c.TOTP, c.TOTPStep = []byte("sealed anew"), 6 },
				false},
			"a recovery code used": {func(c *domain.Credentials) { c.Recovery = c.Recovery[1:] }, false},
			"an address":           {func(c *domain.Credentials) { c.Email = "ada@example.org" }, false},
		} {
			user := must[domain.User](t)(domain.NewUser(freshName(), epoch))
			check(t, s.Users.CreateWith(t.Context(), user, has))
			c := must[domain.Credentials](t)(s.Users.Credentials(t.Context(), user.ID))
			one.change(&c)
			written := must[domain.Credentials](t)(s.Users.SetCredentials(t.Context(), c))
			read := must[domain.Credentials](t)(s.Users.Credentials(t.Context(), user.ID))
			if !reflect.DeepEqual(read, written) {
				t.Errorf("%s: wrote %+v, read %+v", name, written, read)
			}
			want := 0
			if one.ends {
				want = 1
			}
			if got := must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)).SessionVersion; got != want {
				t.Errorf("%s: the session version is %d, want %d", name, got, want)
			}
		}
	})
	t.Run("an app that is set up ends sessions", func(t *testing.T) {
		user := s.mustUser(t)
		c := must[domain.Credentials](t)(s.Users.Credentials(t.Context(), user.ID))
		c.TOTP, c.Recovery = []byte("x"), []string{"a"}
		must[domain.Credentials](t)(s.Users.SetCredentials(t.Context(), c))
		if got := must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)).SessionVersion; got != 1 {
			t.Errorf("the session version is %d, want 1", got)
		}
	})
	t.Run("are cleared of factors, but not of the only way in", func(t *testing.T) {
		for _, hash := range []string{"hash", ""} {
			c := must[domain.Credentials](t)(s.Users.Credentials(t.Context(), s.mustUser(t).ID))
			c.PasswordHash, c.TOTP, c.TOTPStep, c.Recovery, c.Passkeys = hash, []byte("x"), 5, []string{"a"},
				[]domain.Passkey{somePasskey}
			must[domain.Credentials](t)(s.Users.SetCredentials(t.Context(), c))
			must[domain.Credentials](t)(s.Users.ClearFactors(t.Context(), c.UserID))
			got := must[domain.Credentials](t)(s.Users.Credentials(t.Context(), c.UserID))
			if got.TOTP != nil || got.TOTPStep != 0 || got.Recovery != nil || got.WaysIn() != 1 ||
				got.PasswordHash != hash {
				t.Errorf("left are %+v", got)
			}
			again := must[domain.Credentials](t)(s.Users.ClearFactors(t.Context(), c.UserID))
			if again.Version != got.Version {
				t.Error("there was nothing to clear, and yet it was written")
			}
		}
	})
}
