package mailing_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/workers/delivery"
)

const each, daily, weekly = subscription.Each, subscription.Daily, subscription.Weekly

// faultOf returns the fault of a delivery error.
func faultOf(t *testing.T, err error) domain.DeliveryFault {
	t.Helper()
	e, ok := errors.AsType[*domain.DeliveryError](err)
	if !ok {
		t.Fatalf("%v is no delivery error", err)
	}
	return e.Fault
}

func TestPostIsMailedOnceToThoseWhoGetEachPost(t *testing.T) {
	w := newWorld()
	w.subscribe("ada", each, site, tag, author)
	w.subscribe("ben", each, site)
	w.subscribe("cy", each, tag)
	w.subscribe("dan", daily, author)
	w.subscribe("eve", each, subscription.Tag("rust"))
	w.subscribe("fay", each, author)
	w.change("fay", func(s *subscription.Subscriber) { s.End(author, begun) })
	w.subscribe("gil", each, author)
	w.change("gil", func(s *subscription.Subscriber) { s.Complain(begun) })
	w.subscribe("hal", each, author)
	w.change("hal", func(s *subscription.Subscriber) { s.Email = "" }) // a member without an address
	w.subscribe("ivy", daily, author)
	w.subscribe("ivy", each, site)
	w.complete(t, post())
	if got, want := w.received(), map[string]int{"ada": 1, "ben": 1, "cy": 1, "ivy": 1}; !maps.Equal(got, want) {
		t.Errorf("received %v, want %v", got, want)
	}
	if w.mails[0].Text != "author" || !w.mailing.Done || w.mailing.Sent != 4 {
		t.Errorf("the first mail was sent because of the %s; %+v", w.mails[0].Text, w.mailing)
	}
}

// TestKilledMailingRepeatsOneMailAtMost kills the process at each of its calls.
func TestKilledMailingRepeatsOneMailAtMost(t *testing.T) {
	const receivers = 110 // more than a page
	killedAt := func(t *testing.T, call int) (done bool) {
		w := newWorld()
		for i := range receivers {
			w.subscribe(fmt.Sprint("u", i), each, [...]subscription.List{author, tag, site}[i%3], site)
		}
		d := post()
		w.dies = call
		if done, _ = w.deliver(t, d); done {
			return true
		}
		w.dies = 0
		w.complete(t, d)
		if got := w.received(); len(got) != receivers || len(w.mails) > receivers+1 {
			t.Errorf("killed at call %d: %d of %d got the mail, %d mails", call, len(got), receivers, len(w.mails))
		}
		return false
	}
	calls := 1
	synctest.Test(t, func(t *testing.T) {
		for !killedAt(t, calls) && !t.Failed() {
			calls++
		}
	})
	if calls < 3*receivers {
		t.Errorf("only %d calls", calls)
	}
}

func TestMailingWhileSubscriptionsChange(t *testing.T) {
	fill := func() *world {
		w := newWorld()
		for i := range 230 {
			w.subscribe(fmt.Sprintf("u%03d", i), each, author)
		}
		return w
	}
	t.Run("mails none who has unsubscribed before", func(t *testing.T) {
		w := fill()
		w.onMail = func(domain.Mail) {
			if len(w.mails) == 10 {
				for _, name := range []string{"u010", "u099", "u100", "u150"} {
					w.change(name, func(s *subscription.Subscriber) { s.EndAll(time.Now()) })
				}
			}
		}
		w.complete(t, post())
		got := w.received()
		if len(got) != 226 || got["u010"]+got["u099"]+got["u100"]+got["u150"] > 0 {
			t.Errorf("%d mails", len(got))
		}
	})
	t.Run("mails none twice who has unsubscribed in answer to the mail", func(t *testing.T) {
		w := fill()
		w.subscribe("u007", each, site)
		w.onMail = func(m domain.Mail) {
			if strings.HasPrefix(m.To, "u007") {
				w.change("u007", func(s *subscription.Subscriber) { s.End(author, time.Now()) })
			}
		}
		w.complete(t, post())
		if len(w.mails) != 230 || w.received()["u007"] != 1 {
			t.Errorf("%d mails", len(w.mails))
		}
	})
	t.Run("misses none who subscribes to an earlier list, too", func(t *testing.T) {
		w := fill()
		w.subscribe("zoe", each, site)
		w.onMail = func(domain.Mail) {
			if len(w.mails) == 230 {
				w.change("zoe", func(s *subscription.Subscriber) {
					_ = s.Add(author, each, subscription.Consent{At: time.Now().Add(time.Minute)})
				})
			}
		}
		w.complete(t, post())
		if w.received()["zoe"] != 1 {
			t.Error("the mail is missing")
		}
	})
	t.Run("keeps to the lists that the post had at first", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := fill()
			w.subscribe("zoe", each, tag)
			w.latency = 100 * time.Millisecond
			w.onMail = func(domain.Mail) { w.lists = []subscription.List{author, subscription.Tag("rust"), tag, site} }
			if w.complete(t, post()) < 2 || w.received()["zoe"] != 1 || len(w.mails) != 231 {
				t.Error(len(w.mails), w.received())
			}
		})
	})
	t.Run("ends when the post is withdrawn", func(t *testing.T) {
		w := fill()
		w.onMail = func(domain.Mail) { w.withdrawn = w.withdrawn || len(w.mails) == 50 }
		if done, err := w.deliver(t, post()); done || !domain.Is(err, domain.NotFound) {
			t.Error(done, err)
		}
		if len(w.mails) != 100 || !w.mailing.Done || w.mailing.Sent != 100 {
			t.Errorf("%d mails, %+v", len(w.mails), w.mailing)
		}
	})
	t.Run("ends when an administrator drops it", func(t *testing.T) {
		w := fill()
		w.dropped = true
		if done, err := w.deliver(t, post()); done || faultOf(t, err) != domain.Refused || len(w.mails) != 1 {
			t.Error(done, err, len(w.mails))
		}
	})
}

func TestMailingsTakeTurnsAndRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.latency = 50 * time.Millisecond
		for i := range 1000 {
			w.subscribe(fmt.Sprint("u", i), each, author)
		}
		if turns := w.complete(t, post()); turns != 5 || len(w.received()) != 1000 || len(w.mails) != 1000 {
			t.Errorf("%d mails in %d turns", len(w.mails), turns)
		}
		began := time.Now()
		session, _ := w.transport(nil, func(took time.Duration) time.Duration { return 3 * took }).Open(t.Context(), "")
		err := session.Deliver(t.Context(), subscription.MailingDelivery("other", began), func() {})
		if n := len(w.mails) - 1000; !errors.Is(err, delivery.ErrMore) || n < 45 || n > 55 {
			t.Errorf("%d mails in a turn on a busy site: %v", n, err)
		}
	})
}
