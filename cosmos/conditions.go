package cosmos

import (
	"inkfeed/domain"
)

// Conditions of a patch of a post: that it is not deleted, that nobody has hidden it, that
// others find it, that it stands in lists.
const (
	ifLive   = "from c where not is_defined(c.deletionDate)"
	ifShown  = "not is_defined(c.held) and not is_defined(c.authorSuspended)"
	ifOpen   = ifLive + " and " + ifShown + " and (not is_defined(c.status) or c.status != '" + string(domain.Unpublished) + "')"
	ifListed = ifOpen + " and (not is_defined(c.status) or c.status != '" + string(domain.Unlisted) + "')"
)
