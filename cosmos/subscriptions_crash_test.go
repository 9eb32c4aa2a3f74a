package cosmos

import (
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// A process can die at any call of a change. The users projector then sees the change, and brings the lists in line
// with what is stored.
func TestCrashedChangeOfASubscriberIsCompleted(t *testing.T) {
	var process mortal
	inTimeThrough(t, func(engine policy.Transporter) policy.Transporter {
		process.Transporter = engine
		return &process
	}, func(t *testing.T, store *Store) {
		ctx, list := t.Context(), subscription.Author(mustUser(t, store, "ada").ID)
		id := mustUser(t, store, "bob").ID
		consent := subscription.Consent{At: time.Now()}
		toggle := func(sub *subscription.Subscriber) error {
			if sub.Version == 0 {
				*sub = subscription.New(id, "", "")
			}
			if sub.End(list, time.Now()) {
				return nil
			}
			return sub.Add(list, subscription.Daily, consent)
		}
		died, written := 0, 0
		for left := range 14 {
			for _, carries := range []bool{false, true} {
				before, err := store.Subscriptions.Get(ctx, id)
				if err != nil && !domain.Is(err, domain.NotFound) {
					t.Fatal(err)
				}
				process.dying, process.left, process.carries = true, left, carries
				_, err = store.Subscriptions.Change(ctx, id, toggle)
				process.dying = false
				after, getErr := store.Subscriptions.Get(ctx, id)
				if getErr != nil && !domain.Is(getErr, domain.NotFound) {
					t.Fatal(getErr)
				}
				if err != nil {
					died++
				} else if written++; after.Version == before.Version {
					t.Errorf("after %d calls, a change was acknowledged but not stored", left)
				}
				check(t, store.Subscriptions.Complete(ctx, after))
				receivers, err := store.Subscriptions.ReceiversAfter(ctx, list, subscription.Daily, "", 10)
				check(t, err)
				digested, err := store.Subscriptions.DigestedAfter(ctx, "", "", 10)
				check(t, err)
				want := after.Gets(list, subscription.Daily)
				isBob := func(r subscription.Receiver) bool { return r.ID == id }
				if slices.ContainsFunc(receivers, isBob) != want || slices.ContainsFunc(digested, isBob) != want {
					t.Errorf("after %d calls, carried out %t: subscribed %t, receivers are %v and %v", left, carries,
						want, receivers, digested)
				}
			}
		}
		if died < 4 || written < 10 {
			t.Errorf("%d changes died, %d were written", died, written)
		}
	})
}

func TestUnconfirmedAddressIsErasedAfterTwoDays(t *testing.T) {
	inTime(t, func(t *testing.T, store *Store) {
		ctx, id := t.Context(), subscription.VisitorID("visitor@example.com")
		_, err := store.Subscriptions.Change(ctx, id, func(sub *subscription.Subscriber) error {
			*sub = subscription.New(id, "visitor@example.com", "")
			return sub.Ask(subscription.Site(), subscription.Each, subscription.Consent{At: time.Now()})
		})
		check(t, err)
		time.Sleep(subscription.ConfirmTime - time.Minute)
		if _, err := store.Subscriptions.Get(ctx, id); err != nil {
			t.Errorf("a minute before, %v", err)
		}
		time.Sleep(2 * time.Minute)
		if sub, err := store.Subscriptions.Get(ctx, id); !domain.Is(err, domain.NotFound) {
			t.Errorf("a minute later there is %+v, %v", sub, err)
		}
	})
}
