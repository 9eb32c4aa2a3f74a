package changefeed

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/feeds"
)

// slowLeases carries out a write some time after it was sent, as a remote service does, even if the caller no longer
// waits for the answer.
type slowLeases struct{ *fakeLeases }

// latency is the time from the sending of a write to its effect.
const latency = 100 * time.Millisecond

// sent makes a call after the latency.
func sent[T any](ctx context.Context, call func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		time.Sleep(latency)
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

func (s slowLeases) Replace(ctx context.Context, l feeds.Lease) (feeds.Lease, error) {
	return sent(ctx, func() (feeds.Lease, error) { return s.fakeLeases.Replace(context.WithoutCancel(ctx), l) })
}

func (s slowLeases) Create(ctx context.Context, l feeds.Lease) error {
	_, err := sent(ctx, func() (any, error) { return nil, s.fakeLeases.Create(context.WithoutCancel(ctx), l) })
	return err
}

func (s slowLeases) Delete(ctx context.Context, l feeds.Lease) error {
	_, err := sent(ctx, func() (any, error) { return nil, s.fakeLeases.Delete(context.WithoutCancel(ctx), l) })
	return err
}

// TestAGracefulStopReleasesLeasesOfWritesUnderWay stops an instance at different times. The storage still carries out
// writes that were sent before, and afterwards no lease names the instance as its owner.
func TestAGracefulStopReleasesLeasesOfWritesUnderWay(t *testing.T) {
	for _, test := range []struct {
		name  string
		split bool
	}{{"taking leases", false}, {"splitting one", true}} {
		for after := time.Duration(0); after < 12*latency; after += latency / 2 {
			t.Run(test.name+" after "+after.String(), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := newCluster(2)
					if test.split {
						stopFirst := start(t, c.processor(Options{Instance: "before"}))
						synctest.Wait()
						stopFirst()
						c.feed.Split(0, "05")
					}
					slow := slowLeases{c.leases}
					stop := start(t, NewProcessor("p", c.feed, slow, c.letters, c.seen, Options{Instance: "a"}))
					time.Sleep(after)
					stop()
					time.Sleep(10 * latency)
					if owners := c.leases.owners(); owners["a"] != 0 {
						t.Errorf("owners %v", owners)
					}
				})
			})
		}
	}
}
