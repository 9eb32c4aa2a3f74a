package factor_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"inkfeed/domain"
	"inkfeed/web/factor"
)

var now = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// device is a virtual authenticator for a site.
type device struct {
	party virtualwebauthn.RelyingParty
	auth  virtualwebauthn.Authenticator
	key   virtualwebauthn.Credential
}

func newDevice(host, origin, userID string) *device {
	return &device{virtualwebauthn.RelyingParty{Name: "Inkfeed", ID: host, Origin: origin},
		virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{UserHandle: []byte(userID)}),
		newKey()}
}

// newKey returns a passkey whose coordinates have all their 32 bytes, as COSE requires and devices send them. The
// library omits leading zeros, which one key of 128 has.
func newKey() virtualwebauthn.Credential {
	for {
		key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
		if len(key.Key.AttestationData()) == 77 {
			return key
		}
	}
}

func (d *device) register(t *testing.T, c factor.Challenge) []byte {
	t.Helper()
	options, err := virtualwebauthn.ParseAttestationOptions(string(c.Options))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(virtualwebauthn.CreateAttestationResponse(d.party, d.auth, d.key, *options))
}

func (d *device) answer(t *testing.T, c factor.Challenge) []byte {
	t.Helper()
	options, err := virtualwebauthn.ParseAssertionOptions(string(c.Options))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(virtualwebauthn.CreateAssertionResponse(d.party, d.auth, d.key, *options))
}

func site(t *testing.T, address string) factor.Site {
	t.Helper()
	s, ok := factor.ParseSite(address, "Inkfeed")
	if !ok {
		t.Fatalf("no passkeys at %s", address)
	}
	return s
}

func mustBe[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// enrolled returns an account with a passkey on a device.
func enrolled(t *testing.T, s factor.Site, host, origin string) (factor.Account, *device) {
	t.Helper()
	ada := factor.Account{ID: "adas-id", Username: "ada"}
	d := newDevice(host, origin, ada.ID)
	c := mustBe[factor.Challenge](t)(s.BeginRegistration(ada))
	p := mustBe[domain.Passkey](t)(s.FinishRegistration(ada, c.State, d.register(t, c), now))
	if p.ID == "" || !p.Created.Equal(now) || len(p.Data) > 2000 {
		t.Errorf("the passkey is %+v with %d bytes of data", p, len(p.Data))
	}
	ada.Passkeys = []domain.Passkey{p}
	return ada, d
}

func wantRefused(t *testing.T, err error) {
	t.Helper()
	if !domain.Is(err, domain.Invalid) {
		t.Errorf("the error is %v", err)
	}
}

const here, origin = "blog.example.org", "https://blog.example.org:8443"

func TestPasskeysAreVerified(t *testing.T) {
	s := site(t, origin)
	t.Run("with options that require a resident key and user verification", func(t *testing.T) {
		ada, _ := enrolled(t, s, here, origin)
		c := mustBe[factor.Challenge](t)(s.BeginRegistration(ada))
		var options struct {
			RP                     struct{ ID string }
			User                   struct{ ID, Name, DisplayName string }
			Attestation            string
			AuthenticatorSelection struct{ ResidentKey, UserVerification string }
			ExcludeCredentials     []struct{ ID string }
		}
		if err := json.Unmarshal(c.Options, &options); err != nil {
			t.Fatal(err)
		}
		if options.RP.ID != here || options.User.Name != "ada" || options.User.DisplayName != "ada" ||
			options.Attestation != "none" ||
			options.AuthenticatorSelection.ResidentKey != "required" ||
			options.AuthenticatorSelection.UserVerification != "required" ||
			len(options.ExcludeCredentials) != 1 || options.ExcludeCredentials[0].ID != ada.Passkeys[0].ID {
			t.Errorf("the options are %s", c.Options)
		}
	})
	t.Run("and identify their user", func(t *testing.T) {
		ada, d := enrolled(t, s, here, origin)
		for _, asked := range []factor.Account{{}, ada} {
			c := mustBe[factor.Challenge](t)(s.BeginLogin(asked))
			d.key.Counter++
			answer := d.answer(t, c)
			id, userID, err := factor.ParseAnswer(answer)
			if err != nil || id != c.ID || userID != ada.ID {
				t.Fatalf("the answer has the id %q and the user %q, error %v", id, userID, err)
			}
			used := mustBe[domain.Passkey](t)(s.FinishLogin(ada, c.State, answer, now.Add(time.Hour)))
			if used.ID != ada.Passkeys[0].ID || !used.LastUsed.Equal(now.Add(time.Hour)) || !used.Created.Equal(now) {
				t.Errorf("the passkey is %+v", used)
			}
			ada.Passkeys[0] = used
		}
	})
	t.Run("and refused", func(t *testing.T) {
		for name, spoil := range map[string]func(*factor.Account, *device, *factor.Challenge){
			"to another challenge": func(_ *factor.Account, _ *device, c *factor.Challenge) {
				other := mustBe[factor.Challenge](t)(s.BeginLogin(factor.Account{}))
				c.State = other.State
			},
			"from another site": func(_ *factor.Account, d *device, _ *factor.Challenge) {
				d.party.Origin = "https://blog.examp1e.org:8443"
			},
			"for another site": func(_ *factor.Account, d *device, _ *factor.Challenge) { d.party.ID = "example.org" },
			"of another user":  func(h *factor.Account, _ *device, _ *factor.Challenge) { h.ID = "bens-id" },
			"that was removed": func(h *factor.Account, _ *device, _ *factor.Challenge) { h.Passkeys = nil },
			"with another key": func(_ *factor.Account, d *device, _ *factor.Challenge) {
				d.key.Key = newKey().Key
			},
			"without its user": func(_ *factor.Account, d *device, _ *factor.Challenge) {
				d.auth.Options.UserHandle = nil
			},
			"of nobody verified": func(_ *factor.Account, d *device, _ *factor.Challenge) {
				d.auth.Options.UserNotVerified = true
			},
			"of nobody present": func(_ *factor.Account, d *device, _ *factor.Challenge) {
				d.auth.Options.UserNotPresent = true
			},
			"of an older release":   func(_ *factor.Account, _ *device, c *factor.Challenge) { c.State = []byte("{") },
			"without any challenge": func(_ *factor.Account, _ *device, c *factor.Challenge) { c.State = []byte("{}") },
		} {
			t.Run(name, func(t *testing.T) {
				ada, d := enrolled(t, s, here, origin)
				c := mustBe[factor.Challenge](t)(s.BeginLogin(factor.Account{}))
				spoil(&ada, d, &c)
				_, err := s.FinishLogin(ada, c.State, d.answer(t, c), now)
				wantRefused(t, err)
			})
		}
	})
	t.Run("and refused if the counter decreases, since the passkey may be a copy", func(t *testing.T) {
		ada, d := enrolled(t, s, here, origin)
		for counter, want := range []bool{5: true, 6: true, 7: false} {
			if counter < 5 {
				continue
			}
			c := mustBe[factor.Challenge](t)(s.BeginLogin(ada))
			d.key.Counter = uint32(counter)
			if !want {
				d.key.Counter = 6 // unchanged
			}
			used, err := s.FinishLogin(ada, c.State, d.answer(t, c), now)
			if (err == nil) != want {
				t.Fatalf("counter %d: error %v", counter, err)
			}
			if want {
				ada.Passkeys[0] = used
			}
		}
	})
	t.Run("and not registered without user verification, for another user or from another site", func(t *testing.T) {
		for _, spoil := range []func(*factor.Account, *device){
			func(_ *factor.Account, d *device) { d.auth.Options.UserNotVerified = true },
			func(h *factor.Account, _ *device) { h.ID = "bens-id" },
			func(_ *factor.Account, d *device) { d.party.Origin = "https://evil.example" },
		} {
			ada := factor.Account{ID: "adas-id", Username: "ada"}
			d := newDevice(here, origin, ada.ID)
			c := mustBe[factor.Challenge](t)(s.BeginRegistration(ada))
			spoil(&ada, d)
			_, err := s.FinishRegistration(ada, c.State, d.register(t, c), now)
			wantRefused(t, err)
		}
	})
	t.Run("only at host names", func(t *testing.T) {
		for address, want := range map[string]bool{
			"http://127.0.0.1:8080":    false,
			"http://[::1]":             false,
			"":                         false,
			"https://":                 false,
			"http://localhost:8080":    true,
			"https://Blog.example.org": true,
		} {
			if _, ok := factor.ParseSite(address, "Inkfeed"); ok != want {
				t.Errorf("%s: %t, want %t", address, ok, want)
			}
		}
	})
}

func FuzzAnswers(f *testing.F) {
	s, _ := factor.ParseSite("http://localhost", "Inkfeed")
	c, err := s.BeginLogin(factor.Account{})
	if err != nil {
		f.Fatal(err)
	}
	d := newDevice("localhost", "http://localhost", "ada")
	options, err := virtualwebauthn.ParseAssertionOptions(string(c.Options))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(virtualwebauthn.CreateAssertionResponse(d.party, d.auth, d.key, *options)))
	f.Add([]byte(strings.Repeat(`{"response":`, 1000)))
	f.Add([]byte(`{"response":{"clientDataJSON":"e30","userHandle":""}}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		_, userID, err := factor.ParseAnswer(answer)
		if err != nil && !domain.Is(err, domain.Invalid) || len(userID) > len(answer) {
			t.Errorf("the user is %q, error %v", userID, err)
		}
		for _, h := range []factor.Account{{}, {ID: "ada", Username: "ada"}} {
			if _, err := s.FinishLogin(h, c.State, bytes.Clone(answer), now); !domain.Is(err, domain.Invalid) {
				t.Errorf("a log-in succeeded or failed with %v", err)
			}
			if _, err := s.FinishRegistration(h, c.State, bytes.Clone(answer), now); !domain.Is(err, domain.Invalid) {
				t.Errorf("a registration succeeded or failed with %v", err)
			}
		}
	})
}
