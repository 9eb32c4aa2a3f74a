package verify

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// storedSubscriptions has the properties of subscribers, and of their copies in lists, that the rules are about.
type storedSubscriptions struct {
	Subscriptions []storedSubscription `json:"subscriptions"`
	Outdated      []any                `json:"outdated"`
	TimeZone      string               `json:"timeZone"`
	SubscriberID  string               `json:"subscriberId"`
	ListKey       string               `json:"listKey"`
	Frequency     string               `json:"frequency"`
}

type storedSubscription struct {
	List      subscription.List `json:"list"`
	Frequency string            `json:"frequency"`
	Confirmed time.Time         `json:"confirmationDate"`
	Ended     time.Time         `json:"endDate"`
}

func (s storedSubscription) active() bool { return !s.Confirmed.IsZero() && s.Ended.IsZero() }

// mailFacts are what was read about subscriptions by mail. Receivers are described by texts.
type mailFacts struct {
	wanted, found map[pair]string   // by partitions and ids
	zones         map[string]bool   // the ids
	needed        map[string]string // accounts that have to exist, with a subject that needs each
}

func newMailFacts() mailFacts {
	return mailFacts{wanted: make(map[pair]string), found: make(map[pair]string), zones: make(map[string]bool),
		needed: make(map[string]string)}
}

func receiver(subscriberID, list, frequency string, at time.Time) string {
	return fmt.Sprintf("%s of %q with frequency %q since %s", subscriberID, list, frequency,
		at.UTC().Format(schema.InstantLayout))
}

// need records that the account of a user has to exist. Of several subjects it keeps the first in their order.
func (a *audit) need(userID, subject string) {
	if other, ok := a.needed[userID]; !ok || subject < other {
		a.needed[userID] = subject
	}
}

// noteSubscriber records a subscriber, and the receivers that follow from it.
func (a *audit) noteSubscriber(subject string, i storedItem) {
	member := domain.IsUserID(i.UserID)
	switch {
	case i.ID != "subscriber" || !subscription.IsSubscriberID(i.UserID):
		a.violation(ruleIDs, subject, "it is in the partition %q", i.UserID)
		return
	case i.Email != "" && (member || subscription.VisitorID(i.Email) != i.UserID):
		a.violation(ruleIDs, subject, "its address belongs elsewhere")
	case len(i.Outdated) > 0:
		a.violation(ruleSubscribers, subject, "%d receivers are outdated", len(i.Outdated))
	}
	if member {
		a.need(i.UserID, subject)
	}
	var active, waiting bool
	var digests time.Time
	for _, one := range i.Subscriptions {
		l := one.List
		if !l.Valid() || !subscription.Frequency(one.Frequency).Valid(l) || l.Personal() && !member {
			a.violation(ruleShapes, subject, "%+v with frequency %q is no subscription", l, one.Frequency)
			continue
		}
		waiting = waiting || one.Confirmed.IsZero() && one.Ended.IsZero()
		if !one.active() {
			continue
		}
		active = true
		if l.AuthorID != "" {
			a.need(l.AuthorID, subject)
		}
		if one.Frequency != "each" && (digests.IsZero() || one.Confirmed.Before(digests)) {
			digests = one.Confirmed
		}
		if !l.Personal() {
			partition, id := l.Key(), l.Key()
			if l.AuthorID != "" {
				partition, id = "author."+l.AuthorID, strings.Replace(id, "."+l.AuthorID, "", 1)
			}
			a.wanted[pair{"subscribers." + partition, i.UserID + "." + id}] = receiver(i.UserID, l.Key(), one.Frequency,
				one.Confirmed)
		}
	}
	if !digests.IsZero() {
		zone := cmp.Or(strings.ReplaceAll(i.TimeZone, "/", "~"), "site")
		a.wanted[pair{"subscribers.digests." + zone, i.UserID}] = receiver(i.UserID, "", "", digests)
	}
	switch {
	case active == i.expires():
		a.violation(ruleSubscribers, subject, "active %t, expires %t", active, i.expires())
	case i.Email != "" && !active && (!waiting || i.TTL > int(subscription.ConfirmTime.Seconds())):
		a.violation(ruleSubscribers, subject, "its address stays for %d seconds", i.TTL)
	}
}

// noteExpiring checks an item of subscriptions that expires.
func (a *audit) noteExpiring(subject string, i storedItem) {
	if !i.expires() {
		a.violation(ruleSubscribers, subject, "it does not expire")
	}
}

// noteReceiver records a subscriber in a list.
func (a *audit) noteReceiver(subject string, i storedItem) {
	a.checkStays(subject, i)
	a.found[pair{i.UserID, i.ID}] = receiver(i.SubscriberID, i.ListKey, i.Frequency, time.Time(i.CreationDate))
}

// noteMailing checks the mailing of a post, or how the posts of an author are mailed.
func (a *audit) noteMailing(subject string, i storedItem) {
	id := i.Type
	if i.PostID != "" {
		id += "." + i.PostID
	}
	if i.ID != id {
		a.violation(ruleIDs, subject, "its id should be %s", id)
	}
	a.checkStays(subject, i)
	a.need(i.UserID, subject)
}

// noteZone records a time zone in which digests are sent.
func (a *audit) noteZone(subject string, i storedItem) {
	a.checkStays(subject, i)
	a.zones[i.ID] = true
}

// checkSubscriptions checks subscribers against the receivers in lists.
func (a *audit) checkSubscriptions() {
	for p, want := range a.wanted {
		if got := a.found[p]; got != want {
			a.violation(ruleSubscribers, p.user+" item "+p.other, "it is %q, want %q", got, want)
		}
		if zone, ok := strings.CutPrefix(p.user, "subscribers.digests."); ok && !a.zones[zone] {
			a.violation(ruleSubscribers, p.user+" item "+p.other, "there is no time zone %s", zone)
		}
	}
	for p := range a.found {
		if a.wanted[p] == "" {
			a.violation(ruleSubscribers, p.user+" item "+p.other, "there is no such subscription")
		}
	}
	for id, subject := range a.needed {
		if u := a.users[id]; u == nil || !u.live() {
			a.violation(ruleSubscribers, subject, "there is no user %s", id)
		}
	}
}
