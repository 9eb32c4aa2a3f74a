package subscriptions

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// copyRef identifies a copy of a subscriber.
type copyRef struct {
	Partition string `json:"partition"`
	ID        string `json:"id"`
}

// copyItem is a subscriber in the partition of a list, or in that of the digests of a time zone. There it has no list.
type copyItem struct {
	ID           string                 `json:"id"`
	Type         string                 `json:"type"`
	UserID       string                 `json:"userId"` // the partition
	CreationDate schema.Instant         `json:"creationDate"`
	SubscriberID string                 `json:"subscriberId,omitempty"`
	List         subscription.List      `json:"list,omitzero"`
	ListKey      string                 `json:"listKey,omitempty"`
	Frequency    subscription.Frequency `json:"frequency,omitempty"`
	Version      int64                  `json:"version"` // of the subscriber
	TTL          int                    `json:"ttl,omitempty"`
	ETag         string                 `json:"_etag,omitempty"`
}

func (i copyItem) ref() copyRef { return copyRef{i.UserID, i.ID} }

func (i copyItem) domain() subscription.Receiver {
	return subscription.Receiver{ID: i.SubscriberID, List: i.List, Added: time.Time(i.CreationDate)}
}

// copiesOf returns the copies that a subscriber ought to have, without versions.
func copiesOf(sub subscription.Subscriber) map[copyRef]copyItem {
	copies := make(map[copyRef]copyItem)
	digests := copyItem{ID: sub.ID, Type: schema.TypeReceiver, UserID: schema.DigestsKey(sub.Zone),
		SubscriberID: sub.ID}
	for _, one := range sub.Active() {
		if !one.List.Personal() {
			c := copyItem{ID: schema.ReceiverID(sub.ID, one.List), Type: schema.TypeReceiver,
				UserID: schema.ReceiversKey(one.List), CreationDate: schema.Instant(domain.Timestamp(one.Confirmed)),
				SubscriberID: sub.ID, List: one.List, ListKey: one.List.Key(), Frequency: one.Frequency}
			copies[c.ref()] = c
		}
		if at := time.Time(digests.CreationDate); one.Frequency != subscription.Each &&
			(at.IsZero() || one.Confirmed.Before(at)) {
			digests.CreationDate = schema.Instant(domain.Timestamp(one.Confirmed))
			copies[digests.ref()] = digests
		}
	}
	return copies
}

// markOutdated adds the copies that differ from those of an earlier state.
func (i *subscriberItem) markOutdated(before subscription.Subscriber) {
	was, is := copiesOf(before), copiesOf(i.Subscriber)
	outdated := slices.Clone(i.Outdated)
	mark := func(copies map[copyRef]copyItem) {
		for ref := range copies {
			if was[ref] != is[ref] && !slices.Contains(outdated, ref) {
				outdated = append(outdated, ref)
			}
		}
	}
	mark(was)
	mark(is)
	i.Outdated = outdated
}

// Complete brings the copies of a subscriber up to date after a change that the change feed shows. Repeating it changes
// nothing.
func (s *Subscriptions) Complete(ctx context.Context, sub subscription.Subscriber) error {
	return client.Translate(s.complete(completing.In(ctx), sub))
}

func (s *Subscriptions) complete(ctx context.Context, sub subscription.Subscriber) error {
	return client.Rewrite(ctx, func() error {
		item, err := s.read(ctx, sub.ID)
		switch {
		case err != nil:
			return err
		case item.ETag == "": // it was forgotten, unless a replica does not have it yet
			return client.AgainLaterIf(len(sub.Active()) > 0, nil)
		case item.Version < sub.Version: // a replica lags behind
			return client.AgainLaterIf(true, &domain.Error{Kind: domain.Unavailable})
		}
		copies := copiesOf(item.Subscriber)
		for _, ref := range item.Outdated {
			want, ok := copies[ref]
			if !ok {
				want = markerOf(ref)
			}
			if err := s.copy(ctx, want, item.Version, true); err != nil {
				return err
			}
			delete(copies, ref)
		}
		for _, want := range copies {
			if err := s.copy(ctx, want, item.Version, false); err != nil {
				return err
			}
		}
		if len(item.Outdated) == 0 {
			return nil
		}
		item.Outdated = nil
		return client.Lost(s.write(ctx, item, item.Tidy(time.Now())))
	})
}

// markerOf returns what stays of a deleted copy for some time, so that a worker that is late does not restore it.
func markerOf(ref copyRef) copyItem {
	return copyItem{ID: ref.ID, Type: schema.TypeDeletedReceiver, UserID: ref.Partition,
		CreationDate: schema.Instant(domain.Timestamp(time.Now())), TTL: int(domain.MarkerTime / time.Second)}
}

// copy brings a copy up to date. One of a later version stays, as does an equal one that is not outdated.
func (s *Subscriptions) copy(ctx context.Context, want copyItem, version int64, outdated bool) error {
	return client.Rewrite(ctx, func() error {
		found, err := client.Read[copyItem](ctx, s.users, want.UserID, want.ID)
		missing, etag := client.Missing(err), found.ETag
		found.ETag, want.Version = "", found.Version
		if err != nil && !missing || !missing && (found.Version >= version || !outdated && found == want) {
			return err
		}
		want.Version = version
		if zone, ok := strings.CutPrefix(want.UserID, schema.DigestsPrefix); ok && want.Type == schema.TypeReceiver {
			if err := s.addZone(ctx, schema.ZoneOf(zone)); err != nil {
				return err
			}
		}
		if missing {
			err = s.users.Create(ctx, want.UserID, want)
			return client.AgainIf(client.StatusOf(err) == http.StatusConflict, err)
		}
		return client.Lost(s.users.Replace(ctx, want.UserID, want.ID, etag, want))
	})
}
