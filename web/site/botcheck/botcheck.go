// Package botcheck finds forms that were filled in by programs.
package botcheck

import (
	"net/url"
	"time"

	"inkfeed/domain"
)

// Checker distinguishes programs that fill in forms from people. The form has a honeypot field that
// people do not see, and a token with the signed time when the form was made. A form whose field is filled, or whose
// token is invalid or used, is shown again with an explanation, and nothing the user typed is lost. A form that was
// submitted in haste is accepted, because password managers are quick, too: a moderator reviews its text.
type Checker struct {
	TimeSigner
	minAge time.Duration // a form is in haste before this age; 0: the token is not checked
	maxAge time.Duration // maximum age of a form: the token of an older form may have been copied
}

// Names of the form fields.
const (
	honeypotField = "homepage"
	tokenField    = "stamp"
)

// MaxSignupFormAge is the maximum age of a sign-up form.
const MaxSignupFormAge = 24 * time.Hour

// DefaultSignupTime is the default time below which a form was filled in in haste.
const DefaultSignupTime = 2 * time.Second

// New returns a Checker that signs form tokens with keys derived from the secrets. Forms are
// accepted up to maxAge after they were made, and are in haste before minAge. With a minAge of 0 the token is not
// checked, only the honeypot.
func New(secrets [][]byte, minAge, maxAge time.Duration) (Checker, error) {
	times, err := NewTimeSigner(secrets, "stamp of a form")
	return Checker{times, minAge, maxAge}, err
}

// Check returns why a submitted form is rejected, or whether it was submitted in haste, and the form token for showing
// the form again. It returns the same token while that is valid, so that the form gets older.
func (t Checker) Check(sent url.Values, now time.Time) (token string, hasty bool, err error) {
	made, ok := t.Verify(sent.Get(tokenField))
	age := now.Sub(made)
	// another server's clock may be ahead
	if token = sent.Get(tokenField); !ok || age > t.maxAge || age < -time.Minute {
		ok, token = false, t.SignUnique(now)
	}
	err = CheckHoneypot(sent)
	switch {
	case err != nil:
		return token, false, err
	case t.minAge <= 0:
		return token, false, nil
	case !ok: // it may be a form that was sent before
		return token, false, domain.NewError(domain.Invalid, "This form has expired. Please try again.")
	}
	return token, age < t.minAge, nil
}

// CheckHoneypot returns an error for a form whose honeypot field is filled. It is the check for forms on cached pages,
// which can have no token.
func CheckHoneypot(sent url.Values) error {
	if sent.Get(honeypotField) != "" {
		return domain.NewError(domain.Invalid,
			"A hidden field was filled in, perhaps by a browser extension. We have cleared it: please try again.")
	}
	return nil
}

// ErrSent is the error for a form whose token was used before.
var ErrSent error = domain.NewError(domain.Invalid,
	"This form was already sent. If your account doesn't exist yet, please try again.")

// Use marks the token of a form that Check has accepted as used, if isFirst reports that it is used for the first time,
// and otherwise returns ErrSent. The new token, for showing the form again, is as old as the first one.
func (t Checker) Use(token string, isFirst func(token string) bool) (next string, err error) {
	made, ok := t.Verify(token)
	switch {
	case !ok || t.minAge <= 0:
		return token, nil
	case !isFirst(token):
		return t.SignUnique(time.Now()), ErrSent
	}
	return t.SignUnique(made), nil
}

// NewAccountChecker checks the forms of posts and comments, for new accounts only.
type NewAccountChecker struct{ Checker }

// applies reports whether the user's forms are checked. A user who is not signed in may be new.
func (t NewAccountChecker) applies(u domain.User, now time.Time) bool {
	return u.ID == "" || u.Untrusted(domain.DefaultReviewPeriod, now)
}

// TokenFor returns the token of a form for this user; empty: the form is not checked.
func (t NewAccountChecker) TokenFor(u domain.User) string {
	if now := time.Now(); t.applies(u, now) {
		return t.Sign(now)
	}
	return ""
}

// TokenForSaved is TokenFor for a form with a text that was saved before. It is never in haste, because its
// author wrote the text earlier.
func (t NewAccountChecker) TokenForSaved(u domain.User) string {
	if now := time.Now(); t.applies(u, now) {
		return t.Sign(now.Add(-t.minAge))
	}
	return ""
}

// CheckUser is Check for this user's form. It accepts every form of a user whose account is not new.
func (t NewAccountChecker) CheckUser(u domain.User, sent url.Values) (token string, hasty bool, err error) {
	now := time.Now()
	if !t.applies(u, now) {
		return "", false, nil
	}
	if token, hasty, err = t.Check(sent, now); u.ID == "" {
		err = nil // the handler rejects the form with 401, and the user can send it again after logging in
	}
	return token, hasty, err
}
