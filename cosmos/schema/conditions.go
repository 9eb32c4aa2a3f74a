package schema

import "inkfeed/domain"

// Conditions of patches.
const (
	// IfLive requires a user or post not to be deleted.
	IfLive = "from c where not is_defined(c.deletionDate)"
	// IfShown requires a post not to be held, and its author not to be suspended. It is the end of a
	// condition.
	IfShown = "not is_defined(c.held) and not is_defined(c.authorSuspended)"
	// IfKept requires a post to be neither deleted nor in the trash.
	IfKept = IfLive + " and not is_defined(c.trashedDate)"
	// IfOpen requires a post to be visible to others. A status that is not known hides it.
	IfOpen = IfKept + " and " + IfShown +
		" and (not is_defined(c.status) or c.status = '" + string(domain.Unlisted) + "')"
	// IfListed requires a post to be in public lists.
	IfListed = IfKept + " and " + IfShown + " and not is_defined(c.status)"
)
