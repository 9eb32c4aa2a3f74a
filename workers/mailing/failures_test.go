package mailing_test

import (
	"fmt"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

func TestMailThatFails(t *testing.T) {
	fill := func() *world {
		w := newWorld()
		for i := range 10 {
			w.subscribe(fmt.Sprint("u", i), each, author)
		}
		return w
	}
	fail := func(w *world, fault domain.DeliveryFault, numbers ...int) {
		for _, i := range numbers {
			w.faults[fmt.Sprintf("u%d@u%d.example", i, i)] = &domain.DeliveryError{Fault: fault, Answer: "no"}
		}
	}
	t.Run("for now becomes a delivery of its own", func(t *testing.T) {
		w := fill()
		fail(w, domain.RefusedForNow, 3, 4)
		w.complete(t, post())
		if len(w.mails) != 8 || len(w.put) != 2 || w.put[0].Kind != subscription.DeliverIssue || !w.put[0].Remember ||
			w.put[0].Destination != domain.BulkMail("u3@u3.example") || len(w.put[0].Sealed) == 0 {
			t.Errorf("%d mails, %+v", len(w.mails), w.put)
		}
	})
	t.Run("for good counts", func(t *testing.T) {
		w := fill()
		fail(w, domain.Refused, 3, 4)
		w.complete(t, post())
		if sub := w.subscribers[subscription.VisitorID("u3@u3.example")]; len(w.mails) != 8 || w.mailing.Bounced != 2 ||
			sub.Failures != 1 || len(w.put) > 0 {
			t.Errorf("%d mails, %+v, %+v", len(w.mails), w.mailing, sub)
		}
	})
	t.Run("because the server is down waits for it", func(t *testing.T) {
		w := fill()
		fail(w, domain.ReceiverFailed, 3)
		d := post()
		if done, err := w.deliver(t, d); done || faultOf(t, err) != domain.ReceiverFailed || len(w.mails) != 3 {
			t.Error(done, err, len(w.mails))
		}
		clear(w.faults)
		w.complete(t, d)
		if len(w.mails) != 10 || len(w.received()) != 10 {
			t.Errorf("%v", w.received())
		}
	})
	t.Run("with the end of the connection blocks no others", func(t *testing.T) {
		w := fill()
		fail(w, domain.ConnectionBroke, 3)
		d := post()
		if done, err := w.deliver(t, d); done || faultOf(t, err) != domain.ReceiverFailed {
			t.Error(done, err)
		}
		w.complete(t, d)
		if len(w.mails) != 9 || len(w.put) != 1 || len(w.unclear) != 1 {
			t.Errorf("%v, %d deliveries, %v", w.received(), len(w.put), w.unclear)
		}
	})
	t.Run("with all others makes the mailing wait", func(t *testing.T) {
		w := fill()
		for i := range 50 {
			w.subscribe(fmt.Sprint("u", i), each, author)
			fail(w, domain.RefusedForNow, i)
		}
		d := post()
		if done, err := w.deliver(t, d); done || faultOf(t, err) != domain.RefusedForNow || len(w.put) != 20 {
			t.Error(done, err, len(w.put))
		}
		clear(w.faults)
		w.complete(t, d)
		if len(w.mails) != 30 {
			t.Errorf("%d mails", len(w.mails))
		}
	})
}
