package domain

import "time"

// BlocksPerPage is the number of blocked users on a page.
const BlocksPerPage = 50

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
	return Errorf(Forbidden, "You can't like or comment on posts by @%s.", author)
}
