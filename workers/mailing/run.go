package mailing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/workers/delivery"
	"inkfeed/workers/loop"
)

const (
	pageSize   = 100 // receivers that are read at once
	checkAfter = 100 // mails after which a post is read again
	// turnTime is how long a mailing goes on before others of its lane have their turn.
	turnTime = 10 * time.Second
	// maxFailed is the number of mails in a row that may fail before the mailing waits: the cause may be the settings,
	// or what all the mails have in common.
	maxFailed = 20
)

// position is how far a mailing has come.
type position struct {
	list  int          // the number of the list of the post
	place domain.Place // of the last receiver in the list
	sent  int
}

func (p position) String() string { return fmt.Sprintf("%d %d %s", p.list, p.sent, p.place) }

func parsePosition(text string) (p position) {
	_, _ = fmt.Sscan(text, &p.list, &p.sent, &p.place) // there is no place at the beginning of a list
	return p
}

// run is one turn of a mailing. It sends one mail after another, and stores its position after each.
type run struct {
	*session
	d      domain.Delivery
	at     position
	began  time.Time
	failed int // in a row
	// check is called after checkAfter mails. Its error ends the mailing.
	check   func(ctx context.Context) error
	checked int // the number of mails at the last check
	// write makes the mail for a subscriber. It returns NotFound if there is none.
	write func(ctx context.Context, to subscription.Subscriber) (domain.Mail, error)
	// bounced counts a mail that was refused for good.
	bounced func(ctx context.Context) error
}

func (s *session) newRun(d domain.Delivery) *run {
	at := parsePosition(d.Position)
	nothing := func(context.Context) error { return nil }
	return &run{session: s, d: d, at: at, checked: at.sent, began: time.Now(), check: nothing, bounced: nothing}
}

// walk mails the receivers of a list after the position. Memory does not depend on their number.
func (r *run) walk(ctx context.Context, list func(after domain.Place) ([]subscription.Receiver, error)) error {
	for {
		receivers, err := delivery.Repeat(ctx, func() ([]subscription.Receiver, error) { return list(r.at.place) })
		if err != nil || len(receivers) == 0 {
			return err
		}
		for _, to := range receivers {
			began := time.Now()
			if r.at.sent-r.checked >= checkAfter {
				if err := r.check(ctx); err != nil {
					return err
				}
				r.checked = r.at.sent
			}
			if err := r.mail(ctx, to); err != nil {
				return err
			}
			r.at.place = to.Place()
			delivery.Rest(ctx, r.Rest(time.Since(began)))
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case time.Since(r.began) > turnTime:
				if err := r.advance(ctx); err != nil {
					return err
				}
				return delivery.ErrMore
			}
		}
	}
}

// mail sends the mail for a receiver, if there is one.
func (r *run) mail(ctx context.Context, to subscription.Receiver) error {
	var sub subscription.Subscriber
	mail, err := delivery.Repeat(ctx, func() (mail domain.Mail, err error) {
		sub, err = r.Store.Get(ctx, to.ID) // who may have unsubscribed
		if err == nil && !sub.Suppressed.IsZero() {
			err = errNothing()
		}
		if err == nil {
			mail, err = r.write(ctx, sub)
		}
		return mail, err
	})
	if domain.Is(err, domain.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	id := r.d.ID + "." + to.ID
	var stored error
	sending, cancel := delivery.Lasting(ctx) // a mail that was begun must not end in doubt
	defer cancel()
	err = r.sender.Send(sending, id, r.d.Created, mail, func() {
		r.failed, r.at.place, r.at.sent = 0, to.Place(), r.at.sent+1
		stored = r.advance(sending)
	})
	if err == nil {
		return stored
	}
	e, ok := errors.AsType[*domain.DeliveryError](err)
	if !ok || ctx.Err() != nil || e.Fault == domain.ReceiverFailed {
		return err
	}
	if r.failed++; r.failed > maxFailed {
		return &domain.DeliveryError{Answer: e.Answer, After: e.After}
	}
	if e.Fault == domain.Refused {
		err = r.refuse(ctx, sub)
	} else {
		err = r.postpone(ctx, id, mail)
	}
	if err != nil {
		return err
	}
	r.at.place = to.Place()
	if err := r.advance(ctx); err != nil {
		return err
	}
	if e.Fault == domain.ConnectionBroke { // perhaps because of this mail, which must not block the others
		return &domain.DeliveryError{Fault: domain.ReceiverFailed, Answer: e.Answer, After: e.After}
	}
	return nil
}

// address returns the address of a subscriber, and NotFound if there is none.
func (r *run) address(ctx context.Context, sub subscription.Subscriber) (string, error) {
	address, err := r.Store.Address(ctx, sub)
	if err == nil && address == "" {
		err = errNothing()
	}
	return address, err
}

// advance stores the position. It does not give up while the delivery is owned, because a mail would be repeated.
func (r *run) advance(ctx context.Context) error {
	r.d.Position = r.at.String()
	pause := loop.NewBackoff()
	for {
		err := delivery.Advance(ctx, r.Deliveries, r.d)
		if _, dropped := errors.AsType[*domain.DeliveryError](err); err == nil || dropped || !loop.Wait(ctx, pause) {
			return err
		}
	}
}

// refuse counts a mail that was refused for good.
func (r *run) refuse(ctx context.Context, sub subscription.Subscriber) error {
	_, err := r.Store.Change(ctx, sub.ID, func(sub *subscription.Subscriber) error {
		sub.Refused(time.Now())
		return nil
	})
	if err != nil && !domain.Is(err, domain.NotFound) {
		return err
	}
	return r.bounced(ctx)
}

// postpone makes a mail a delivery of its own, which waits for the server to accept it.
func (r *run) postpone(ctx context.Context, id string, mail domain.Mail) error {
	d := domain.Delivery{ID: id, Destination: domain.BulkMail(mail.To), Kind: subscription.DeliverIssue,
		Created: r.d.Created, Expires: r.d.Expires, Remember: true}
	if mail.Bulk != nil && mail.Bulk.PostID != "" { // the mail of a post is written anew
		mail.Text, mail.HTML = "", ""
	}
	return r.Deliveries.Put(ctx, r.Seal(d, mail))
}
