package domain

import "time"

// ScheduledItem is an entry of a schedule: something to be done at a time. With a post, that draft of the user's is to
// be published, and without one the user's account is to be deleted. The draft or the user is authoritative: its time
// may have changed since.
type ScheduledItem struct {
	UserID string
	PostID string // empty: the user's account is to be deleted
	At     time.Time
	ETag   string // of the item as it was read
}
