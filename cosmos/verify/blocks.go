package verify

import (
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// noteBlock checks that a user blocks another user. The blocked user's account may be deleted since.
func (a *audit) noteBlock(subject string, i storedItem) {
	switch {
	case i.ID != schema.BlockID(i.BlockedID):
		a.violation(ruleIDs, subject, "its id should be %s", schema.BlockID(i.BlockedID))
	case i.UserID == i.BlockedID || !domain.IsUserID(i.BlockedID):
		a.violation(ruleShapes, subject, "user %q cannot be blocked", i.BlockedID)
	}
	a.checkStays(subject, i)
	a.user(i.UserID).blocks++
}
