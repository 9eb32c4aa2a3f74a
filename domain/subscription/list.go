package subscription

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"inkfeed/domain"
)

// Kind is what a List consists of.
type Kind string

// The kinds of lists. The last two are personal: each member has their own.
const (
	ByAuthor Kind = "author"        // the posts of an author
	BySeries Kind = "series"        // the posts of a series of an author
	ByTag    Kind = "tag"           // the posts with a tag
	BySite   Kind = "site"          // all posts
	Feed     Kind = "feed"          // the member's personal feed; not with the frequency Each
	Notices  Kind = "notifications" // the member's notifications
)

// List is what people subscribe to.
type List struct {
	Kind     Kind   `json:"kind"`
	AuthorID string `json:"authorId,omitempty"` // of ByAuthor and BySeries
	Series   string `json:"series,omitempty"`   // the SeriesKey
	Tag      string `json:"tag,omitempty"`      // the TagKey
}

// Author, Series, Tag and Site return the lists of posts.
func Author(userID string) List { return List{Kind: ByAuthor, AuthorID: userID} }

// Series returns the list of the posts of a series, by its SeriesKey.
func Series(authorID, key string) List { return List{Kind: BySeries, AuthorID: authorID, Series: key} }

// Tag returns the list of the posts with a tag, by its TagKey.
func Tag(key string) List { return List{Kind: ByTag, Tag: key} }

// Site returns the list of all posts.
func Site() List { return List{Kind: BySite} }

// ListsOf returns the lists of a post. Somebody who subscribes to several gets its mail because of the first of them.
func ListsOf(p domain.Post) []List {
	lists := []List{Author(p.AuthorID)}
	if key := domain.SeriesKey(p.Details.Series); key != "" {
		lists = append(lists, Series(p.AuthorID, key))
	}
	for _, key := range p.Tags.Keys() {
		lists = append(lists, Tag(key))
	}
	return append(lists, Site())
}

// Key returns a text that identifies the list. It can be a part of ids, addresses and headers of mails: it has only
// letters, digits, dots and hyphens. It contains digests of tags and series.
func (l List) Key() string {
	switch l.Kind {
	case ByAuthor:
		return "author." + l.AuthorID
	case BySeries:
		return "series." + l.AuthorID + "." + digest(l.Series)
	case ByTag:
		return "tag." + digest(l.Tag)
	}
	return string(l.Kind)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:12])
}

// Personal reports whether the list is one of a member's own.
func (l List) Personal() bool { return l.Kind == Feed || l.Kind == Notices }

// Valid reports whether such a list may exist.
func (l List) Valid() bool {
	switch l.Kind {
	case ByAuthor:
		return l == Author(l.AuthorID) && domain.IsUserID(l.AuthorID)
	case BySeries:
		return l == Series(l.AuthorID, l.Series) && domain.IsUserID(l.AuthorID) && l.Series != "" &&
			domain.SeriesKey(l.Series) == l.Series
	case ByTag:
		return l == Tag(l.Tag) && l.Tag != "" && domain.TagKey(l.Tag) == l.Tag
	}
	return l == List{Kind: l.Kind} && (l.Kind == BySite || l.Personal())
}

// Frequency is how often a subscriber gets a mail.
type Frequency string

// The frequencies.
const (
	Each   Frequency = "each" // a mail for each post, or for each notification, at once
	Daily  Frequency = "daily"
	Weekly Frequency = "weekly"
)

// Valid reports whether a list can have the frequency.
func (f Frequency) Valid(l List) bool {
	return f == Daily || f == Weekly || f == Each && l.Kind != Feed
}

// Consent is the proof that a subscriber has asked for mails.
type Consent struct {
	At      time.Time `json:"date"`
	Page    string    `json:"page,omitempty"`    // the address of the page with the form
	Wording string    `json:"wording,omitempty"` // the sentence beside the form
	// Source says where an imported subscriber comes from, in the words of the author, and Imported when that was.
	Source   string    `json:"source,omitempty"`
	Imported time.Time `json:"importDate,omitzero"`
}

// Subscription is what one subscriber gets from one list.
type Subscription struct {
	List      List      `json:"list"`
	Frequency Frequency `json:"frequency"`
	Consent   Consent   `json:"consent"`
	Confirmed time.Time `json:"confirmationDate,omitzero"` // zero: it waits for the confirmation
	Ended     time.Time `json:"endDate,omitzero"`          // see EndedTime
}

// Active reports whether mails are due.
func (s Subscription) Active() bool { return !s.Confirmed.IsZero() && s.Ended.IsZero() }

// pending reports whether the subscription waits for its confirmation.
func (s Subscription) pending(now time.Time) bool {
	return s.Confirmed.IsZero() && s.Ended.IsZero() && now.Before(s.Consent.At.Add(ConfirmTime))
}
