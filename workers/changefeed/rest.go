package changefeed

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"inkfeed/workers/loop"
)

// errResting ends a supervisor whose processor rests.
var errResting = errors.New("the instance is idle")

// mayRest reports whether the instance is idle and has projected everything in its ranges.
func (p *Processor[T]) mayRest() bool {
	if !p.options.Activity.Idle() {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.supervisors {
		if !s.drained.Load() {
			return false
		}
	}
	return true
}

// rest releases the leases, because each renewal costs more than ten reads. It returns when the instance is used, or
// when there are changes that no instance projects, as after a command that changed a user.
func (p *Processor[T]) rest(ctx context.Context, running *sync.WaitGroup) {
	p.options.Logger.Debug("the instance is idle: releasing the leases")
	p.leaseLevel = slog.LevelDebug
	p.mu.Lock()
	for _, s := range p.supervisors {
		s.level = slog.LevelDebug
		s.lose(errResting)
	}
	p.mu.Unlock()
	running.Wait()
	failures := loop.NewFailureLog(p.options.Logger, "cannot look for changes while resting")
	for p.options.Activity.Idle() {
		select {
		case <-ctx.Done():
			return
		case <-p.woken:
			continue
		case <-time.After(loop.IdleInterval):
		}
		work, err := p.hasWork(ctx)
		switch {
		case work || ctx.Err() != nil:
			return
		case err != nil:
			failures.Failed(err)
		default:
			failures.Succeeded()
		}
	}
}

// hasWork reports whether there is a change that no instance projects: in the range of a lease that is free or has
// expired.
func (p *Processor[T]) hasWork(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	leases, err := p.leases.List(ctx, p.name)
	if err != nil {
		return false, err
	}
	for _, l := range leases {
		if l.Owner != "" && time.Since(l.Renewed) < p.options.Expiration {
			continue
		}
		if page, err := p.next(ctx, l.Range, l.Continuation); err != nil || len(page.Changes) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}
