package subscriptions

import (
	"context"
	"net/http"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// Operations on digests.
var (
	telling     = client.WritesOnly("tell-digests", 0)
	digesting   = client.Reads("digests")
	zoning      = client.Reads("digest-zones")
	settingZone = client.WritesOnly("digest-zone", 0)
)

// toldTime is how long posts are kept for digests, which is longer than a week, and than any outage that matters.
const toldTime = 40 * 24 * time.Hour

type toldItem struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	UserID string `json:"userId"` // the partition
	subscription.Told
	CreationDate schema.Instant `json:"creationDate"`
	TTL          int            `json:"ttl,omitempty"`
}

// PutTold stores a post for the digests of its day. Storing it again within an hour changes nothing.
func (s *Subscriptions) PutTold(ctx context.Context, t subscription.Told) error {
	ctx = telling.In(ctx)
	item := toldItem{t.PostID, schema.TypeTold, schema.ToldKey(t.At), t, schema.Instant(domain.Timestamp(t.At)),
		schema.TTLUntil(t.At.Add(toldTime))}
	if before := schema.ToldKey(t.At.Add(-time.Hour)); before != item.UserID { // just after midnight
		if _, err := client.Read[toldItem](ctx, s.users, before, item.ID); !client.Missing(err) {
			return client.Translate(err)
		}
	}
	err := s.users.Create(ctx, item.UserID, item)
	if client.StatusOf(err) == http.StatusConflict {
		return nil
	}
	return client.Translate(err)
}

// ToldBetween returns the posts that were told at a time or later, and before another one, the earliest first. It is
// one query for each day.
func (s *Subscriptions) ToldBetween(ctx context.Context, from, until time.Time) ([]subscription.Told, error) {
	var list []subscription.Told
	for day := from.UTC().Truncate(24 * time.Hour); day.Before(until); day = day.Add(24 * time.Hour) {
		rows, err := client.Query[toldItem](digesting.In(ctx), s.users, schema.ToldKey(day),
			`SELECT * FROM c WHERE c.type = 'told' AND c.creationDate >= @from AND c.creationDate < @until
			 ORDER BY c.type ASC, c.creationDate ASC, c.id ASC`,
			client.Parameters{"from": schema.Instant(from), "until": schema.Instant(until)})
		if err != nil {
			return nil, client.Translate(err)
		}
		list = append(list, client.Convert(rows, func(i toldItem) subscription.Told { return i.Told })...)
	}
	return list, nil
}

type zoneItem struct {
	ID     string         `json:"id"`
	Type   string         `json:"type"`
	UserID string         `json:"userId"` // the partition
	Daily  schema.Instant `json:"daily"`
	Weekly schema.Instant `json:"weekly"`
	ETag   string         `json:"_etag,omitempty"`
}

// addZone stores the time zone of a subscriber with digests. It changes nothing if there is one.
func (s *Subscriptions) addZone(ctx context.Context, name string) error {
	now := schema.Instant(domain.Timestamp(time.Now()))
	err := s.users.Create(ctx, schema.DigestZones, zoneItem{ID: schema.ZoneID(name), Type: schema.TypeDigestZone,
		UserID: schema.DigestZones, Daily: now, Weekly: now})
	if client.StatusOf(err) == http.StatusConflict {
		return nil
	}
	return err
}

// Zones returns the time zones in which digests are, or were, sent. It is one query.
func (s *Subscriptions) Zones(ctx context.Context) ([]subscription.Zone, error) {
	rows, err := client.Query[zoneItem](zoning.In(ctx), s.users, schema.DigestZones,
		`SELECT * FROM c WHERE c.type = 'digest-zone'`, nil)
	return client.Convert(rows, func(i zoneItem) subscription.Zone {
		return subscription.Zone{Name: schema.ZoneOf(i.ID), Daily: time.Time(i.Daily), Weekly: time.Time(i.Weekly),
			ETag: i.ETag}
	}), client.Translate(err)
}

// AdvanceZone stores until when the digests of a time zone were made. It reports false if the zone has
// changed since it was read.
func (s *Subscriptions) AdvanceZone(ctx context.Context, z subscription.Zone) (bool, error) {
	err := s.users.Replace(settingZone.In(ctx), schema.DigestZones, schema.ZoneID(z.Name), z.ETag, zoneItem{
		ID: schema.ZoneID(z.Name), Type: schema.TypeDigestZone, UserID: schema.DigestZones,
		Daily: schema.Instant(z.Daily), Weekly: schema.Instant(z.Weekly)})
	if client.ConditionFailed(err) || client.Missing(err) {
		return false, nil
	}
	return err == nil, client.Translate(err)
}
