package deliveries

import (
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// destinations is the partition that lists the destinations.
const destinations = "destinations"

// The first characters of ranks, which a time follows.
const (
	rankFresh    = "0"
	rankRepeated = "1"
	rankDropped  = "2"
	rankNone     = "3" // nothing waits at a destination, or a delivery is done and remembered
)

func rank(class string, at time.Time) string {
	return class + at.UTC().Format(schema.InstantLayout)
}

// rankTime returns the time in a rank, and zero for a rank without one.
func rankTime(rank string) time.Time {
	if len(rank) < 1 {
		return time.Time{}
	}
	at, _ := time.Parse(schema.InstantLayout, rank[1:])
	return at
}

// deliveryItem is a delivery, in the partition of its destination.
type deliveryItem struct {
	ID          string         `json:"id"`
	Type        string         `json:"type"`
	Destination string         `json:"destination"`
	Rank        string         `json:"rank"`
	Kind        string         `json:"kind"`
	UserID      string         `json:"userId,omitempty"`
	Sealed      []byte         `json:"sealed,omitempty"`
	Created     schema.Instant `json:"creationDate"`
	Expires     schema.Instant `json:"expirationDate"`
	Remember    bool           `json:"remember,omitempty"`
	Attempts    int            `json:"attempts,omitempty"`
	Answer      string         `json:"answer,omitempty"`
	TTL         int            `json:"ttl"`
}

func deliveryItemOf(d domain.Delivery) deliveryItem {
	return deliveryItem{ID: d.ID, Type: schema.TypeDelivery, Destination: d.Destination,
		Rank: rank(rankFresh, d.Created), Kind: string(d.Kind), UserID: d.UserID, Sealed: d.Sealed,
		Created: schema.Instant(d.Created), Expires: schema.Instant(d.Expires), Remember: d.Remember,
		TTL: schema.TTLUntil(d.Expires)}
}

func (i deliveryItem) domain() domain.Delivery {
	d := domain.Delivery{ID: i.ID, Destination: i.Destination, Kind: domain.DeliveryKind(i.Kind), UserID: i.UserID,
		Sealed: i.Sealed, Created: time.Time(i.Created), Expires: time.Time(i.Expires), Remember: i.Remember,
		Attempts: i.Attempts, Answer: i.Answer}
	switch at := rankTime(i.Rank); {
	case i.Rank >= rankDropped:
		d.Dropped = at
	default:
		d.Next = at
	}
	return d
}

// destinationItem is a destination, in the partition of all destinations.
type destinationItem struct {
	ID          string          `json:"id"`
	Type        string          `json:"type"`
	Destination string          `json:"destination"` // the partition
	Rank        string          `json:"rank"`        // of the first delivery
	Puts        int             `json:"puts"`        // counts calls of Put, so that each changes the etag
	Owner       string          `json:"owner,omitempty"`
	Renewals    int             `json:"renewals"`
	Failures    int             `json:"failures,omitempty"`
	Answer      string          `json:"answer,omitempty"`
	Paused      *schema.Instant `json:"pausedDate,omitempty"`
	TTL         int             `json:"ttl"`
	ETag        string          `json:"_etag,omitempty"`
}

// destinationTime is how long a destination is listed after its last change. It is longer than any delivery waits.
const destinationTime = 30 * 24 * time.Hour

func (i destinationItem) domain() domain.Destination {
	d := domain.Destination{Name: i.ID, Owner: i.Owner, Renewals: i.Renewals, Failures: i.Failures, Answer: i.Answer,
		Paused: i.Paused.Time(), ETag: i.ETag}
	if i.Rank < rankDropped {
		d.Due, d.Fresh = rankTime(i.Rank), i.Rank < rankRepeated
	}
	return d
}
