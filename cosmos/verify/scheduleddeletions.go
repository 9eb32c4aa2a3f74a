package verify

import "inkfeed/cosmos/schema"

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

// checkScheduledDeletion needs the schedule to be read before. An item whose user has no scheduled deletion, or one at
// another time, is sound: it is dropped when it is due.
func (a *audit) checkScheduledDeletion(subject, id string, u *auditedUser) {
	if !u.scheduledDeletion.IsZero() && !a.deletions[schema.ScheduledDeletionID(id, u.scheduledDeletion)] {
		a.violation(ruleScheduledDeletion, subject, "no entry deletes it at %s",
			u.scheduledDeletion.Format(schema.InstantLayout))
	}
}
