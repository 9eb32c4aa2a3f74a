package domain

// Status says who finds a post.
type Status string

const (
	Published   Status = ""            // everybody, in every list
	Unlisted    Status = "unlisted"    // whoever has its address
	Unpublished Status = "unpublished" // its author, who took it back
	// Hidden is the status of what copies show of a post that is held, or whose author is
	// suspended: nobody finds it but its author and moderators. No post has it itself: it
	// keeps its own, to have it again.
	Hidden Status = "hidden"
)

// Listed tells whether a post of that status stands in lists, feeds and the search.
func (s Status) Listed() bool { return s == Published }

// Shown tells whether a post of that status is there for others than its author.
func (s Status) Shown() bool { return s == Published || s == Unlisted }

// Valid tells whether a post may have that status.
func (s Status) Valid() bool { return s == Published || s == Unlisted || s == Unpublished }

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
