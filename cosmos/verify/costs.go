package verify

import (
	"context"
	"strings"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
)

// storedCosts is the checker's own reading of the costs of an interval.
type storedCosts struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Span     string `json:"span"`
	Begin    date   `json:"begin"`
	Instance string `json:"instance"`
	TTL      int    `json:"ttl"`
}

// readCosts checks that the measured costs expire and that their ids name their interval and instance. A database
// from before the measurements has no such container.
func (a *audit) readCosts(ctx context.Context, db *client.Database) error {
	return readOptionalItems(ctx, a, db, schema.CostsContainer, costsQuery, func(i storedCosts) {
		subject := schema.CostsContainer + " item " + i.ID + " of " + i.Span
		if i.Type != schema.TypeCosts {
			a.violation(ruleTypes, subject, "type %q", i.Type)
			return
		}
		begin, instance, _ := strings.Cut(i.ID, "~")
		if want := i.Begin.Time().Format(schema.InstantLayout); begin != want || instance != i.Instance {
			a.violation(ruleIDs, subject, "it is the interval of %s at %s", i.Instance, want)
		}
		if i.TTL <= 0 {
			a.violation(ruleCosts, subject, "it has no time to live")
		}
	})
}

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
