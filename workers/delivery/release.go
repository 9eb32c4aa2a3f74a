package delivery

import (
	"context"
	"time"

	"inkfeed/workers/loop"
)

// release gives up the ownership. It reports false if there may be more to deliver at once.
func (w *work) release(ctx context.Context) (released bool, err error) {
	limit := loop.AnswerTimeout
	if ctx.Err() != nil {
		limit = graceTime
	}
	releasing, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	for {
		one, err := w.store.Destination(releasing, w.name)
		if err != nil {
			return false, err
		}
		if one.Owner != w.owner {
			return false, errLost
		}
		if err := w.store.Refresh(releasing, w.name); err != nil { // shows what was stored before one was read
			return false, err
		}
		list, err := w.store.Waiting(releasing, w.name, 1)
		if err != nil {
			return false, err
		}
		one.Due, one.Fresh = time.Time{}, false
		if len(list) > 0 { // what is due already comes behind other destinations
			one.Due, one.Fresh = later(list[0].Next, time.Now()), list[0].Fresh()
		}
		w.mu.Lock()
		one.Failures, one.Answer, one.Paused = w.host.failures, w.host.answer, w.host.paused
		w.mu.Unlock()
		released, err = w.store.Release(releasing, one)
		if err == nil && !released {
			// The destination has changed, or an answer was lost and it is released already.
			owned, renewErr := w.store.Renew(releasing, w.name, w.owner)
			if renewErr == nil && !owned {
				renewErr = errLost
			}
			err = renewErr
		}
		if released || err != nil || ctx.Err() == nil && !w.ends && w.owns() {
			return released, err
		}
	}
}
