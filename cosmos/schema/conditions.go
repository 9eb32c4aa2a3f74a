package schema

import "inkfeed/domain"

// Conditions of a patch of a post: that it is not deleted, that nobody has hidden it, that
// others find it, that it stands in lists.
const (
	IfLive   = "from c where not is_defined(c.deletionDate)"
	IfShown  = "not is_defined(c.held) and not is_defined(c.authorSuspended)"
	IfOpen   = IfLive + " and " + IfShown + " and (not is_defined(c.status) or c.status != '" + string(domain.Unpublished) + "')"
	IfListed = IfOpen + " and (not is_defined(c.status) or c.status != '" + string(domain.Unlisted) + "')"
)
