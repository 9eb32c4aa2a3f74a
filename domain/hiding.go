package domain

import "time"

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

// MayUndo reports whether the last decision is that the user hid the target, and the state before is known.
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
