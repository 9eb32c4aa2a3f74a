// Package subscription has the rules of subscriptions by mail: what people can subscribe to, how they consent, and when
// an address is mailed no more. docs/newsletters.md explains the whole.
package subscription

import (
	"crypto/rand"
	"crypto/subtle"
	"slices"
	"strings"
	"time"

	"inkfeed/domain"
)

// Limits and times of subscriptions.
const (
	// MaxSubscriptions is the maximum number of subscriptions of one subscriber.
	MaxSubscriptions = 100
	// ConfirmTime is how long a subscription waits for its confirmation. Then it is erased, with an address that has no
	// other subscription.
	ConfirmTime = 48 * time.Hour
	// EndedTime is how long it is remembered that a subscription has ended, so that an import does not renew it.
	EndedTime = 365 * 24 * time.Hour
	// MaxFailures is the number of permanent refusals after which an address is suppressed. They count for failureTime:
	// the refusals of years, such as of mails that looked like spam, say nothing about an address.
	MaxFailures = 3
	failureTime = 90 * 24 * time.Hour
	// MaxCounted is the number of an author's subscribers up to which they are counted.
	MaxCounted = 1000
)

// Subscriber is a person with subscriptions: a visitor, who is known by their address, or a member, whose address is
// that of the account.
type Subscriber struct {
	ID     string `json:"userId"`          // see VisitorID; or the id of the member
	Email  string `json:"email,omitempty"` // of a visitor; empty for members, and after the last subscription has ended
	Secret string `json:"secret"`          // see Key
	// Language is the code of a locale, and Zone the IANA name of a time zone. Empty: those of the member or the site.
	Language      string         `json:"language,omitempty"`
	Zone          string         `json:"timeZone,omitempty"`
	Subscriptions []Subscription `json:"subscriptions"`
	// Kinds are the kinds of notifications that a member gets by mail.
	Kinds domain.NotificationKinds `json:"kinds,omitempty"`
	// Failures counts the permanent refusals of mails, of which Failed is the last. Suppressed is when the address was
	// found to be of no use, for a Reason. It is zero if the subscriber is mailed.
	Failures   int       `json:"failures,omitempty"`
	Failed     time.Time `json:"failureDate,omitzero"`
	Suppressed time.Time `json:"suppressionDate,omitzero"`
	Reason     Reason    `json:"suppressionReason,omitempty"`
	Version    int64     `json:"version"` // raised by each change
}

// Reason is why an address is suppressed.
type Reason string

// The reasons.
const (
	Bounced    Reason = "bounced"
	Complained Reason = "complained"
)

// visitorPrefix sets the ids of visitors apart from those of users, and from usernames.
const visitorPrefix = "s."

// VisitorID returns the id of the subscriber with an address. It contains a digest, so it does not reveal the address.
func VisitorID(email string) string { return visitorPrefix + domain.EmailKey(email)[:26] }

// IsSubscriberID reports whether a text has the form of the id of a subscriber.
func IsSubscriberID(id string) bool {
	rest, visitor := strings.CutPrefix(id, visitorPrefix)
	return domain.IsUserID(id) || visitor && len(rest) == 26 && strings.Trim(rest, "0123456789abcdef") == ""
}

// New returns a subscriber without subscriptions. The email of members is empty.
func New(id, email, language string) Subscriber {
	return Subscriber{ID: id, Email: email, Language: language, Secret: rand.Text()}
}

// IsMember reports whether the subscriber is a member of the site.
func (s Subscriber) IsMember() bool { return domain.IsUserID(s.ID) }

// Key returns what links in mails name: the id and the secret. Whoever has it may see and end the subscriptions.
func (s Subscriber) Key() string { return s.ID + "." + s.Secret }

// SplitKey splits a Key. It reports false for a text that is none.
func SplitKey(key string) (id, secret string, ok bool) {
	n := strings.LastIndexByte(key, '.')
	if n < 0 || !IsSubscriberID(key[:n]) {
		return "", "", false
	}
	return key[:n], key[n+1:], true
}

// Admits reports whether a secret is that of the subscriber.
func (s Subscriber) Admits(secret string) bool {
	return s.Secret != "" && subtle.ConstantTimeCompare([]byte(s.Secret), []byte(secret)) == 1
}

// Find returns the subscription to a list. It reports false if there is none, not even an ended one.
func (s Subscriber) Find(l List) (Subscription, bool) {
	n := s.index(l)
	if n < 0 {
		return Subscription{}, false
	}
	return s.Subscriptions[n], true
}

func (s Subscriber) index(l List) int {
	return slices.IndexFunc(s.Subscriptions, func(one Subscription) bool { return one.List == l })
}

// FindKey returns the list of a subscription by its key.
func (s Subscriber) FindKey(key string) (Subscription, bool) {
	n := slices.IndexFunc(s.Subscriptions, func(one Subscription) bool { return one.List.Key() == key })
	if n < 0 {
		return Subscription{}, false
	}
	return s.Subscriptions[n], true
}

// Active returns the active subscriptions.
func (s Subscriber) Active() (list []Subscription) {
	for _, one := range s.Subscriptions {
		if one.Active() {
			list = append(list, one)
		}
	}
	return list
}

// Gets reports whether the subscriber is mailed about a list with a frequency.
func (s Subscriber) Gets(l List, f Frequency) bool {
	one, ok := s.Find(l)
	return ok && one.Active() && one.Frequency == f && s.Suppressed.IsZero()
}

// Digested reports whether the subscriber gets digests.
func (s Subscriber) Digested() bool {
	return slices.ContainsFunc(s.Active(), func(one Subscription) bool { return one.Frequency != Each })
}

// ErrManySubscriptions is the error for a subscription that is one too many.
func ErrManySubscriptions() error {
	return domain.NewError(domain.Conflict, "You have {number} subscriptions already. End one of them first.",
		"number", MaxSubscriptions)
}

// Ask adds a subscription that waits for its confirmation. It changes nothing if there is an active one.
func (s *Subscriber) Ask(l List, f Frequency, c Consent) error {
	if one, ok := s.Find(l); ok && one.Active() {
		return nil
	}
	return s.put(Subscription{List: l, Frequency: f, Consent: c})
}

// Add adds a subscription that needs no confirmation, or changes the frequency of an active one.
func (s *Subscriber) Add(l List, f Frequency, c Consent) error {
	if n := s.index(l); n >= 0 && s.Subscriptions[n].Active() {
		s.Subscriptions[n].Frequency = f
		return nil
	}
	return s.put(Subscription{List: l, Frequency: f, Consent: c, Confirmed: c.At})
}

func (s *Subscriber) put(one Subscription) error {
	s.Subscriptions = slices.DeleteFunc(s.Subscriptions, func(o Subscription) bool { return o.List == one.List })
	living := 0
	for _, o := range s.Subscriptions {
		if o.Active() || o.pending(one.Consent.At) {
			living++
		}
	}
	if living >= MaxSubscriptions {
		return ErrManySubscriptions()
	}
	s.Subscriptions = append(s.Subscriptions, one)
	return nil
}

// Importable reports whether an author may bring along a subscription: there is none, and none has ended, and the
// subscriber can be mailed.
func (s Subscriber) Importable(l List) bool {
	one, _ := s.Find(l)
	return one.Confirmed.IsZero() && one.Ended.IsZero() && s.Suppressed.IsZero()
}

// Import adds a subscription that an author has brought along. It reports false, and changes nothing, if it is not
// Importable.
func (s *Subscriber) Import(l List, f Frequency, c Consent) (added bool) {
	return s.Importable(l) && s.put(Subscription{List: l, Frequency: f, Consent: c, Confirmed: c.Imported}) == nil
}

// Confirm confirms a subscription, which also ends the suppression of the address. It reports false if there is no such
// subscription any more.
func (s *Subscriber) Confirm(l List, now time.Time) bool {
	n := s.index(l)
	if n < 0 || !s.Subscriptions[n].Ended.IsZero() ||
		s.Subscriptions[n].Confirmed.IsZero() && !s.Subscriptions[n].pending(now) {
		return false
	}
	if s.Subscriptions[n].Confirmed.IsZero() {
		s.Subscriptions[n].Confirmed = domain.Timestamp(now)
	}
	s.Failures, s.Failed, s.Suppressed, s.Reason = 0, time.Time{}, time.Time{}, ""
	return true
}

// End ends the subscription to a list. It reports false if there was none.
func (s *Subscriber) End(l List, now time.Time) bool {
	n := s.index(l)
	if n < 0 || !s.Subscriptions[n].Ended.IsZero() {
		return false
	}
	s.Subscriptions[n].Ended = domain.Timestamp(now)
	return true
}

// EndAll ends all subscriptions.
func (s *Subscriber) EndAll(now time.Time) {
	for _, one := range s.Subscriptions {
		s.End(one.List, now)
	}
}

// Refused counts a permanent refusal, and suppresses the address after MaxFailures of them.
func (s *Subscriber) Refused(now time.Time) {
	if now.Sub(s.Failed) > failureTime {
		s.Failures = 0
	}
	s.Failed = domain.Timestamp(now)
	if s.Failures++; s.Failures >= MaxFailures && s.Suppressed.IsZero() {
		s.Suppressed, s.Reason = domain.Timestamp(now), Bounced
	}
}

// Complain suppresses the address of a subscriber who has reported a mail as spam.
func (s *Subscriber) Complain(now time.Time) {
	if s.Suppressed.IsZero() {
		s.Suppressed, s.Reason = domain.Timestamp(now), Complained
	}
}

// Tidy removes subscriptions that were not confirmed in time and old ended ones, and the address of a subscriber who
// has no other. It returns when the subscriber is to be forgotten, and zero while there is an active subscription. An
// address that only waits for its confirmation is forgotten then, with all else about it.
func (s *Subscriber) Tidy(now time.Time) (forget time.Time) {
	var confirm, ended time.Time
	s.Subscriptions = slices.DeleteFunc(s.Subscriptions, func(one Subscription) bool {
		switch {
		case !one.Ended.IsZero():
			ended = later(ended, one.Ended.Add(EndedTime))
			return !now.Before(one.Ended.Add(EndedTime))
		case one.Confirmed.IsZero():
			if !one.pending(now) {
				return true
			}
			confirm = later(confirm, one.Consent.At.Add(ConfirmTime))
		}
		return false
	})
	switch {
	case len(s.Active()) > 0:
		return time.Time{}
	case !confirm.IsZero():
		return confirm
	}
	s.Email, s.Zone, s.Kinds = "", "", "" // what is left only says which subscriptions have ended
	return later(ended, now)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
