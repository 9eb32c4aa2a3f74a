package cosmos

import "inkfeed/domain"

// noteBlock is told who has blocked whom. Who is blocked may have left since.
func (a *audit) noteBlock(subject string, i storedItem) {
	switch {
	case i.ID != blockID(i.BlockedID):
		a.violation(ruleIDs, subject, "should be %s", blockID(i.BlockedID))
	case i.UserID == i.BlockedID || !domain.IsUserID(i.BlockedID):
		a.violation(ruleShapes, subject, "nobody can block %q", i.BlockedID)
	}
	a.checkStays(subject, i)
	a.user(i.UserID).blocks++
}
