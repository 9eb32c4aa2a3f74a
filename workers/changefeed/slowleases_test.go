package changefeed

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/changefeed/feedtest"
)

// slowLeases carries a write out some time after it was sent, as a service at the other
// end of a line does: also when nobody waits for the answer any more.
type slowLeases struct{ *fakeLeases }

const onTheWire = 100 * time.Millisecond

func sent[T any](ctx context.Context, call func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		time.Sleep(onTheWire)
		value, err := call()
		answers <- answer{value, err}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func (s slowLeases) Replace(ctx context.Context, l domain.Lease) (domain.Lease, error) {
	return sent(ctx, func() (domain.Lease, error) { return s.fakeLeases.Replace(context.WithoutCancel(ctx), l) })
}

func (s slowLeases) Create(ctx context.Context, l domain.Lease) error {
	_, err := sent(ctx, func() (struct{}, error) { return struct{}{}, s.fakeLeases.Create(context.WithoutCancel(ctx), l) })
	return err
}

func (s slowLeases) Delete(ctx context.Context, l domain.Lease) error {
	_, err := sent(ctx, func() (struct{}, error) { return struct{}{}, s.fakeLeases.Delete(context.WithoutCancel(ctx), l) })
	return err
}

// Whenever an instance is told to stop, what it has sent by then is carried out, and
// nothing is left in its name.
func TestAGracefulStopOwnsNothingWhateverIsOnTheWire(t *testing.T) {
	for _, test := range []struct {
		name  string
		split bool
	}{{"taking leases", false}, {"splitting one", true}} {
		for after := time.Duration(0); after < 12*onTheWire; after += onTheWire / 2 {
			t.Run(test.name+" after "+after.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					feed, leases := feedtest.New(2), newFakeLeases()
					if test.split {
						first := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, &collector{}, Options{Instance: "before"}))
						synctest.Wait()
						first()
						feed.Split(0, "05")
					}
					stop := start(t, NewProcessor("p", feed, slowLeases{leases}, &fakeLetters{}, &collector{}, Options{Instance: "a"}))
					time.Sleep(after)
					stop()
					time.Sleep(10 * onTheWire)
					if owners := leases.owners(); owners["a"] != 0 {
						t.Errorf("owners %v", owners)
					}
				})
			})
		}
	}
}
