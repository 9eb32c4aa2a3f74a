package projection

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cenkalti/backoff/v5"

	"inkfeed/cosmos"
	"inkfeed/domain/markdown"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/progress"
)

// CaughtUp reports whether the processors have projected all there is. Each
// writes what the other reads, so both must be idle at once.
func (p Processors) CaughtUp(ctx context.Context) (bool, error) {
	for range 2 {
		for _, name := range Names() {
			if ok, err := p[name].CaughtUp(ctx); !ok || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// CatchUp runs workers until every copy is current, and draws how far they are. changes is
// about how many there are to project, or progress.Unknown.
func CatchUp(ctx context.Context, store *cosmos.Store, options changefeed.Options, changes int64, w io.Writer) error {
	return RunUntil(ctx, store, options, changes, w,
		func(ctx context.Context, p Processors) (bool, error) { return p.CaughtUp(ctx) })
}

// RunUntil runs workers as CatchUp does, until they are done.
func RunUntil(ctx context.Context, store *cosmos.Store, options changefeed.Options, changes int64, w io.Writer,
	done func(context.Context, Processors) (bool, error)) error {
	working, stop := context.WithCancel(ctx)
	bar := progress.NewBar(w, changes, "views")
	options.OnProjected = func(n int) { progress.Advance(bar, int64(n)) }
	p := NewProcessors(store, markdown.New(), options)
	wait := p.Start(working)
	err := WaitUntil(ctx,
		func(ctx context.Context) (bool, error) { return done(ctx, p) },
		func(ctx context.Context) {
			for _, line := range p.waitingFor(ctx, options) {
				progress.Say(bar, line)
			}
		})
	stop()
	wait()
	return errors.Join(err, bar.Finish(), bar.Close())
}

// Waiting for workers asks seldomer the longer it takes, for asking has its price,
// and tells at times what there is to wait for.
const (
	askFirst  = 100 * time.Millisecond
	askEvery  = 2 * time.Second
	tellAfter = 10 * time.Second
)

// WaitUntil asks until the answer is yes.
func WaitUntil(ctx context.Context, ask func(context.Context) (bool, error), tell func(context.Context)) error {
	pauses := backoff.ExponentialBackOff{InitialInterval: askFirst, Multiplier: 1.25, MaxInterval: askEvery}
	for last := time.Now(); ; {
		ok, err := ask(ctx)
		if ok || err != nil {
			return err
		}
		if time.Since(last) >= tellAfter {
			tell(ctx)
			last = time.Now()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pauses.NextBackOff()):
		}
	}
}

// waitingFor says what is yet to be projected, and who is to do it: the leases of
// a process that was killed have to expire before another one goes on.
func (p Processors) waitingFor(ctx context.Context, o changefeed.Options) []string {
	var lines []string
	for _, name := range Names() {
		lags, err := p[name].Lag(ctx)
		if err != nil {
			lines = append(lines, fmt.Sprintf("waiting: how far %s is behind is not known: %v", name, err))
		}
		for _, lag := range lags {
			if lag.Transactions == 0 {
				continue
			}
			line := fmt.Sprintf("waiting: %s %s", name, lag)
			switch lag.Owner {
			case o.Instance:
			case "":
				line += "; nobody has the lease yet"
			default:
				line += fmt.Sprintf("; %s has the lease, which this process takes within %s if that one is dead",
					lag.Owner, o.Expiration+o.AcquireInterval)
			}
			lines = append(lines, line)
		}
	}
	return lines
}
