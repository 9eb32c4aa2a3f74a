package subscription

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"inkfeed/domain"
)

// Mailing is a new post that is mailed to subscribers, with what has become of the mails.
type Mailing struct {
	PostID   string    `json:"postId"`
	AuthorID string    `json:"userId"`
	Begun    time.Time `json:"creationDate"`
	// Lists are those of the post when its mailing began, whose position counts them. Later edits do not change them.
	Lists []List `json:"lists,omitempty"`
	// Sent counts the mails that the server has accepted, Bounced those that were refused for good, and Unsubscribed
	// those whose link ended a subscription.
	Sent         int  `json:"sent"`
	Bounced      int  `json:"bounced"`
	Unsubscribed int  `json:"unsubscribed"`
	Done         bool `json:"done"` // all mails were sent once
}

// Told is a post that was published for the first time. Digests are made of them.
type Told struct {
	PostID   string    `json:"postId"`
	AuthorID string    `json:"authorId"`
	Lists    []string  `json:"lists"` // the keys
	At       time.Time `json:"date"`
}

// Newsletter is how an author's posts are mailed.
type Newsletter struct {
	ReplyTo string `json:"replyTo,omitempty"` // the address that gets replies; empty: that of the site
	Excerpt bool   `json:"excerpt,omitempty"` // mails have the beginning of the text only
}

// Zone is a time zone in which subscribers get digests, with the times until which their digests were made.
type Zone struct {
	Name          string // an IANA name; empty: that of the site
	Daily, Weekly time.Time
	ETag          string // of the stored zone, for a conditional change
}

// Receiver names a subscriber in a list.
type Receiver struct {
	ID    string
	List  List
	Added time.Time
}

// Place returns the place of the receiver in the list.
func (r Receiver) Place() domain.Place { return domain.PlaceOf(r.Added, r.ID) }

// Prefixes of destinations of deliveries.
const (
	MailingsPrefix = "mailings:" // of posts and digests to all their receivers
	ImportsPrefix  = "imports:"  // of imported subscribers
)

// Kinds of deliveries.
const (
	DeliverMailing domain.DeliveryKind = "mailing" // a post to the subscribers of its lists
	DeliverDigests domain.DeliveryKind = "digests" // the digests of a time zone
	DeliverIssue   domain.DeliveryKind = "issue"   // a mail of a mailing that the server did not take at first
	DeliverNotice  domain.DeliveryKind = "notice"  // a mail about a notification
	// DeliverConfirmation is a request for a mail that confirms a subscription. Whether the address is known is found
	// out in the background.
	DeliverConfirmation domain.DeliveryKind = "confirmation"
	DeliverImport       domain.DeliveryKind = "subscribers" // imported subscribers of an author
)

// MailingDelivery returns the delivery of a new post to the subscribers of its lists.
func MailingDelivery(postID string, now time.Time) domain.Delivery {
	return delivery(DeliverMailing, postID, now)
}

// DigestDelivery returns the delivery of the digests of a time zone, with posts that were told from a time on and
// before another. Weekly ones have their own beginning, and are due if it is not zero.
func DigestDelivery(d DigestRun, now time.Time) domain.Delivery {
	return delivery(DeliverDigests, d.String(), now)
}

// destinations is the number of destinations of each kind. Deliveries to one of them follow one another.
const destinations = 16

// deliveryTime is how long a delivery is tried, and how long it is remembered that it was made.
const deliveryTime = 7 * 24 * time.Hour

func delivery(kind domain.DeliveryKind, id string, now time.Time) domain.Delivery {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id)) // a hash does not fail
	destination := fmt.Sprintf("%s%s:%02d", MailingsPrefix, kind, sum.Sum32()%destinations)
	return domain.Delivery{ID: id, Destination: destination, Kind: kind,
		Created: domain.Timestamp(now), Expires: domain.Timestamp(now.Add(deliveryTime)), Remember: true}
}

// ImportDelivery returns the delivery of imported subscribers of an author. Those of one author follow one another.
func ImportDelivery(authorID, id string, now time.Time) domain.Delivery {
	d := delivery(DeliverImport, authorID, now)
	d.ID, d.UserID, d.Destination = id, authorID, ImportsPrefix+d.Destination[len(d.Destination)-2:]
	return d
}

// DigestRun is one round of digests in a time zone.
type DigestRun struct {
	Zone         string // empty: that of the site
	Daily, Until time.Time
	Weekly       time.Time // zero: no weekly digests are due
}

// From returns from when on the run tells a subscriber what is new in a list. It reports false if the subscription has
// another frequency.
func (r DigestRun) From(s Subscription) (from time.Time, due bool) {
	switch s.Frequency {
	case Daily:
		from = r.Daily
	case Weekly:
		from = r.Weekly
	}
	return later(from, s.Confirmed), !from.IsZero()
}

// Has reports whether the run tells what happened at a time, from a time on.
func (r DigestRun) Has(at, from time.Time) bool { return !at.Before(from) && at.Before(r.Until) }

const runLayout = "20060102T1504"

// String returns a text that can be an id: see ParseRun.
func (r DigestRun) String() string {
	weekly := ""
	if !r.Weekly.IsZero() {
		weekly = r.Weekly.UTC().Format(runLayout)
	}
	return strings.Join([]string{r.Daily.UTC().Format(runLayout), r.Until.UTC().Format(runLayout), weekly,
		strings.ReplaceAll(r.Zone, "/", "~")}, "_")
}

// ParseRun reads what String returned. Zones have underscores, too, so they come last.
func ParseRun(text string) (r DigestRun, ok bool) {
	parts := strings.SplitN(text, "_", 4)
	if len(parts) < 4 {
		return r, false
	}
	var errs [3]error
	r.Daily, errs[0] = time.Parse(runLayout, parts[0])
	r.Until, errs[1] = time.Parse(runLayout, parts[1])
	if parts[2] != "" {
		r.Weekly, errs[2] = time.Parse(runLayout, parts[2])
	}
	r.Zone = strings.ReplaceAll(parts[3], "~", "/")
	return r, cmp.Or(errs[:]...) == nil
}
