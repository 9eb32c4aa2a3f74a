package cosmos

import (
	"context"
	"net/http"
)

// storedDeadLetter is a change that a processor put aside because it could not be
// projected.
type storedDeadLetter struct {
	ID            string `json:"id"`
	Type          string `json:"type"`
	Processor     string `json:"processor"`
	ItemPartition string `json:"itemPartition"`
	ItemID        string `json:"itemId"`
	Error         string `json:"error"`
}

// readDeadLetters takes a database from before there were dead letters as one
// that has none.
func (a *audit) readDeadLetters(ctx context.Context, s *Store) error {
	client, err := s.database.NewContainer(deadLettersName)
	if err != nil {
		return err
	}
	err = readItems(ctx, a, &container{client: client}, deadLettersName, deadLettersQuery, nil, func(i storedDeadLetter) {
		if i.Type != "deadletter" {
			a.violation(ruleTypes, deadLettersName+" item "+i.ID, "type %q", i.Type)
			return
		}
		a.violation(ruleDeadLetters, "item "+i.ItemID+" of "+i.ItemPartition, "for processor %s: %s", i.Processor, i.Error)
	})
	if statusOf(err) == http.StatusNotFound {
		return nil
	}
	return err
}

const deadLettersName = "deadletters"
