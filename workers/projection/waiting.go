package projection

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain/markdown"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/loop"
	"inkfeed/workers/progress"
)

// CaughtUp reports whether the processors have projected all changes. Each writes what the other reads, so both must be
// idle at once.
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

// CatchUp runs the processors until every copy is current, and draws their progress. The argument changes is about the
// number of changes to project, or progress.Unknown.
func CatchUp(ctx context.Context, store *cosmos.Store, options changefeed.Options, changes int64, w io.Writer) error {
	return RunUntil(ctx, store, options, changes, w,
		func(ctx context.Context, p Processors) (bool, error) { return p.CaughtUp(ctx) })
}

// RunUntil runs the processors as CatchUp does, until done reports true. See WaitUntil for errors of done.
func RunUntil(ctx context.Context, store *cosmos.Store, options changefeed.Options, changes int64, w io.Writer,
	done func(context.Context, Processors) (bool, error)) error {
	working, stop := context.WithCancel(ctx)
	bar := progress.NewBar(w, changes, "views")
	options.OnProjected = func(n int) { progress.Advance(bar, int64(n)) }
	p := NewProcessors(store, markdown.New(), nil, NewMails(store), options)
	wait := p.Start(working)
	err := WaitUntil(ctx, options.Logger,
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

// Pauses between two calls of done. They grow, because each call costs request units.
const (
	firstPause     = 100 * time.Millisecond
	maxPause       = 2 * time.Second
	reportInterval = 10 * time.Second
	// failureTime is the time without an answer after which a wait fails. An error may be permanent.
	failureTime = 10 * time.Minute
)

// WaitUntil calls done until it reports true. If done fails, WaitUntil logs the error and calls done again after a
// growing pause: one failed request must not end the work of hours. It fails after ten minutes without success, and
// when the context ends. Every ten seconds it calls report, which says what is missing.
func WaitUntil(ctx context.Context, logger *slog.Logger, done func(context.Context) (bool, error),
	report func(context.Context)) error {
	pauses := &loop.Backoff{InitialInterval: firstPause, Multiplier: 1.25, MaxInterval: maxPause}
	failures := loop.NewBackoff()
	for last, answered := time.Now(), time.Now(); ; {
		pause := pauses
		switch ok, err := done(ctx); {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil && time.Since(answered) > failureTime:
			return err
		case err != nil:
			logger.Warn("cannot read the progress of the workers, trying again", "error", err)
			pause = failures
		case ok:
			return nil
		default:
			failures, answered = loop.NewBackoff(), time.Now()
			if time.Since(last) >= reportInterval {
				report(ctx)
				last = time.Now()
			}
		}
		if !loop.Wait(ctx, pause) {
			return ctx.Err()
		}
	}
}

// waitingFor describes the ranges that are behind, and the owners of their leases. The lease of a process that was
// killed has to expire before another process continues.
func (p Processors) waitingFor(ctx context.Context, o changefeed.Options) []string {
	var lines []string
	for _, name := range Names() {
		lags, err := p[name].Lag(ctx)
		if err != nil {
			lines = append(lines, fmt.Sprintf("waiting: cannot estimate the lag of %s: %v", name, err))
		}
		for _, lag := range lags {
			if lag.Transactions == 0 {
				continue
			}
			line := fmt.Sprintf("waiting: %s %s", name, lag)
			switch lag.Owner {
			case o.Instance:
			case "":
				line += "; no instance owns the lease yet"
			default:
				line += fmt.Sprintf("; %s owns the lease; if it has stopped, this process takes over within %s",
					lag.Owner, o.Expiration+o.AcquireInterval)
			}
			lines = append(lines, line)
		}
	}
	return lines
}
