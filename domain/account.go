package domain

import (
	"crypto/sha256"
	"encoding/hex"
	"net/mail"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"inkfeed/domain/plaintext"
)

// Credentials are how a user proves to be one. Only who checks them reads them.
type Credentials struct {
	UserID       string
	PasswordHash string // empty: there is no password, but a passkey
	// Email is where the user can be reached, empty: nowhere. It counts, for a lost
	// password say, once it is verified.
	Email         string
	EmailVerified bool
	// PendingEmail is to take the place of a verified address, once it is verified itself.
	PendingEmail string
	// TOTP is the sealed secret of the second factor, empty: none. TOTPStep is the time
	// step of the last code that was taken: each is good once.
	TOTP     []byte
	TOTPStep int64
	// Recovery are digests of the codes that replace a second factor, each once.
	Recovery []string
	Passkeys []Passkey
	// Version counts their changes. A change names the version that it began from.
	Version int
}

// AwaitedEmail is the address that is yet to be verified, empty: none.
func (c Credentials) AwaitedEmail() string {
	if c.EmailVerified {
		return c.PendingEmail
	}
	return c.Email
}

// WithAwaitedEmail are the credentials with another address to be verified, empty: none. A
// verified one stays.
func (c Credentials) WithAwaitedEmail(email string) Credentials {
	if c.EmailVerified {
		c.PendingEmail = email
	} else {
		c.Email = email
	}
	return c
}

// WaysIn counts how the user can log in: by the password, and by each passkey.
func (c Credentials) WaysIn() int {
	n := len(c.Passkeys)
	if c.PasswordHash != "" {
		n++
	}
	return n
}

// EndsSessions reports whether changing c to next ends all sessions of the user and the log-ins
// that are under way. It does if next removes or replaces a credential that a log-in may have used,
// or requires more than c. An additional passkey, a new e-mail address and the use of a code end no
// session.
func (c Credentials) EndsSessions(next Credentials) bool {
	addedCode := func(digest string) bool { return !slices.Contains(c.Recovery, digest) }
	removed := func(p Passkey) bool {
		return !slices.ContainsFunc(next.Passkeys, func(n Passkey) bool { return n.ID == p.ID })
	}
	return c.PasswordHash != next.PasswordHash ||
		(len(c.TOTP) > 0) != (len(next.TOTP) > 0) ||
		slices.ContainsFunc(next.Recovery, addedCode) ||
		slices.ContainsFunc(c.Passkeys, removed)
}

// Passkey is a WebAuthn credential of a user's.
type Passkey struct {
	ID       string    `json:"id"` // in base64url
	Name     string    `json:"name"`
	Created  time.Time `json:"creationDate"`
	LastUsed time.Time `json:"lastUse,omitzero"`
	Data     []byte    `json:"data"` // what the library checks it by
}

// WithoutFactors are the credentials without what replaces or comes after the password,
// and whether there was something. The passkeys of one who has no password stay.
func (c Credentials) WithoutFactors() (Credentials, bool) {
	changed := len(c.TOTP) > 0 || len(c.Recovery) > 0
	c.TOTP, c.TOTPStep, c.Recovery = nil, 0, nil
	if c.PasswordHash != "" && len(c.Passkeys) > 0 {
		c.Passkeys, changed = nil, true
	}
	return c, changed
}

// SessionTime is how long a session lasts after it was last used.
const SessionTime = 30 * 24 * time.Hour

// Session is a browser in which a user is signed in.
type Session struct {
	ID       string // the digest of what the browser's cookie says: see SecretDigest
	UserID   string
	Device   string // as the browser names itself, in a few words
	Created  time.Time
	LastUsed time.Time // to within minutes
	// Confirmed is when the user last proved to be one in it: what matters most asks for
	// that again after a while.
	Confirmed time.Time
	// SessionVersion is the user's version, read before the log-in checked any proof.
	SessionVersion int
}

// EndedFor reports whether all sessions of the user have been ended since the log-in that began
// this one. A session that was stored before versions existed has version 0, like its user. It
// continues until the user's version is raised for the first time.
func (s Session) EndedFor(u User) bool { return s.SessionVersion < u.SessionVersion }

// SecretKind is what a secret is for: one of one kind is none of another.
type SecretKind string

const (
	SecretLogin       SecretKind = "login"        // a log-in that waits for its second factor
	SecretPasskey     SecretKind = "passkey"      // a challenge to a passkey
	SecretReset       SecretKind = "reset"        // a new password for a lost one
	SecretVerifyEmail SecretKind = "verify-email" // the proof that an address is the user's
)

// SecretKinds lists them.
func SecretKinds() []SecretKind {
	return []SecretKind{SecretLogin, SecretPasskey, SecretReset, SecretVerifyEmail}
}

// Secret is something that somebody is given, to come back with it once. The storage knows
// its digest only.
type Secret struct {
	Kind    SecretKind
	Digest  string // see SecretDigest
	UserID  string // whom it is about, empty: nobody yet
	Payload []byte // at most some kilobytes
	Expires time.Time
}

// SecretDigest is what is kept of a random text that nobody else is to know.
func SecretDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// MaxPasskeyName is how many characters the name of a passkey has at most.
const MaxPasskeyName = 60

// CleanPasskeyName is what a user calls a passkey, as an Invalid error about the field
// "name" when it can be no name.
func CleanPasskeyName(name string) (string, error) {
	name = plaintext.CleanLine(name)
	if message := checkText("The name", name, MaxPasskeyName); message != "" {
		return name, FieldError("name", message)
	}
	return name, nil
}

// Departure says that an account is, or was, to be deleted at a time. The user itself is
// what counts: it may have been kept since.
type Departure struct {
	UserID string
	At     time.Time
	ETag   string // of the entry as it was read
}

// MaxEmail is how many bytes an e-mail address has at most, as mail servers take them.
const MaxEmail = 254

// CleanEmail validates an e-mail address, and writes its domain in the one way that mail
// servers know. The error is an Invalid one about the field "email".
func CleanEmail(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", FieldError("email", "Enter your email address.")
	}
	local, host, ok := strings.Cut(text, "@")
	if !ok || local == "" || len(host) > 4*MaxEmail || // before its conversion to ASCII, which takes long
		len(local) > 64 || strings.ContainsFunc(local, func(r rune) bool { return r <= ' ' || r >= 127 }) ||
		strings.ContainsAny(local, `"<>(),:;\[]`) {
		return text, errNoEmail
	}
	host, err := idna.Lookup.ToASCII(strings.ToLower(host))
	if err != nil || !strings.Contains(host, ".") {
		return text, errNoEmail
	}
	email := local + "@" + host
	if parsed, err := mail.ParseAddress(email); err != nil || parsed.Address != email || len(email) > MaxEmail {
		return text, errNoEmail
	}
	return email, nil
}

var errNoEmail = FieldError("email", "Enter an email address like name@example.org.")

// EmailKey is what a clean e-mail address is unique by: who has a mailbox has it in letters
// of both cases.
func EmailKey(email string) string { return SecretDigest(strings.ToLower(email)) }

// ErrEmailTaken says that another account has the address.
var ErrEmailTaken = FieldError("email", "Another account uses this address. Log in to that account or use another address.")
