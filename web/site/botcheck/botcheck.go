package botcheck

import (
	"net/url"
	"time"

	"inkfeed/domain"
)

// Checker tells programs that fill in forms from people. There is a field that people do not
// see, and the form says when it was made, so that what is filled in faster than people
// can comes back. Whoever is caught is told what to do, and loses nothing.
type Checker struct {
	TimeSigner
	least  time.Duration // to fill the form in, 0: there is no trap in time
	oldest time.Duration // that a form may be: an older one may have been copied, and is shown anew
}

// The fields of a trap.
const (
	trapField  = "homepage"
	stampField = "stamp"
)

// SignupFormAge is how old the form of a sign-up may be.
const SignupFormAge = 24 * time.Hour

// DefaultSignupTime is the least that people take to fill in the form of a sign-up. Who
// lets a password manager do it has to choose a username.
const DefaultSignupTime = 2 * time.Second

func New(secrets [][]byte, least, oldest time.Duration) (Checker, error) {
	times, err := NewTimeSigner(secrets, "stamp of a form")
	return Checker{times, least, oldest}, err
}

// Check tells, by its error, why a form is not taken yet, and returns the stamp with which
// it comes back: the same as long as it is good, so that nobody has to wait twice.
func (t Checker) Check(sent url.Values, now time.Time) (stamp string, err error) {
	made, ok := t.Verify(sent.Get(stampField))
	age := now.Sub(made)
	if stamp = sent.Get(stampField); !ok || age > t.oldest || age < -time.Minute { // of another server's clock
		ok, stamp = false, t.Sign(now)
	}
	switch {
	case sent.Get(trapField) != "":
		return stamp, domain.Errorf(domain.Invalid,
			"A hidden field was filled in, perhaps by a browser extension. We have cleared it: please try again.")
	case t.least <= 0:
		return stamp, nil
	case !ok:
		return stamp, domain.Errorf(domain.Invalid, "This form is too old or was changed. Please try again.")
	case age < t.least:
		return stamp, domain.Errorf(domain.Invalid, "That was quick! Please wait a moment and try again.")
	}
	return stamp, nil
}

// WritingChecker is the trap in the forms of comments and posts, for accounts that are new.
type WritingChecker struct{ Checker }

// catches tells whether somebody's forms have a trap. Who is not known may be new.
func (t WritingChecker) catches(u domain.User, now time.Time) bool {
	return u.ID == "" || u.Untested(domain.NewAccountTime, now)
}

// TokenFor is the stamp of a form for somebody, empty: it has no trap.
func (t WritingChecker) TokenFor(u domain.User) string {
	if now := time.Now(); t.catches(u, now) {
		return t.Sign(now)
	}
	return ""
}

// CheckFor is check for what somebody has written: whoever is not new is not caught.
func (t WritingChecker) CheckFor(u domain.User, sent url.Values) (stamp string, err error) {
	now := time.Now()
	if !t.catches(u, now) {
		return "", nil
	}
	if stamp, err = t.Check(sent, now); u.ID == "" { // whose form comes back for another reason
		err = nil
	}
	return stamp, err
}
