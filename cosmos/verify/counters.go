package verify

import (
	"context"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
)

// readCounters holds that no counter stays. What they count is nobody's data, and a
// database from before there were limits has no such container.
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
