package verify

import (
	"context"
	"strings"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
)

// maxOutgoingAge is the age of an outgoing delivery from which on the projector cannot have seen it.
const maxOutgoingAge = time.Hour

// deliveryFacts are what was read about deliveries.
type deliveryFacts struct {
	outgoing     map[string]string // their users, by their subjects
	awaited      map[string]bool   // the destinations of deliveries that wait
	destinations map[string]bool   // whether they have a next attempt
	waitingNews  map[string]bool   // the ids of deliveries of posts that wait
}

func newDeliveryFacts() deliveryFacts {
	return deliveryFacts{make(map[string]string), make(map[string]bool), make(map[string]bool), make(map[string]bool)}
}

func (a *audit) noteOutgoing(subject string, i storedItem) {
	switch {
	case !strings.HasPrefix(i.ID, "outgoing.") || i.UserID == "":
		a.violation(ruleIDs, subject, "it is in the partition %q", i.UserID)
	case !i.expires():
		a.violation(ruleDeliveries, subject, "it has no time to live")
	case a.now.Sub(i.CreationDate.Time()) > maxOutgoingAge:
		a.violation(ruleDeliveries, subject, "it waits since %s", i.CreationDate.Time().Format(schema.InstantLayout))
	}
	a.outgoing[subject] = i.UserID
}

// storedDelivery is the checker's own reading of a delivery or a destination.
type storedDelivery struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Destination string `json:"destination"`
	SortKey     string `json:"sortKey"`
	UserID      string `json:"userId"`
	Remember    bool   `json:"remember"`
	TTL         int    `json:"ttl"`
}

// deliveriesQuery leaves the sealed contents out.
const deliveriesQuery = `SELECT c.id, c.type, c.destination, c.sortKey, c.userId, c.remember, c.ttl FROM c`

// readDeliveries reads the deliveries. It runs after the users were read. A database from before the deliveries has no
// such container.
func (a *audit) readDeliveries(ctx context.Context, db *client.Database) error {
	err := readOptionalItems(ctx, a, db, schema.DeliveriesContainer, deliveriesQuery, func(i storedDelivery) {
		subject := schema.DeliveriesContainer + " item " + i.ID + " of " + i.Destination
		isDestination := i.Destination == "destinations"
		switch {
		case i.Type == schema.TypeMark && i.ID == schema.TypeMark && i.TTL > 0:
		case i.Type != schema.TypeDelivery && i.Type != schema.TypeDestination:
			a.violation(ruleTypes, subject, "type %q", i.Type)
		case isDestination != (i.Type == schema.TypeDestination):
			a.violation(ruleIDs, subject, "type %q", i.Type)
		case i.TTL <= 0:
			a.violation(ruleDeliveries, subject, "it has no time to live")
		case !sorted(i.SortKey), isDestination && i.SortKey[0] == '2',
			!isDestination && i.SortKey == "3" && !i.Remember:
			a.violation(ruleDeliveries, subject, "its sort key is %q", i.SortKey)
		case isDestination:
			a.destinations[i.ID] = i.SortKey[0] < '2'
		default:
			a.checkRecipient(subject, i.UserID)
			if i.SortKey[0] < '2' {
				a.awaited[i.Destination] = true
				a.waitingNews[i.ID] = true
			}
		}
	})
	for subject, userID := range a.outgoing {
		a.checkRecipient(subject, userID)
	}
	for name := range a.awaited {
		if !a.destinations[name] {
			a.violation(ruleDeliveries, "destination "+name, "deliveries wait, but it has no next attempt")
		}
	}
	return err
}

// sorted reports whether a text is the sort key of a delivery or a destination.
func sorted(key string) bool {
	if key == "" || key[0] < '0' || key[0] > '2' {
		return key == "3"
	}
	_, err := time.Parse(schema.InstantLayout, key[1:])
	return err == nil
}

// checkRecipient checks the user of a delivery, if it names one.
func (a *audit) checkRecipient(subject, userID string) {
	if u := a.users[userID]; userID != "" && (u == nil || !u.present || u.erased) {
		a.violation(ruleDeliveries, subject, "there is no user %s", userID)
	}
}
