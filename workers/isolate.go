package workers

import (
	"context"
	"fmt"
	"runtime/debug"

	"inkfeed/domain"
)

// attempt hands changes to the projector once. A panic of the projector is an error
// like others: one change must not end the process again and again.
func (p *Processor[T]) attempt(ctx context.Context, changes []T) (err error) {
	ctx, cancel := context.WithTimeout(ctx, p.options.ProjectTimeout)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the projector panicked: %v\n%s", r, debug.Stack())
		}
	}()
	return p.projector.Project(ctx, changes)
}

// Retry projects the present state of a dead letter's item. It is nil also when
// the item is gone: then there is nothing to project. The letter stays where it is.
func (p *Processor[T]) Retry(ctx context.Context, l domain.DeadLetter) error {
	change, err := p.feed.Item(ctx, l.Item)
	switch {
	case domain.Is(err, domain.NotFound):
		return nil
	case err != nil:
		return err
	case change.Err != nil:
		return change.Err
	}
	return p.attempt(ctx, []T{change.Value})
}
