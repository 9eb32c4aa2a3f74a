package domain

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"
)

// Delivery is a message to a receiver outside the site, such as a mail, or a post that is added to timelines. It is
// stored until that is done.
type Delivery struct {
	ID          string
	Destination string // see UrgentMail and BulkMail
	Kind        DeliveryKind
	UserID      string // the account that the message is about; empty if that is not known yet
	// Sealed is what Kind needs to make the message. It is encrypted, because it may contain addresses and secrets.
	Sealed []byte
	News   *TimelineEntry // of DeliverPost
	// Position is how far a delivery of several steps has come; empty: it has not begun. Only its transport knows the
	// form.
	Position string
	Created  time.Time
	Expires  time.Time // it is not delivered after that
	// Remember makes the item stay until Expires after it was delivered, so that storing the delivery again has no
	// effect. Deliveries that are stored once for each event need it.
	Remember bool

	Next     time.Time // of the next attempt
	Attempts int       // those that failed
	Answer   string    // what the receiver said to the last attempt
	Dropped  time.Time // when it was given up; zero: it waits
}

// DeliveryKind says how the message of a delivery is made.
type DeliveryKind string

const (
	// DeliverMail is a complete mail.
	DeliverMail DeliveryKind = "mail"
	// DeliverReset is a request for a link that resets a password. Whether there is such an account, and so whether a
	// mail is sent, is found out in the background.
	DeliverReset DeliveryKind = "reset"
	// DeliverPost adds a new post to the timelines of the followers of a source.
	DeliverPost DeliveryKind = "post"
)

// UrgentMail is the destination of mails that their receivers wait for, such as links that reset a password.
const UrgentMail = "mail:urgent"

// mailDestinations is the number of destinations of other mails. Those to one domain wait for one another only.
const mailDestinations = 64

// BulkMail returns the destination of a mail to an address, which depends on the domain only. So no domain, however
// many mails it gets and however slowly they are accepted, delays those to most others.
func BulkMail(address string) string {
	host := strings.ToLower(address[strings.LastIndexByte(address, '@')+1:])
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(host)) // a hash does not fail
	return fmt.Sprintf("mail:%02d", sum.Sum32()%mailDestinations)
}

// Fresh reports whether no attempt has failed. Fresh deliveries come before repeated ones.
func (d Delivery) Fresh() bool { return d.Attempts == 0 }

// Destination is a receiver of deliveries, or a part of one: what one worker at a time delivers to, in order.
type Destination struct {
	Name string
	// Due is when the next attempt is due; zero: nothing waits. Fresh says whether it is one of a fresh delivery.
	Due   time.Time
	Fresh bool
	// Owner names the worker that delivers now, if any. It raises Renewals while it works.
	Owner    string
	Renewals int
	// Failures counts the failures of the receiver in a row, Answer is its last one, and Paused is when the next
	// attempt may begin.
	Failures int
	Answer   string
	Paused   time.Time
	ETag     string
}

// DeliveryCounts are the numbers of deliveries to a destination.
type DeliveryCounts struct {
	Fresh, Repeated int // those that wait
	Dropped         int
}

// DeliveriesPerPage is the number of deliveries on a page of the list for administrators.
const DeliveriesPerPage = 50

// DeliveryError is the failure of an attempt to deliver. Other errors mean a failure on our side, which may pass.
type DeliveryError struct {
	Fault DeliveryFault
	// Answer is what the receiver said, for administrators. It contains no addresses.
	Answer string
	After  time.Duration // for which the receiver asked to wait; zero: it did not say
}

func (e *DeliveryError) Error() string { return e.Answer }

// DeliveryFault says what a failed attempt means.
type DeliveryFault int

const (
	// RefusedForNow means that the receiver may accept the delivery later.
	RefusedForNow DeliveryFault = iota
	// Refused means that the receiver will never accept the delivery.
	Refused
	// ReceiverFailed means that the receiver accepts no deliveries at present. It has not seen this one.
	ReceiverFailed
	// ConnectionBroke means that the receiver has failed in the middle of the delivery, which it may have accepted, or
	// which may be the cause. So the delivery waits for longer than others of the receiver.
	ConnectionBroke
)

// Mail is a mail with a plain text.
type Mail struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    string `json:"html,omitempty"` // the same as Text for programs that show HTML; empty: none
	// FromName is the sender's name in place of the site's, and ReplyTo is the address that gets replies. Empty: those
	// of the settings.
	FromName string       `json:"fromName,omitempty"`
	ReplyTo  string       `json:"replyTo,omitempty"`
	Bulk     *BulkHeaders `json:"bulk,omitempty"` // of mails that people have subscribed to
}

// BulkHeaders describe the list that a mail belongs to.
type BulkHeaders struct {
	ListID      string `json:"listId"`            // the Key of the subscription.List
	ListName    string `json:"listName"`          // for people
	Unsubscribe string `json:"unsubscribe"`       // an https URL: a POST there ends the subscription (RFC 8058)
	Archive     string `json:"archive,omitempty"` // the URL of a page with the posts of the list
	// Subscriber is the receiver's id. It is signed into the envelope address, so that a returned mail names it. PostID
	// is the post of which returned mails are counted, or empty.
	Subscriber string `json:"subscriber"`
	PostID     string `json:"postId,omitempty"`
}
