package domain

// Hold says why others do not see what somebody wrote, though it is there.
type Hold string

const (
	NotHeld         Hold = ""
	HeldByModerator Hold = "moderator" // who hid it
	HeldByAuthor    Hold = "author"    // of the post, who hid a comment on it
	HeldForReview   Hold = "review"    // until a moderator has looked at it
)

// Valid tells whether there is such a hold.
func (h Hold) Valid() bool {
	return h == NotHeld || h == HeldByModerator || h == HeldByAuthor || h == HeldForReview
}

// Yields tells whether what is held so may be held as other instead. A moderator's word
// stands; what waits for review does not come free by way of the post's author, nor what that
// one hid by way of a review.
func (h Hold) Yields(other Hold) bool {
	return h == NotHeld || h != other && other == HeldByModerator
}

// ErrEdited says that what was held is not any more what whoever releases it has seen.
func ErrEdited() error {
	return Errorf(Conflict, "The text was edited since you opened it. Please review it again.")
}
