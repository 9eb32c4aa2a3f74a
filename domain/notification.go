package domain

import "time"

// NotificationKind is the event that a notification is about.
type NotificationKind string

const (
	NotifyComment  NotificationKind = "comment"  // another user commented on the user's post
	NotifyApproved NotificationKind = "approved" // a moderator approved a text of the user that was held for review
	NotifyHidden   NotificationKind = "hidden"   // a moderator hid a text of the user
	NotifyRestored NotificationKind = "restored" // a moderator made a hidden text of the user visible again
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

// Notification is the notification of a user about an event. It expires after NotificationTime.
type Notification struct {
	UserID    string // the user who is notified
	Kind      NotificationKind
	PostID    string
	CommentID string // empty: the event is about the post
	// Decision is the version of the moderator's decision, which makes notifications of several decisions about a text
	// different. It is 0 for a comment. Stored notifications are read without it.
	Decision int
	Created  time.Time
}

// NotificationTime is how long a notification is kept. Only comments that are at most NotifiedAge old make one. So a
// comment cannot make a second notification after the first has expired, even if it changes or the change feed
// delivers it again.
const (
	NotificationTime = 60 * 24 * time.Hour
	NotifiedAge      = 30 * 24 * time.Hour
)
