package domain

import (
	"net/mail"
	"strings"

	"golang.org/x/net/idna"
)

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
