// Package domain holds users, posts, comments, likes and the rules that they obey, independently of how they
// are stored or shown. Of this module it imports only names, plaintext, locale, palette and siteinfo.
//
// Values are plain structs. Constructors named New… validate what a form sent and report all invalid fields at
// once: see Error.
package domain

import (
	"crypto/sha256"
	"encoding/hex"
	"net/mail"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// Credentials are the secrets by which users prove their identity. Only the code that checks them reads them.
type Credentials struct {
	UserID       string
	PasswordHash string // empty if the user has passkeys only
	// Email is the user's address, or empty. It can be used, for example to reset a password, once it is verified.
	Email         string
	EmailVerified bool
	// PendingEmail replaces a verified address once it is verified itself.
	PendingEmail string
	// TOTP is the encrypted secret of the second factor, empty if there is none. TOTPStep is the time step of the
	// last accepted code, so that each code is accepted once.
	TOTP     []byte
	TOTPStep int64
	// Recovery holds the digests of the recovery codes that are left. Each replaces the second factor once.
	Recovery []string
	Passkeys []Passkey
	// Version counts the changes. A change names the version that it began from.
	Version int
}

// AwaitedEmail returns the address that still has to be verified, or an empty string.
func (c Credentials) AwaitedEmail() string {
	if c.EmailVerified {
		return c.PendingEmail
	}
	return c.Email
}

// WithAwaitedEmail returns the credentials with a new address to verify, which may be empty. A verified address stays
// until the new one is verified.
func (c Credentials) WithAwaitedEmail(email string) Credentials {
	if c.EmailVerified {
		c.PendingEmail = email
	} else {
		c.Email = email
	}
	return c
}

// CountLoginMethods returns the number of ways in which the user can log in: a password counts as one, and so does each
// passkey.
func (c Credentials) CountLoginMethods() int {
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
	Data     []byte    `json:"data"` // the credential as the WebAuthn library encodes it
}

// WithoutFactors returns the credentials without second factors and, if there is a password, without passkeys. It
// also reports whether there was anything to remove.
func (c Credentials) WithoutFactors() (Credentials, bool) {
	changed := len(c.TOTP) > 0 || len(c.Recovery) > 0
	c.TOTP, c.TOTPStep, c.Recovery = nil, 0, nil
	if c.PasswordHash != "" && len(c.Passkeys) > 0 {
		c.Passkeys, changed = nil, true
	}
	return c, changed
}

// SessionTime is the lifetime of a session after its last use.
const SessionTime = 30 * 24 * time.Hour

// DeviceName returns the name of a device for pages and mails. The description names a browser and an operating system,
// such as "Firefox on Windows".
func DeviceName(description string) locale.Message {
	browser, system, both := strings.Cut(description, " on ")
	switch {
	case !both && browser == "Unknown browser":
		return locale.M("Unknown browser")
	case !both:
		return locale.Verbatim(browser)
	case browser == "Unknown browser":
		return locale.M("Unknown browser on {system}", "system", system)
	}
	return locale.M("{browser} on {system}", "browser", browser, "system", system)
}

// Session is one browser in which a user is logged in.
type Session struct {
	ID       string // the SecretDigest of the secret in the browser's cookie
	UserID   string
	Device   string // a short description made of the browser's user agent
	Created  time.Time
	LastUsed time.Time // to within minutes
	// Confirmed is when the user last proved their identity in this session. Critical actions require a recent
	// confirmation.
	Confirmed time.Time
	// SessionVersion is that of the user at the log-in. It was read before any proof was checked.
	SessionVersion int
}

// EndedFor reports whether all sessions of the user have been ended since the log-in that began
// this one. A session that was stored before versions existed has version 0, like its user. It
// continues until the user's version is raised for the first time.
func (s Session) EndedFor(u User) bool { return s.SessionVersion < u.SessionVersion }

// SecretKind is the purpose of a secret. A secret of one kind is not accepted for another.
type SecretKind string

const (
	SecretLogin       SecretKind = "login"        // a log-in that waits for its second factor
	SecretPasskey     SecretKind = "passkey"      // a challenge to a passkey
	SecretReset       SecretKind = "reset"        // a new password for a lost one
	SecretVerifyEmail SecretKind = "verify-email" // the proof that an address is the user's
)

// SecretKinds returns all kinds of secrets.
func SecretKinds() []SecretKind {
	return []SecretKind{SecretLogin, SecretPasskey, SecretReset, SecretVerifyEmail}
}

// Secret is the stored form of a random text that proves its holder's identity once, such as the token in a link to
// reset a password. Only a digest of the text is stored.
type Secret struct {
	Kind    SecretKind
	Digest  string // see SecretDigest
	UserID  string // the user whom it identifies, or empty if there is none yet
	Payload []byte // at most some kilobytes
	Expires time.Time
}

// SecretDigest returns the digest of a random text that only its holder knows.
func SecretDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// MaxPasskeyName is the maximum length of a passkey's name, in characters.
const MaxPasskeyName = 60

// CleanPasskeyName validates and normalises the name that a user gives to a passkey. The error is Invalid, about the
// field "name".
func CleanPasskeyName(name string) (string, error) {
	name = plaintext.CleanLine(name)
	if message := textProblem(nameTexts, name, MaxPasskeyName); !message.IsZero() {
		return name, FieldMessage("name", message)
	}
	return name, nil
}

// MaxEmail is the maximum length of an e-mail address, in bytes, that mail servers accept.
const MaxEmail = 254

// CleanEmail validates an e-mail address and converts its domain to lower-case ASCII. The error is Invalid, about the
// field "email".
func CleanEmail(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", FieldError("email", "Enter your email address.")
	}
	local, host, ok := strings.Cut(text, "@")
	if !ok || local == "" || len(host) > 4*MaxEmail || // converting a long one to ASCII would take long
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

// EmailKey is the key by which e-mail addresses are unique. Upper and lower case make no difference.
func EmailKey(email string) string { return SecretDigest(strings.ToLower(email)) }

// ErrEmailTaken is the error for an address that another account has.
var ErrEmailTaken = FieldError("email",
	"Another account uses this address. Log in to that account or use another address.")

// Role is a user's level of permissions. Each role includes the permissions of the roles before it.
type Role string

const (
	RoleReader        Role = "reader"        // can comment, like and bookmark posts
	RoleAuthor        Role = ""              // can write posts; the default
	RoleModerator     Role = "moderator"     // see Role.MayModerate
	RoleAdministrator Role = "administrator" // see Role.MayAdminister
)

// Roles returns all roles, from the fewest permissions to the most.
func Roles() []Role { return []Role{RoleReader, RoleAuthor, RoleModerator, RoleAdministrator} }

// String returns the role's name, as people type it.
func (r Role) String() string {
	if r == RoleAuthor {
		return "author"
	}
	return string(r)
}

// Label is the role in words: the noun for a user who has it.
func (r Role) Label() locale.Message {
	switch r {
	case RoleReader:
		return locale.M("reader|role")
	case RoleAuthor:
		return locale.M("author|role")
	case RoleModerator:
		return locale.M("moderator|role")
	}
	return locale.M("administrator|role")
}

// ParseRole returns the role with a name. The error is Invalid, about the field "role".
func ParseRole(name string) (Role, error) {
	for _, r := range Roles() {
		if r.String() == name {
			return r, nil
		}
	}
	return "", FieldError("role", "Choose a role: reader, author, moderator or administrator.")
}

// MayWrite reports whether users with the role may publish posts.
func (r Role) MayWrite() bool { return r != RoleReader }

// MayModerate reports whether users with the role may moderate other users' texts.
func (r Role) MayModerate() bool { return r == RoleModerator || r == RoleAdministrator }

// MayAdminister reports whether users with the role may manage accounts and the site.
func (r Role) MayAdminister() bool { return r == RoleAdministrator }

// Step says what a bounded step of work on everything that a user wrote has done.
type Step struct {
	Items int  // that were changed or deleted
	Posts int  // among them
	Tags  int  // of these posts
	More  bool // there may be more to do
}
