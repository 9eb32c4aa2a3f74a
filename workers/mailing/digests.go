package mailing

import (
	"cmp"
	"context"
	"slices"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// mailDigests mails the digests of a time zone.
func (s *session) mailDigests(ctx context.Context, d domain.Delivery) error {
	due, ok := subscription.ParseRun(d.ID)
	if !ok {
		return &domain.DeliveryError{Fault: domain.Refused, Answer: "It names no digests."}
	}
	from := due.Daily
	if !due.Weekly.IsZero() && due.Weekly.Before(from) {
		from = due.Weekly
	}
	told, err := s.Store.ToldBetween(ctx, from, due.Until)
	if err == nil {
		err = s.Store.RefreshZone(ctx, due.Zone)
	}
	if err != nil {
		return err
	}
	news := newNews(told)
	r := s.newRun(d)
	r.write = func(ctx context.Context, to subscription.Subscriber) (domain.Mail, error) {
		posts, personal := news.of(to, due)
		if len(posts) == 0 && !personal {
			return domain.Mail{}, errNothing()
		}
		address, err := r.address(ctx, to)
		if err != nil {
			return domain.Mail{}, err
		}
		return s.Composer.Digest(ctx, to, address, due, posts)
	}
	return r.walk(ctx, func(after domain.Place) ([]subscription.Receiver, error) {
		return s.Store.DigestedAfter(ctx, due.Zone, after, pageSize)
	})
}

// news are posts by the keys of their lists.
type news map[string][]subscription.Told

func newNews(told []subscription.Told) news {
	n := make(news)
	for _, t := range told {
		for _, key := range t.Lists {
			n[key] = append(n[key], t)
		}
	}
	return n
}

// of returns the posts of the digest of a subscriber, the earliest first and each once. Personal reports whether the
// digest may also have something of the member's own lists.
func (n news) of(sub subscription.Subscriber, due subscription.DigestRun) (posts []subscription.Told, personal bool) {
	known := make(map[string]bool)
	for _, one := range sub.Active() {
		from, ok := due.From(one)
		if !ok {
			continue
		}
		personal = personal || one.List.Personal()
		for _, t := range n[one.List.Key()] {
			if !known[t.PostID] && due.Has(t.At, from) {
				posts = append(posts, t)
				known[t.PostID] = true
			}
		}
	}
	slices.SortFunc(posts, func(a, b subscription.Told) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.PostID, b.PostID))
	})
	return posts, personal
}
