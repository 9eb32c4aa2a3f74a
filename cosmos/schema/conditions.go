package schema

import "inkfeed/domain"

// Conditions of patches.
const (
	// IfLive requires a user or post not to be deleted.
	IfLive = "from c where not is_defined(c.deletionDate)"
	// IfShown requires a post not to be held, and its author not to be suspended. It is the end of a
	// condition.
	IfShown = "not is_defined(c.held) and not is_defined(c.authorSuspended)"
	// IfOpen requires a post to be visible to others. A status that is not known hides it.
	IfOpen = IfLive + " and " + IfShown +
		" and (not is_defined(c.status) or c.status = '" + string(domain.Unlisted) + "')"
	// IfListed requires a post to be in public lists.
	IfListed = IfLive + " and " + IfShown + " and not is_defined(c.status)"
)
