package throttle

import (
	"context"
	"sync"
	"time"
)

// Pace bounds what the work of each account in the background costs: imports, new names and deletions, with the work
// that they cause for the workers. Each account has a budget of request units (RU), which refills steadily. Work is
// charged with what it has cost, and its next step waits until enough of the budget is left.
//
// If the storage is embedded, request units cost time only. So work is charged and waits only while the site is busy.
//
// The budgets are those of this process. A nil Pace limits nothing.
type Pace struct {
	throttle *Throttle
	measure  Measure

	mu   sync.Mutex
	full map[string]time.Time // when the budget of an account is full again
}

// Measure returns a context, and a function that returns how many request units were spent under it so far.
type Measure func(context.Context) (context.Context, func() float64)

const (
	// Budget is the number of request units that an account may spend at once.
	Budget = 10_000.0
	// BudgetPerHour is the number of request units by which its budget refills. Both together, and what the last step
	// overdraws, stay below 30,000 RU in any hour. The other half of what an account may cost in an hour is for
	// requests.
	BudgetPerHour = 15_000.0
	// ImportReserve is the part of a budget that must be left for the next step of an import.
	ImportReserve = Budget / 10

	// What the workers spend on the copies of a post after a change, for each of its tags, and after a change of a
	// comment or like. It is less if they find many changes at once. TestStepsAreChargedWhatTheyCost measures it.
	ProjectingPost     = 60.0
	ProjectingTag      = 12.0
	ProjectingResponse = 33.0

	// recheck is the time between two checks whether the site is still busy.
	recheck = time.Second
	// maxBudgets is the number of budgets above which full ones are removed.
	maxBudgets = 10_000
)

// NewPace returns a Pace. The throttle knows whether the storage is embedded and whether the site is busy.
func NewPace(t *Throttle, measure Measure) *Pace {
	return &Pace{throttle: t, measure: measure, full: make(map[string]time.Time)}
}

// Free reports whether work costs nothing now, because the storage is embedded and the site is not busy.
func (p *Pace) Free() bool {
	if p == nil {
		return true
	}
	return p.throttle.embedded && !p.throttle.isBusy()
}

// Rest returns how long work that takes no turns rests after a step, so that page requests keep most of the processors.
// On a busy site that is one and a half times as long as the step took.
func (p *Pace) Rest(took time.Duration) time.Duration {
	if p == nil || !p.throttle.isBusy() {
		return 0
	}
	return min(took*3/2, maxRest)
}

// refill returns the time in which a budget refills by a charge.
func refill(charge float64) time.Duration {
	return time.Duration(charge / BudgetPerHour * float64(time.Hour))
}

// Charge takes request units out of the budget of an account.
func (p *Pace) Charge(account string, charge float64) {
	if p.Free() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at, now := p.full[account], time.Now()
	if at.Before(now) {
		at = now
	}
	p.set(account, at.Add(refill(charge)))
}

// Delay returns how long the next step of an account must wait until the given rest of its budget is left. With
// embedded storage the time is at most recheck, because work waits only while the site is busy: call Delay again
// after it.
func (p *Pace) Delay(account string, rest float64) time.Duration {
	if p.Free() {
		return 0
	}
	wait := max(0, time.Until(p.FullAt(account))-refill(Budget-rest))
	if p.throttle.embedded {
		wait = min(wait, recheck)
	}
	return wait
}

// FullAt returns when the budget of an account is full again: now, or later.
func (p *Pace) FullAt(account string) time.Time {
	now := time.Now()
	if p == nil {
		return now
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.full[account]; at.After(now) {
		return at
	}
	return now
}

// Restore makes a budget full no earlier than a time, which FullAt returned, perhaps in another process.
func (p *Pace) Restore(account string, at time.Time) {
	if p == nil || !at.After(time.Now()) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at.After(p.full[account]) {
		p.set(account, at)
	}
}

// set stores when a budget is full again. The caller holds the lock.
func (p *Pace) set(account string, at time.Time) {
	if len(p.full) >= maxBudgets {
		for other, full := range p.full {
			if time.Until(full) <= 0 {
				delete(p.full, other)
			}
		}
	}
	p.full[account] = at
}

// Begin begins work for an account. The requests under the returned context are charged to its budget, and to those of
// others that it shares, such as that of all new accounts of a network.
func (p *Pace) Begin(ctx context.Context, account string, others ...string) (context.Context, *Work) {
	if p == nil {
		return ctx, nil
	}
	ctx, spent := p.measure(ctx)
	return ctx, &Work{pace: p, account: account, budgets: append(others, account), spent: spent}
}

// Work is work for one account. Its methods may be called by several goroutines. A nil Work is not paced.
type Work struct {
	pace    *Pace
	account string
	budgets []string // that pay
	spent   func() float64

	mu      sync.Mutex
	caused  float64 // charged by Cause
	charged float64
}

// Cause charges what the workers will spend because of this work.
func (w *Work) Cause(charge float64) {
	if w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.caused += charge
	}
}

// Charge charges what was spent since the last call, and returns what was spent since the work began.
func (w *Work) Charge() float64 {
	if w == nil {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.spent() + w.caused
	for _, budget := range w.budgets {
		w.pace.Charge(budget, all-w.charged)
	}
	w.charged = all
	return all
}

// Wait waits until the given rest of the budget is left. Before each pause it calls pausing. If the context ends first,
// Wait returns the cause.
func (w *Work) Wait(ctx context.Context, rest float64, pausing func()) error {
	if w == nil {
		return nil
	}
	w.Charge()
	for {
		var wait time.Duration
		for _, budget := range w.budgets {
			wait = max(wait, w.pace.Delay(budget, rest))
		}
		if wait <= 0 {
			return nil
		}
		pausing()
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(min(wait, recheck)):
		}
	}
}

// Ends is [Pace.Ends] for the account of the work.
func (w *Work) Ends(charge, rest float64) time.Time {
	if w == nil {
		return time.Time{}
	}
	return w.pace.Ends(w.account, charge, rest)
}

// Ends returns when work that will cost a charge will be done, given the rest that it leaves of the budget. It returns
// zero if the work does not wait.
func (p *Pace) Ends(account string, charge, rest float64) time.Time {
	if p.Free() {
		return time.Time{}
	}
	at := p.FullAt(account).Add(refill(charge) - refill(Budget-rest))
	if !at.After(time.Now()) {
		return time.Time{}
	}
	return at
}
