package cosmos

func (a *audit) noteScheduledDeletion(subject string, i storedItem) {
	switch {
	case i.LeavingDate == nil:
		a.violation(ruleScheduledDeletion, subject, "it does not say when")
		return
	case i.ID != scheduledDeletionID(i.UserID, i.LeavingDate.time()):
		a.violation(ruleIDs, subject, "it is of %s at %s", i.UserID, i.LeavingDate.time().Format(instantLayout))
		return
	}
	a.checkStays(subject, i)
	a.deletions[i.ID] = true
}

// checkScheduledDeletion needs the schedule to be read before. An item whose user has no scheduled deletion, or one at
// another time, is sound: it is dropped when it is due.
func (a *audit) checkScheduledDeletion(subject, id string, u *auditedUser) {
	if !u.scheduledDeletion.IsZero() && !a.deletions[scheduledDeletionID(id, u.scheduledDeletion)] {
		a.violation(ruleScheduledDeletion, subject, "nobody would delete it at %s", u.scheduledDeletion.Format(instantLayout))
	}
}
