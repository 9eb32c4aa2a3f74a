package domain

import "time"

// Departure says that an account is, or was, to be deleted at a time. The user itself is
// what counts: it may have been kept since.
type Departure struct {
	UserID string
	At     time.Time
	ETag   string // of the entry as it was read
}
