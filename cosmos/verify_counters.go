package cosmos

import (
	"context"
)

// readCounters holds that no counter stays. What they count is nobody's data, and a
// database from before there were limits has no such container.
func (a *audit) readCounters(ctx context.Context, db *Database) error {
	err := readItems(ctx, a, db.Container(limitsContainer), limitsContainer, wholeQuery, nil, func(i storedItem) {
		switch subject := limitsContainer + " item " + i.ID; {
		case i.Type != typeCounter:
			a.violation(ruleTypes, subject, "type %q", i.Type)
		case !i.expires():
			a.violation(ruleCounters, subject, "it has no time to live")
		}
	})
	if noContainer(err) {
		return nil
	}
	return err
}
