package mailing

import (
	"context"
	"slices"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// mailPost mails a post to those who get each post of one of its lists, and had confirmed that before the mailing
// began. It walks one list after another.
func (s *session) mailPost(ctx context.Context, d domain.Delivery) error {
	issue, err := s.Composer.Post(ctx, d.ID)
	if err != nil {
		return err
	}
	author := issue.AuthorID()
	// This write, also if it changes nothing, makes the mailing known to this process.
	if err := s.Store.BeginMailing(ctx, subscription.Mailing{PostID: d.ID, AuthorID: author, Lists: issue.Lists(),
		Begun: domain.Timestamp(time.Now())}); err != nil {
		return err
	}
	m, err := s.Store.Mailing(ctx, author, d.ID)
	if err != nil {
		return err
	}
	r := s.newRun(d)
	r.bounced = func(ctx context.Context) error { return s.Store.CountBounce(ctx, author, d.ID) }
	r.write = func(ctx context.Context, to subscription.Subscriber) (domain.Mail, error) {
		list := m.Lists[r.at.list]
		// Somebody who comes later would be missed by the list that was walked, and left to it by those that follow.
		if one, _ := to.Find(list); !to.Gets(list, subscription.Each) || !one.Confirmed.Before(m.Begun) ||
			slices.ContainsFunc(m.Lists[:r.at.list], func(l subscription.List) bool { return had(to, l, m.Begun) }) {
			return domain.Mail{}, errNothing()
		}
		address, err := r.address(ctx, to)
		if err != nil {
			return domain.Mail{}, err
		}
		return issue.Mail(ctx, to, address, list)
	}
	r.check = func(ctx context.Context) (err error) {
		if err = s.Store.SetSent(ctx, author, d.ID, r.at.sent, false); err == nil {
			issue, err = s.Composer.Post(ctx, d.ID)
		}
		return err
	}
	// A post that is withdrawn meanwhile ends its mailing.
	defer func() {
		if domain.Is(err, domain.NotFound) {
			_ = s.Store.SetSent(ctx, author, d.ID, r.at.sent, true)
		}
	}()
	for ; r.at.list < len(m.Lists); r.at.list, r.at.place = r.at.list+1, "" {
		list := m.Lists[r.at.list]
		if err = s.Store.Refresh(ctx, list); err != nil {
			return err
		}
		err = r.walk(ctx, func(after domain.Place) ([]subscription.Receiver, error) {
			return s.Store.ReceiversAfter(ctx, list, subscription.Each, after, pageSize)
		})
		if err != nil {
			return err
		}
	}
	return s.Store.SetSent(ctx, author, d.ID, r.at.sent, true)
}

// had reports whether a subscriber got each post of a list when a mailing began, and so had the mail because of it.
// They may have ended the subscription in answer to the mail.
func had(sub subscription.Subscriber, l subscription.List, begun time.Time) bool {
	one, _ := sub.Find(l)
	return one.Frequency == subscription.Each && !one.Confirmed.IsZero() && one.Confirmed.Before(begun) &&
		(one.Ended.IsZero() || !one.Ended.Before(begun))
}
