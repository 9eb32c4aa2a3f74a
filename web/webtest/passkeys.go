package webtest

import (
	"encoding/json"
	"testing"

	"github.com/descope/virtualwebauthn"
)

// Passkeys holds one passkey for http://example.com.
type Passkeys struct {
	t     testing.TB
	party virtualwebauthn.RelyingParty
	Auth  virtualwebauthn.Authenticator
	Key   virtualwebauthn.Credential
}

// NewPasskeys returns a device with a new passkey.
func NewPasskeys(t testing.TB) *Passkeys {
	return &Passkeys{t, virtualwebauthn.RelyingParty{Name: "Inkfeed", ID: "example.com", Origin: "http://example.com"},
		virtualwebauthn.NewAuthenticator(), newKey()}
}

// newKey returns a passkey whose coordinates have all 32 bytes, as COSE requires. The library omits
// leading zeros, which one key in 128 has.
func newKey() virtualwebauthn.Credential {
	for {
		key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
		if len(key.Key.AttestationData()) == 77 {
			return key
		}
	}
}

// PasskeyOptions requests a challenge and returns its options.
func (v *Visitor) PasskeyOptions(purpose string, more ...string) string {
	v.T.Helper()
	a := v.Post("/passkeys/challenge", append([]string{"for", purpose}, more...)...).Want(200)
	if a.Header.Get("Cache-Control") != "no-store" {
		v.T.Error("a challenge may be cached")
	}
	var response struct{ PublicKey json.RawMessage }
	if err := json.Unmarshal([]byte(a.Body), &response); err != nil {
		v.T.Fatal(err)
	}
	return string(response.PublicKey)
}

// Create returns the device's response to options for a new passkey.
func (d *Passkeys) Create(options string) string {
	d.t.Helper()
	o, err := virtualwebauthn.ParseAttestationOptions(options)
	if err != nil {
		d.t.Fatal(err)
	}
	var user struct{ User struct{ ID string } }
	if err := json.Unmarshal([]byte(options), &user); err != nil {
		d.t.Fatal(err)
	}
	d.Auth.Options.UserHandle = []byte(o.UserID)
	return virtualwebauthn.CreateAttestationResponse(d.party, d.Auth, d.Key, *o)
}

// Sign returns the device's response to options for an existing passkey.
func (d *Passkeys) Sign(options string) string {
	d.t.Helper()
	o, err := virtualwebauthn.ParseAssertionOptions(options)
	if err != nil {
		d.t.Fatal(err)
	}
	d.Key.Counter++
	return virtualwebauthn.CreateAssertionResponse(d.party, d.Auth, d.Key, *o)
}

// RegisterPasskey registers a new passkey for the visitor.
func (v *Visitor) RegisterPasskey() *Passkeys {
	v.T.Helper()
	d := NewPasskeys(v.T)
	v.Post("/settings/security/passkeys/new", "name", "Telephone", "passkey", d.Create(v.PasskeyOptions("new"))).
		WantRedirect(303, "/settings/security?done=passkey")
	return d
}

// LogInWithPasskey logs in with a passkey.
func (s *Site) LogInWithPasskey(d *Passkeys) *Visitor {
	s.T.Helper()
	v := s.Anonymous()
	v.Post("/login", "passkey", d.Sign(v.PasskeyOptions("login"))).WantRedirect(303, "/")
	return v
}
