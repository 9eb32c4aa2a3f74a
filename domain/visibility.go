package domain

// Status is a post's visibility as its author chose it.
type Status string

const (
	Published   Status = ""            // everyone can find it, in every list
	Unlisted    Status = "unlisted"    // visible to everyone who has the address
	Unpublished Status = "unpublished" // visible to its author only
	// Hidden is the status of copies of a post that is held or whose author is suspended. Only its author and
	// moderators can find it. The post itself keeps its own status, so that it can be restored.
	Hidden Status = "hidden"
)

// Listed reports whether posts with the status are shown in lists, feeds and search results.
func (s Status) Listed() bool { return s == Published }

// Shown reports whether others than the author can see posts with the status.
func (s Status) Shown() bool { return s == Published || s == Unlisted }

// Valid reports whether a post may have the status.
func (s Status) Valid() bool { return s == Published || s == Unlisted || s == Unpublished }

// Hold is the reason why a text is hidden from others.
type Hold string

const (
	NotHeld         Hold = ""          // others can see it
	HeldByModerator Hold = "moderator" // a moderator hid it
	HeldByAuthor    Hold = "author"    // the author of the post hid a comment on it
	HeldForReview   Hold = "review"    // it waits for a moderator's review
)

// ReviewOver is the result of screening the edit of a text in review: the new text needs no review. Publishing the edit
// ends the review. It has no effect on a text that is not in review, and no text is stored with it.
const ReviewOver Hold = "over"

// Valid reports whether a text may be held for this reason.
func (h Hold) Valid() bool {
	return h == NotHeld || h == HeldByModerator || h == HeldByAuthor || h == HeldForReview
}

// Yields reports whether a text held for reason h may be held for the other reason instead. A moderator's hold
// stands. A post's author cannot replace a review, nor a review the author's hold.
func (h Hold) Yields(other Hold) bool {
	return other != ReviewOver && (h == NotHeld || h != other && other == HeldByModerator)
}

// After returns the hold of a text after an edit that was screened with this result.
func (h Hold) After(screened Hold) Hold {
	switch {
	case h == HeldForReview && screened == ReviewOver:
		return NotHeld
	case h.Yields(screened):
		return screened
	}
	return h
}

// ErrEdited is the error for releasing a text that was edited after the moderator saw it.
func ErrEdited() error {
	return Errorf(Conflict, "The text was edited since you opened it. Please review it again.")
}
