package verify

import "inkfeed/cosmos/schema"

// noteScheduledDeletion records and checks an entry of the schedule that deletes an account.
func (a *audit) noteScheduledDeletion(subject string, i storedItem) {
	switch {
	case i.LeavingDate == nil:
		a.violation(ruleScheduledDeletion, subject, "the entry has no time")
		return
	case i.ID != schema.ScheduledDeletionID(i.UserID, i.LeavingDate.Time()):
		a.violation(ruleIDs, subject, "it is of %s at %s", i.UserID, i.LeavingDate.Time().Format(schema.InstantLayout))
		return
	}
	a.checkStays(subject, i)
	a.deletions[i.ID] = true
}

// checkScheduledDeletion checks that the scheduled deletion of a user has an entry. It runs after the schedule was
// read. An entry is sound even if its user has no scheduled deletion, or one at another time: it is dropped when
// it is due.
func (a *audit) checkScheduledDeletion(subject, id string, u *auditedUser) {
	if !u.scheduledDeletion.IsZero() && !a.deletions[schema.ScheduledDeletionID(id, u.scheduledDeletion)] {
		a.violation(ruleScheduledDeletion, subject, "no entry deletes it at %s",
			u.scheduledDeletion.Format(schema.InstantLayout))
	}
}

// noteContinuation checks an entry of the schedule that continues the projection of a user. It is sound even if nothing
// is left to do: then it has no effect when it is due.
func (a *audit) noteContinuation(subject string, i storedItem) {
	if i.Continuation == nil {
		a.violation(ruleScheduledDeletion, subject, "the entry has no time")
	}
	if i.ID != i.UserID {
		a.violation(ruleIDs, subject, "it is of %s", i.UserID)
	}
	a.checkStays(subject, i)
}
