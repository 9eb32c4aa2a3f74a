package verify

import (
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// noteBlock is told who has blocked whom. Who is blocked may have left since.
func (a *audit) noteBlock(subject string, i storedItem) {
	switch {
	case i.ID != schema.BlockID(i.BlockedID):
		a.violation(ruleIDs, subject, "should be %s", schema.BlockID(i.BlockedID))
	case i.UserID == i.BlockedID || !domain.IsUserID(i.BlockedID):
		a.violation(ruleShapes, subject, "nobody can block %q", i.BlockedID)
	}
	a.checkStays(subject, i)
	a.user(i.UserID).blocks++
}
