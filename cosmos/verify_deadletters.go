package cosmos

import (
	"context"
)

// storedDeadLetter is Verify's own reading of a dead letter.
type storedDeadLetter struct {
	ID           string `json:"id"`
	Type         string `json:"type"`
	Processor    string `json:"processor"`
	PartitionKey string `json:"partitionKey"`
	ItemID       string `json:"itemId"`
	Error        string `json:"error"`
}

// readDeadLetters takes a database from before there were dead letters as one
// that has none.
func (a *audit) readDeadLetters(ctx context.Context, db *Database) error {
	err := readItems(ctx, a, db.Container(lettersContainer), lettersContainer, deadLettersQuery, nil, func(i storedDeadLetter) {
		if i.Type != typeDeadLetter {
			a.violation(ruleTypes, lettersContainer+" item "+i.ID, "type %q", i.Type)
			return
		}
		a.violation(ruleDeadLetters, "item "+i.ItemID+" of "+i.PartitionKey, "for processor %s: %s", i.Processor, i.Error)
	})
	if noContainer(err) {
		return nil
	}
	return err
}
