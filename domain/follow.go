package domain

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"
)

// Limits of follows and timelines.
const (
	// MaxFollows is the maximum number of authors and tags that an account follows.
	MaxFollows = 5000
	// FollowsPerPage is the number of follows, or of followers, on a page.
	FollowsPerPage = 50
	// TimelinePerPage is the number of posts on a page of the personal feed.
	TimelinePerPage = 20
	// MaxTimeline is about the number of posts that a timeline keeps: it is trimmed to this number now and then.
	MaxTimeline = 2000
	// TimelineTime is how long after its publication a post stays in timelines.
	TimelineTime = 60 * 24 * time.Hour
)

// Source is what users follow: an author or a tag. One of the fields is set.
type Source struct {
	AuthorID string
	Tag      string // the TagKey
}

// AuthorSource returns an author as a source.
func AuthorSource(userID string) Source { return Source{AuthorID: userID} }

// TagSource returns a tag as a source, by its TagKey.
func TagSource(key string) Source { return Source{Tag: key} }

// SourcesOf returns the sources of a post: its author, and its tags.
func SourcesOf(p Post) []Source {
	sources := []Source{AuthorSource(p.AuthorID)}
	for _, key := range p.Tags.Keys() {
		sources = append(sources, TagSource(key))
	}
	return sources
}

// Key returns a text that identifies the source and can be a part of ids. It contains a digest of a tag, which can have
// characters that ids cannot have.
func (s Source) Key() string {
	if s.Tag == "" {
		return s.AuthorID
	}
	sum := sha256.Sum256([]byte(s.Tag))
	return "tag." + hex.EncodeToString(sum[:12])
}

// Valid reports whether the source may exist.
func (s Source) Valid() bool {
	if s.Tag != "" {
		return s.AuthorID == "" && TagKey(s.Tag) == s.Tag
	}
	return IsUserID(s.AuthorID)
}

// Has reports whether a post is one of the source.
func (s Source) Has(p Summary) bool {
	if s.Tag == "" {
		return p.AuthorID == s.AuthorID
	}
	return slices.Contains(p.Tags.Keys(), s.Tag)
}

// Follow records that a user follows an author or a tag. It is stored with the user, and the source has a copy.
type Follow struct {
	UserID  string // the follower
	Source  Source
	Created time.Time
	// Version orders the states of a follow, as that of a Bookmark does.
	Version int64
	// Deleted is when the follow ended, or zero. The marker is kept for MarkerTime.
	Deleted time.Time
	// Person is the present data of the author, or of the follower in a list of followers. It is zero for a tag, and
	// for an account that is deleted or suspended.
	Person User
}

// ErrManyFollows is the error for a follow that is one too many.
func ErrManyFollows() error {
	return NewError(Conflict, "You follow {n} authors and tags already. Unfollow some first.", "n", MaxFollows)
}

// ErrFollowBlocked is the error for following an author who has blocked the user, or whom the user has blocked.
func ErrFollowBlocked(author string) error {
	return NewError(Forbidden, "You can't follow {author}.", "author", "@"+author)
}

// Place is a place in a list that is sorted by date, the newest first: a date and an id. Lists go on after the place of
// the last element of a page, so that elements that are added meanwhile neither hide nor repeat others. The zero value
// is the beginning of a list.
type Place string

// PlaceOf returns the place of an element. Places sort as the dates and then the ids do.
func PlaceOf(at time.Time, id string) Place { return Place(at.UTC().Format(placeLayout) + "~" + id) }

// Split returns the date and the id of a place. It reports false for a text that is no place.
func (p Place) Split() (at time.Time, id string, ok bool) {
	date, id, ok := strings.Cut(string(p), "~")
	at, err := time.Parse(placeLayout, date)
	return at, id, ok && err == nil && id != "" && len(p) <= 100
}

// TimelineEntry refers to a post in the timeline of a user who follows one of the post's sources. A user who follows
// several has an entry for each. An entry without a post is a source that is merged: see Followers.
type TimelineEntry struct {
	Source   Source
	PostID   string
	AuthorID string
	Created  time.Time // of the post
}

// Place returns the place of the post in the timeline.
func (e TimelineEntry) Place() Place { return PlaceOf(e.Created, e.PostID) }

// Timeline is a part of the timeline of a user.
type Timeline struct {
	Entries []TimelineEntry // the newest first
	// Merged are the sources with so many followers that their posts are not in timelines. Readers merge them into the
	// entries. Only the beginning of a timeline has them.
	Merged []Source
}

// Followers says how many followers a source has.
type Followers struct {
	Count int
	// Merged reports that new posts of the source are merged into timelines when these are read. That starts when the
	// source has more followers than a threshold, and never ends, because its later posts are in no timeline.
	Merged bool
}

// FeedKey returns what the address of the user's private feed names: the user and the secret. It is empty if there is
// no such feed.
func (u User) FeedKey() string {
	if u.FeedSecret == "" {
		return ""
	}
	return u.ID + "." + u.FeedSecret
}

// largeFanout is the number of followers from which on a fan-out is a large one, which takes a second or more.
const largeFanout = 1000

// timelineDestinations is the number of destinations of each size of fan-outs. Those in one destination follow one
// another.
const timelineDestinations = 64

// NewsDelivery returns the delivery of a new post to the followers of a source. Large ones have destinations of their
// own, so that they do not delay small ones.
func NewsDelivery(n TimelineEntry, followers int, now time.Time) Delivery {
	size := "small"
	if followers >= largeFanout {
		size = "large"
	}
	id := n.PostID + "." + n.Source.Key()
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(id)) // a hash does not fail
	destination := fmt.Sprintf("%s%s:%02d", TimelinesPrefix, size, sum.Sum32()%timelineDestinations)
	return Delivery{ID: id, Destination: destination, Kind: DeliverPost, News: &n,
		Created: Timestamp(now), Expires: Timestamp(now.Add(newsTime)), Remember: true}
}

// newsTime is how long the news of a post is delivered if it fails, and how long it is remembered that it was.
const newsTime = 7 * 24 * time.Hour

// TimelinesPrefix begins the destinations of posts that are delivered to timelines.
const TimelinesPrefix = "timelines:"
