package mailing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/workers/delivery"
	"inkfeed/workers/loop"
)

// chunk is the number of rows after which an import rests.
const chunk = 16

// importRows stores imported subscribers. It can be repeated from the beginning: somebody who has the subscription
// already, or has ended it, stays as they are: as a visitor, or as the member with the address.
func (s *session) importRows(ctx context.Context, d domain.Delivery) error {
	authorID, rows, err := s.Rows(ctx, d)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(rows, chunk) {
		began := time.Now()
		if err := loop.InParallel(ctx, some, func(ctx context.Context, row Row) error {
			return s.importRow(ctx, authorID, row)
		}); err != nil {
			return err
		}
		delivery.Rest(ctx, s.Rest(time.Since(began)))
	}
	return nil
}

func (s *session) importRow(ctx context.Context, authorID string, row Row) error {
	id, list := subscription.VisitorID(row.Email), subscription.Author(authorID)
	if row.Series != "" {
		list = subscription.Series(authorID, row.Series)
	}
	_, err := delivery.Repeat(ctx, func() (member subscription.Subscriber, err error) {
		owner, err := s.Owner(ctx, row.Email)
		if err == nil {
			member, err = s.Store.Get(ctx, owner.ID)
		}
		if err != nil && !domain.Is(err, domain.NotFound) || !member.Importable(list) {
			return member, err
		}
		return s.Store.Change(ctx, id, func(sub *subscription.Subscriber) error {
			if sub.Secret == "" {
				*sub = subscription.New(id, "", "")
			}
			if sub.Import(list, cmp.Or(row.Frequency, subscription.Each), row.Consent) {
				// They are erased when the last subscription has ended.
				sub.Email, sub.Language = row.Email, cmp.Or(sub.Language, row.Language)
			}
			return nil
		})
	})
	return err
}
