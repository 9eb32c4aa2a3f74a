package accounts

import (
	"crypto/rand"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

var somePasskey = domain.Passkey{ID: "cGFzc2tleQ", Name: "Phone", Created: fixture.At(1), LastUsed: fixture.At(2),
	Data: []byte(`{"id":"x"}`)}

func (s *suite) credentials(t *testing.T) {
	fixture.Run(t, "a new user has the credentials of the sign-up", func(t *testing.T) {
		user := fixture.Must[domain.User](t)(domain.NewUser(fixture.FreshName(), fixture.Epoch))
		fixture.Check(t, s.Accounts.CreateWith(t.Context(), user,
			domain.Credentials{Passkeys: []domain.Passkey{somePasskey}}))
		want := domain.Credentials{UserID: user.ID, Passkeys: []domain.Passkey{somePasskey}, Version: 1}
		if got := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(),
			user.ID)); !reflect.DeepEqual(got,
			want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
	fixture.Run(t, "credentials are read as written", func(t *testing.T) {
		c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), s.MustUser(t).ID))
		c.Email, c.EmailVerified, c.TOTP, c.TOTPStep, c.Recovery = "ada@example.org", true, []byte{0, 1, 255},
			58_000_000, []string{"a", "b"}
		c.Passkeys = []domain.Passkey{somePasskey, {ID: "eA", Created: fixture.At(3), Data: []byte{0}}}
		written := fixture.Must[domain.Credentials](t)(s.Credentials.Set(t.Context(), c))
		c.Version++
		read := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), c.UserID))
		if !reflect.DeepEqual(written, c) || !reflect.DeepEqual(read, c) {
			t.Errorf("wrote %+v, read %+v, want %+v", written, read, c)
		}
	})
	fixture.Run(t, "an update of outdated credentials is a conflict", func(t *testing.T) {
		c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), s.MustUser(t).ID))
		fixture.Must[domain.Credentials](t)(s.Credentials.Set(t.Context(), c))
		c.PasswordHash = "another"
		_, err := s.Credentials.Set(t.Context(), c)
		fixture.WantKind(t, err, domain.Conflict)
	})
	fixture.Run(t, "of identical concurrent updates one succeeds, so a code is valid once", func(t *testing.T) {
		c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), s.MustUser(t).ID))
		c.TOTPStep = 58_000_001
		var group sync.WaitGroup
		var won, lost atomic.Int32
		for range 8 {
			group.Go(func() {
				switch _, err := s.Credentials.Set(t.Context(), c); {
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
			t.Errorf("%d updates succeeded, %d were conflicts", won.Load(), lost.Load())
		}
	})
	fixture.Run(t, "an unknown user has no credentials", func(t *testing.T) {
		unknown := domain.NewUserID(nil)
		_, err := s.Credentials.Get(t.Context(), unknown)
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Credentials.Set(t.Context(), domain.Credentials{UserID: unknown})
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "setting a password keeps the other credentials", func(t *testing.T) {
		c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), s.MustUser(t).ID))
		c.PasswordHash, c.Recovery, c.Passkeys = "", []string{"a"}, []domain.Passkey{somePasskey}
		c = fixture.Must[domain.Credentials](t)(s.Credentials.Set(t.Context(), c))
		if err := s.Credentials.SetPassword(t.Context(), c.UserID, "new hash"); err != nil {
			t.Fatal(err)
		}
		c.PasswordHash, c.Version = "new hash", c.Version+1
		if got := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(),
			c.UserID)); !reflect.DeepEqual(got, c) {
			t.Errorf("they are %+v, want %+v", got, c)
		}
		_, err := s.Credentials.Set(t.Context(), domain.Credentials{UserID: c.UserID, Version: c.Version - 1})
		fixture.WantKind(t, err, domain.Conflict) // of the older counter
		fixture.WantKind(t, s.Credentials.SetPassword(t.Context(), domain.NewUserID(nil), "x"), domain.NotFound)
	})
	fixture.Run(t, "removing or replacing a login method ends sessions in the same transaction", func(t *testing.T) {
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
			user := fixture.Must[domain.User](t)(domain.NewUser(fixture.FreshName(), fixture.Epoch))
			fixture.Check(t, s.Accounts.CreateWith(t.Context(), user, has))
			c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), user.ID))
			one.change(&c)
			written := fixture.Must[domain.Credentials](t)(s.Credentials.Set(t.Context(), c))
			read := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), user.ID))
			if !reflect.DeepEqual(read, written) {
				t.Errorf("%s: wrote %+v, read %+v", name, written, read)
			}
			want := 0
			if one.ends {
				want = 1
			}
			if got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)).SessionVersion; got != want {
				t.Errorf("%s: the session version is %d, want %d", name, got, want)
			}
		}
	})
	fixture.Run(t, "setting up an authenticator app ends sessions", func(t *testing.T) {
		user := s.MustUser(t)
		c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), user.ID))
		c.TOTP, c.Recovery = []byte("x"), []string{"a"}
		fixture.Must[domain.Credentials](t)(s.Credentials.Set(t.Context(), c))
		if got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)).SessionVersion; got != 1 {
			t.Errorf("the session version is %d, want 1", got)
		}
	})
	fixture.Run(t, "clearing factors keeps the only login method", func(t *testing.T) {
		for _, hash := range []string{"hash", ""} {
			c := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), s.MustUser(t).ID))
			c.PasswordHash, c.TOTP, c.TOTPStep, c.Recovery, c.Passkeys = hash, []byte("x"), 5, []string{"a"},
				[]domain.Passkey{somePasskey}
			fixture.Must[domain.Credentials](t)(s.Credentials.Set(t.Context(), c))
			fixture.Must[domain.Credentials](t)(s.Credentials.ClearFactors(t.Context(), c.UserID))
			got := fixture.Must[domain.Credentials](t)(s.Credentials.Get(t.Context(), c.UserID))
			if got.TOTP != nil || got.TOTPStep != 0 || got.Recovery != nil || got.CountLoginMethods() != 1 ||
				got.PasswordHash != hash {
				t.Errorf("the remaining credentials are %+v", got)
			}
			again := fixture.Must[domain.Credentials](t)(s.Credentials.ClearFactors(t.Context(), c.UserID))
			if again.Version != got.Version {
				t.Error("credentials without factors were written")
			}
		}
	})
}

func (s *suite) mustSecret(t *testing.T, expires time.Time) domain.Secret {
	t.Helper()
	secret := domain.Secret{Kind: domain.SecretLogin, Digest: domain.SecretDigest(rand.Text()),
		UserID:  domain.NewUserID(nil),
		Payload: []byte{0, 255}, Expires: domain.Timestamp(expires)}
	fixture.Check(t, s.Secrets.Put(t.Context(), secret))
	return secret
}

func (s *suite) secrets(t *testing.T) {
	soon := time.Now().Add(time.Hour)
	fixture.Run(t, "a secret is taken once", func(t *testing.T) {
		secret := s.mustSecret(t, soon)
		fixture.Check(t, s.Secrets.Put(t.Context(), secret)) // the response was lost
		for _, read := range []domain.Secret{fixture.Must[domain.Secret](t)(s.Secrets.Get(t.Context(), secret.Kind,
			secret.Digest)),
			fixture.Must[domain.Secret](t)(s.Secrets.Take(t.Context(), secret.Kind, secret.Digest))} {
			if read.UserID != secret.UserID || string(read.Payload) != string(secret.Payload) ||
				!read.Expires.Equal(secret.Expires) {
				t.Errorf("got %+v, want %+v", read, secret)
			}
		}
		_, err := s.Secrets.Take(t.Context(), secret.Kind, secret.Digest)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "one of many concurrent requests takes a secret", func(t *testing.T) {
		secret := s.mustSecret(t, soon)
		var group sync.WaitGroup
		var taken atomic.Int32
		for range 8 {
			group.Go(func() {
				if _, err := s.Secrets.Take(t.Context(), secret.Kind, secret.Digest); err == nil {
					taken.Add(1)
				} else if !domain.Is(err, domain.NotFound) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if taken.Load() != 1 {
			t.Errorf("%d requests took the secret", taken.Load())
		}
	})
	fixture.Run(t, "a secret of another kind, an expired one and an unknown one are not found", func(t *testing.T) {
		secret, past := s.mustSecret(t, soon), s.mustSecret(t, time.Now().Add(-time.Second))
		for _, not := range []domain.Secret{{Kind: domain.SecretReset, Digest: secret.Digest}, past,
			{Kind: domain.SecretLogin, Digest: domain.SecretDigest("nobody's")},
			{Kind: domain.SecretLogin, Digest: ""}} {
			_, err := s.Secrets.Get(t.Context(), not.Kind, not.Digest)
			fixture.WantKind(t, err, domain.NotFound)
			_, err = s.Secrets.Try(t.Context(), not.Kind, not.Digest, 5)
			fixture.WantKind(t, err, domain.NotFound)
			_, err = s.Secrets.Take(t.Context(), not.Kind, not.Digest)
			fixture.WantKind(t, err, domain.NotFound)
		}
	})
	fixture.Run(t, "the number of attempts is exact, also with concurrent requests", func(t *testing.T) {
		secret := s.mustSecret(t, soon)
		var group sync.WaitGroup
		var given atomic.Int32
		for range 8 {
			group.Go(func() {
				if _, err := s.Secrets.Try(t.Context(), secret.Kind, secret.Digest, 5); err == nil {
					given.Add(1)
				} else if !domain.Is(err, domain.NotFound) {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if given.Load() != 5 {
			t.Errorf("%d attempts are counted, want 5", given.Load())
		}
		// Too many attempts do not prevent taking the secret: the caller enforces the limit.
		fixture.Must[domain.Secret](t)(s.Secrets.Take(t.Context(), secret.Kind, secret.Digest))
	})
}
