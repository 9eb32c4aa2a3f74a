package deliveries

import (
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// destinations is the partition that lists the destinations.
const destinations = "destinations"

// The first characters of sort keys, which a time follows.
const (
	sortFresh    = "0"
	sortRepeated = "1"
	sortDropped  = "2"
	sortNone     = "3" // nothing waits at a destination, or a delivery is done and remembered
)

func sortKey(class string, at time.Time) string {
	return class + at.UTC().Format(schema.InstantLayout)
}

// waitingKey returns the sort key of something that is due at a time: a delivery, or a destination with that delivery.
func waitingKey(fresh bool, due time.Time) string {
	if fresh {
		return sortKey(sortFresh, due)
	}
	return sortKey(sortRepeated, due)
}

// sortTime returns the time in a sort key, and zero for one without a time.
func sortTime(key string) time.Time {
	if len(key) < 1 {
		return time.Time{}
	}
	at, _ := time.Parse(schema.InstantLayout, key[1:])
	return at
}

// deliveryItem is a delivery, in the partition of its destination.
type deliveryItem struct {
	ID          string         `json:"id"`
	Type        string         `json:"type"`
	Destination string         `json:"destination"`
	SortKey     string         `json:"sortKey,omitempty"`
	Kind        string         `json:"kind"`
	UserID      string         `json:"userId,omitempty"`
	Sealed      []byte         `json:"sealed,omitempty"`
	News        *newsItem      `json:"news,omitempty"`
	Position    string         `json:"position,omitempty"`
	Created     schema.Instant `json:"creationDate"`
	Expires     schema.Instant `json:"expirationDate"`
	Remember    bool           `json:"remember,omitempty"`
	Attempts    int            `json:"attempts,omitempty"`
	Answer      string         `json:"answer,omitempty"`
	TTL         int            `json:"ttl"`
}

// newsItem is a new post, with which source its receivers follow.
type newsItem struct {
	AuthorID string         `json:"authorId"`
	Tag      string         `json:"tag,omitempty"` // if the tag is followed, not the author
	PostID   string         `json:"postId"`
	Created  schema.Instant `json:"creationDate"`
}

func newsItemOf(n *domain.TimelineEntry) *newsItem {
	if n == nil {
		return nil
	}
	return &newsItem{AuthorID: n.AuthorID, Tag: n.Source.Tag, PostID: n.PostID, Created: schema.Instant(n.Created)}
}

func (i *newsItem) domain() *domain.TimelineEntry {
	if i == nil {
		return nil
	}
	source := domain.AuthorSource(i.AuthorID)
	if i.Tag != "" {
		source = domain.TagSource(i.Tag)
	}
	return &domain.TimelineEntry{Source: source, PostID: i.PostID, AuthorID: i.AuthorID, Created: time.Time(i.Created)}
}

func deliveryItemOf(d domain.Delivery) deliveryItem {
	return deliveryItem{ID: d.ID, Type: schema.TypeDelivery, Destination: d.Destination,
		SortKey: sortKey(sortFresh, d.Created), Kind: string(d.Kind), UserID: d.UserID, Sealed: d.Sealed,
		News: newsItemOf(d.News), Created: schema.Instant(d.Created), Expires: schema.Instant(d.Expires),
		Remember: d.Remember,
		TTL:      ttl(d.Expires)}
}

// keepTime is how long an item stays after its delivery has expired, so that administrators see what was not delivered.
const keepTime = 24 * time.Hour

// ttl returns the time to live of a delivery that expires at a time. Each write states it anew, because the service
// counts from the last write.
func ttl(expires time.Time) int { return schema.TTLUntil(expires.Add(keepTime)) }

func (i deliveryItem) domain() domain.Delivery {
	d := domain.Delivery{ID: i.ID, Destination: i.Destination, Kind: domain.DeliveryKind(i.Kind), UserID: i.UserID,
		Sealed: i.Sealed, News: i.News.domain(), Position: i.Position, Created: time.Time(i.Created),
		Expires: time.Time(i.Expires), Remember: i.Remember,
		Attempts: i.Attempts, Answer: i.Answer}
	switch at := sortTime(i.SortKey); {
	case i.SortKey >= sortDropped:
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
	SortKey     string          `json:"sortKey"`     // of the first delivery
	Puts        int             `json:"puts"`        // counts calls of Put, so that each changes the etag
	Owner       string          `json:"owner,omitempty"`
	Renewals    int             `json:"renewals"`
	Failures    int             `json:"failures,omitempty"`
	Answer      string          `json:"answer,omitempty"`
	Paused      *schema.Instant `json:"pausedDate,omitempty"`
	TTL         int             `json:"ttl"`
	ETag        string          `json:"_etag,omitempty"`
}

// markItem is written in the partition of a destination: see Deliveries.Refresh.
type markItem struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Destination string `json:"destination"`
	TTL         int    `json:"ttl"`
}

// destinationTime is how long a destination is listed after its last change. It is longer than any delivery waits.
const destinationTime = 30 * 24 * time.Hour

func (i destinationItem) domain() domain.Destination {
	d := domain.Destination{Name: i.ID, Owner: i.Owner, Renewals: i.Renewals, Failures: i.Failures, Answer: i.Answer,
		Paused: i.Paused.Time(), ETag: i.ETag}
	if i.SortKey < sortDropped {
		d.Due, d.Fresh = sortTime(i.SortKey), i.SortKey < sortRepeated
	}
	return d
}
