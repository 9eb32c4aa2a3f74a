package verify

import (
	"context"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
)

// storedDeadLetter is the checker's own reading of a dead letter.
type storedDeadLetter struct {
	ID           string `json:"id"`
	Type         string `json:"type"`
	Processor    string `json:"processor"`
	PartitionKey string `json:"partitionKey"`
	ItemID       string `json:"itemId"`
	Error        string `json:"error"`
}

// readDeadLetters reports each dead letter as a violation. A database from before the dead letters has no such
// container.
func (a *audit) readDeadLetters(ctx context.Context, db *client.Database) error {
	return readOptionalItems(ctx, a, db, schema.DeadLettersContainer, deadLettersQuery, func(i storedDeadLetter) {
		if i.Type != schema.TypeDeadLetter {
			a.violation(ruleTypes, schema.DeadLettersContainer+" item "+i.ID, "type %q", i.Type)
			return
		}
		a.violation(ruleDeadLetters, "item "+i.ItemID+" of "+i.PartitionKey, "for processor %s: %s", i.Processor,
			i.Error)
	})
}
