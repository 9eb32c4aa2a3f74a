package domain

import "time"

// BlocksPerPage is how many rows a page of the users that one has blocked shows.
const BlocksPerPage = 50

// Block says that a user takes no comments and likes from another on what the user writes.
// There is at most one for both.
type Block struct {
	UserID    string // who blocks
	BlockedID string
	Created   time.Time
	// Blocked is who that is now, the zero user when the account is gone or suspended.
	Blocked User
}

// ErrBlocked refuses what somebody sends who is blocked by the author of a post.
func ErrBlocked(author string) error {
	return Errorf(Forbidden, "You can't like or comment on posts by @%s.", author)
}
