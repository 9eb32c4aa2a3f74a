package verify

import "inkfeed/cosmos/schema"

func (a *audit) noteDeparture(subject string, i storedItem) {
	switch {
	case i.LeavingDate == nil:
		a.violation(ruleLeaving, subject, "it does not say when")
		return
	case i.ID != schema.DepartureID(i.UserID, i.LeavingDate.Time()):
		a.violation(ruleIDs, subject, "it is of %s at %s", i.UserID, i.LeavingDate.Time().Format(schema.InstantLayout))
		return
	}
	a.checkStays(subject, i)
	a.departures[i.ID] = true
}

// checkLeaving comes after the schedule was read. An entry whose user stays, or has another
// time, is sound: it is dropped when its time comes.
func (a *audit) checkLeaving(subject, id string, u *auditedUser) {
	if !u.leaving.IsZero() && !a.departures[schema.DepartureID(id, u.leaving)] {
		a.violation(ruleLeaving, subject, "nobody would delete it at %s", u.leaving.Format(schema.InstantLayout))
	}
}
