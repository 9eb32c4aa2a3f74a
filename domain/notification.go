package domain

import (
	"slices"
	"strings"
	"time"
)

// NotificationKind is the event that a notification is about.
type NotificationKind string

const (
	NotifyReply     NotificationKind = "reply"    // another user replied to the user's comment
	NotifyMention   NotificationKind = "mention"  // another user mentioned the user in a post or comment
	NotifyComment   NotificationKind = "comment"  // another user commented on the user's post
	NotifyLike      NotificationKind = "like"     // other users liked the user's post on one day
	NotifyFollower  NotificationKind = "follower" // another user follows the user
	NotifyApproved  NotificationKind = "approved" // a moderator approved a text of the user that was held for review
	NotifyHidden    NotificationKind = "hidden"   // a moderator hid a text of the user
	NotifyRestored  NotificationKind = "restored" // a moderator made a hidden text of the user visible again
	NotifyPublished NotificationKind = "published"
	// NotifyPutBack says that a scheduled post could not be published, so that it is a draft again. NotifyPublished
	// says that it was published.
	NotifyPutBack NotificationKind = "put-back"
)

// Applies reports whether the event still describes a text that is held for this reason. A moderator's later decision
// replaces an earlier one.
func (k NotificationKind) Applies(held Hold) bool {
	switch k {
	case NotifyHidden:
		return held == HeldByModerator
	case NotifyApproved, NotifyRestored:
		return held == NotHeld
	}
	return true
}

// OfDecision reports whether the event is a moderator's decision.
func (k NotificationKind) OfDecision() bool {
	return k == NotifyApproved || k == NotifyHidden || k == NotifyRestored
}

// OptionalNotifications returns the kinds that users can switch off. Decisions and problems are always reported.
func OptionalNotifications() []NotificationKind {
	return []NotificationKind{NotifyReply, NotifyMention, NotifyComment, NotifyLike, NotifyFollower, NotifyPublished}
}

// NotificationKinds is a set of kinds, separated by commas. Sets can be compared with ==.
type NotificationKinds string

// Has reports whether a kind is in the set.
func (s NotificationKinds) Has(k NotificationKind) bool {
	return slices.Contains(strings.Split(string(s), ","), string(k))
}

// Notification is the notification of a user about an event. It expires after NotificationTime.
type Notification struct {
	UserID    string // the user who is notified
	Kind      NotificationKind
	PostID    string // empty: the event is a follower
	CommentID string // empty: the event is about the post
	// FollowerID is the user who follows, or empty.
	FollowerID string
	// Event distinguishes events of one kind about one text: the version of the moderator's decision, the day of likes
	// (see LikesDay), or the time of a scheduled publication in milliseconds. It is 0 for other events.
	Event   int
	Created time.Time
}

// LikesDay returns the number of the day (UTC) whose likes are notified together.
func LikesDay(liked time.Time) int { return int(liked.Unix() / secondsPerDay) }

// DayOfLikes returns the beginning of the day with a number: see LikesDay.
func DayOfLikes(number int) time.Time { return time.Unix(int64(number)*secondsPerDay, 0).UTC() }

const secondsPerDay = 24 * 60 * 60

// NotificationTime is how long a notification is kept. Only comments, likes and mentions in texts that are at most
// NotifiedAge old make one. So an event cannot make a second notification after the first has expired, even if the text
// changes or the change feed delivers it again.
const (
	NotificationTime = 60 * 24 * time.Hour
	NotifiedAge      = 30 * 24 * time.Hour
)

// BlocksPerPage is the number of blocked users on a page, and MutesPerPage that of mutes.
const (
	BlocksPerPage = 50
	MutesPerPage  = 50
)

// Block records that a user accepts no comments and likes from another user on their posts. There is at most one per
// pair of users.
type Block struct {
	UserID    string // the user who blocks
	BlockedID string
	Created   time.Time
	// Blocked is the blocked user's current data. It is zero if the account is deleted or suspended.
	Blocked User
}

// ErrBlocked is the error for a user whom a post's author has blocked.
func ErrBlocked(author string) error {
	return NewError(Forbidden, "You can't like or comment on posts by {author}.", "author", "@"+author)
}

// MuteKind is what a mute is about.
type MuteKind string

const (
	MutePerson MuteKind = "person" // no notifications about the user, and no posts by the user in the viewer's lists
	MuteTag    MuteKind = "tag"    // no posts with the tag in the viewer's lists
	MutePost   MuteKind = "post"   // no notifications about the post
)

// Mute records that a user does not want to hear of a person, tag or post. Nobody else can see it.
type Mute struct {
	Kind MuteKind  `json:"kind"`
	ID   string    `json:"id"` // of a user or post, or the TagKey of a tag
	Date time.Time `json:"date"`
}

// Valid reports whether the mute has an id that fits its kind.
func (m Mute) Valid() bool {
	switch m.Kind {
	case MutePerson:
		return IsUserID(m.ID)
	case MutePost:
		return IsID(m.ID)
	}
	return m.Kind == MuteTag && m.ID != "" && TagKey(m.ID) == m.ID
}

// MaxMutes is the maximum number of a user's mutes.
const MaxMutes = 500

// ErrManyMutes is the error for a mute that is one too many.
func ErrManyMutes() error {
	return NewError(Conflict, "You can mute at most {number} people, tags and posts. Unmute one of them first.",
		"number", MaxMutes)
}

// Mutes are the mutes of a user, the latest first.
type Mutes []Mute

// Has reports whether a person, tag or post is muted.
func (m Mutes) Has(kind MuteKind, id string) bool {
	return slices.ContainsFunc(m, func(one Mute) bool { return one.Kind == kind && one.ID == id })
}

// With returns the mutes with one more. Muting again changes nothing. The error is ErrManyMutes.
func (m Mutes) With(one Mute) (Mutes, error) {
	switch {
	case m.Has(one.Kind, one.ID):
		return m, nil
	case len(m) >= MaxMutes:
		return m, ErrManyMutes()
	}
	return slices.Insert(slices.Clone(m), 0, one), nil
}

// Without returns the mutes without those of a person, tag or post.
func (m Mutes) Without(kind MuteKind, id string) Mutes {
	return slices.DeleteFunc(slices.Clone(m), func(one Mute) bool { return one.Kind == kind && one.ID == id })
}

// Hides reports whether a post is by a muted person or has a muted tag.
func (m Mutes) Hides(s Summary) bool {
	return m.Has(MutePerson, s.AuthorID) ||
		slices.ContainsFunc(s.Tags.Keys(), func(key string) bool { return m.Has(MuteTag, key) })
}
