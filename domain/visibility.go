package domain

import (
	"slices"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// Status is a post's visibility as its author chose it.
type Status string

const (
	Published   Status = ""            // everyone can find it, in every list
	Unlisted    Status = "unlisted"    // visible to everyone who has the address
	Unpublished Status = "unpublished" // visible to its author only
	// Hidden is the status of copies of a post that is held or whose author is suspended. Only its author and
	// moderators can find it. The post itself keeps its own status, so that it can be restored.
	Hidden Status = "hidden"
	// Trashed is the status of copies of a post in the trash. The post itself keeps its own status.
	Trashed Status = "trashed"
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

// Yields reports whether the hold h may be replaced by the other one. A text that is not held may be held for any
// reason. Only a moderator's hold replaces an existing one.
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
	return NewError(Conflict, "The text was edited since you opened it. Please review it again.")
}

// BeforeHiding is the state of a target before a moderator hid it. Undoing the hiding restores this state.
type BeforeHiding struct {
	Held Hold   // never HeldByModerator
	Text string // the version of the text that the moderator hid
	// The decision about the target and its reports: see Reported.
	Decision Decision
	Previous Decision
	By       string
	At       time.Time
	Why      string
	Count    int
}

// Hidden returns the state after a moderator has hidden the target, which was held as held with the text version text.
// If the same moderator hides it again, such as by a double click, the state before the first time is kept.
func (r Reported) Hidden(held Hold, text, by, why string, now time.Time) Reported {
	before := &BeforeHiding{Held: held, Text: text, Decision: r.Decision, Previous: r.Previous, By: r.By, At: r.At,
		Why: r.Why, Count: r.Count}
	again := r.Before != nil && r.Decision == DecisionHidden && r.By == by
	switch {
	case again && held == HeldByModerator:
		before = r.Before
	case again: // the target was not held after the first decision
		*before = *r.Before
		before.Held, before.Text = held, text
	case held == HeldByModerator:
		before = nil
	}
	r = r.Decided(DecisionHidden, by, why, now)
	r.Before = before
	return r
}

// MayUndo reports whether the user made the last decision, which hid the target, and the previous state is known.
func (r Reported) MayUndo(userID string) bool {
	return r.Decision == DecisionHidden && r.By == userID && r.Before != nil
}

// Unhidden returns the state before the target was hidden. Reports since then need a decision. MayUndo must be true.
func (r Reported) Unhidden() Reported {
	was := r.Before
	r.Decision, r.Previous, r.By, r.At, r.Why = was.Decision, was.Previous, was.By, was.At, was.Why
	if r.Decision == DecisionDismissed && r.Count > was.Count {
		r.Decision, r.Previous = Undecided, r.Decision
	}
	r.Before = nil
	r.Version++
	return r
}

// HidingReason returns the explanation that the author of a hidden text reads. The error names each invalid field:
// "why", "words".
func HidingReason(why, words string) (string, error) {
	reason, errs := ReportReason(why), fieldErrors{}
	if !slices.Contains(ReportReasons(), reason) {
		errs.add("why", "Choose a reason. The author will see it.")
	}
	if words = strings.TrimSpace(plaintext.Clean(words)); plaintext.Exceeds(words, MaxReason) {
		errs.add("words", "Use at most {n} characters for the message.", "n", MaxReason)
	}
	switch {
	case reason == ReasonOther && words != "":
		return words, errs.err()
	case words != "":
		return reason.String() + ": " + words, errs.err()
	}
	return reason.String(), errs.err()
}

// HidingMessage returns an explanation of HidingReason, which is stored in English, as a text of the interface.
func HidingMessage(explanation string) locale.Message {
	if explanation == "" {
		return locale.Message{}
	}
	for _, reason := range ReportReasons() {
		switch words, found := strings.CutPrefix(explanation, reason.String()); {
		case found && words == "":
			return reason.Label()
		case found && strings.HasPrefix(words, ": "):
			return locale.M("{reason}: {words}", "reason", reason.Label(), "words", words[len(": "):])
		}
	}
	return locale.Verbatim(explanation)
}
