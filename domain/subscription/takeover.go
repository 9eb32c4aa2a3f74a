package subscription

import (
	"crypto/rand"
	"time"
)

// TakeOver adds the active subscriptions of another subscriber who has the same address, except to lists to which there
// is an active subscription already, as far as there is room: nothing may keep somebody from ending subscriptions.
func (s *Subscriber) TakeOver(other Subscriber) {
	for _, one := range other.Active() {
		if own, _ := s.Find(one.List); !own.Active() {
			_ = s.put(one)
		}
	}
}

// Erase removes everything about the subscriber except which subscriptions have ended, so that no import renews them.
// The links in mails stop working.
func (s *Subscriber) Erase(now time.Time) {
	s.EndAll(now)
	for n, one := range s.Subscriptions {
		s.Subscriptions[n] = Subscription{List: one.List, Ended: one.Ended}
	}
	*s = Subscriber{ID: s.ID, Secret: rand.Text(), Subscriptions: s.Subscriptions, Version: s.Version}
}
