package verify

import (
	"context"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
)

// readCounters checks that each rate-limit counter expires. The counters themselves are not user data. A database
// from before the limits has no such container.
func (a *audit) readCounters(ctx context.Context, db *client.Database) error {
	return readOptionalItems(ctx, a, db, schema.LimitsContainer, wholeQuery, func(i storedItem) {
		switch subject := schema.LimitsContainer + " item " + i.ID; {
		case i.Type != schema.TypeCounter:
			a.violation(ruleTypes, subject, "type %q", i.Type)
		case !i.expires():
			a.violation(ruleCounters, subject, "it has no time to live")
		}
	})
}
