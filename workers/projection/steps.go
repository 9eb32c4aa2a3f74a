package projection

import (
	"context"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/throttle"
)

// The maximum number of items in one step: if it is paced, it must not overdraw the budget by much.
const (
	maxStep      = 1000
	maxPacedStep = 20
)

// step takes one step of work for a user. If there is more to do, it arranges that the user comes through the change
// feed once more: at once, or when the budget of the user allows the next step. Administrators and rebuilds have no
// budget, and nobody has one while request units cost nothing.
func (p *UsersProjector) step(ctx context.Context, user domain.User,
	do func(ctx context.Context, user domain.User, limit int) (domain.Step, error)) (more bool, err error) {
	pace, limit := p.Pace, maxPacedStep
	if pace.Free() || p.Rewrite || user.Role.MayAdminister() {
		pace, limit = nil, maxStep
	}
	if wait := pace.Delay(user.ID, 0); wait > 0 {
		return true, p.continueAfter(ctx, user, wait)
	}
	working, work := pace.Begin(ctx, user.ID)
	done, err := do(working, user, limit)
	work.Cause(projecting(user, done))
	work.Charge()
	if err == nil && done.More && !p.Rewrite {
		err = p.continueAfter(ctx, user, pace.Delay(user.ID, 0))
	}
	return done.More, err
}

// projecting estimates what the posts projector spends after a step. A deleted post is projected twice.
func projecting(user domain.User, done domain.Step) float64 {
	posts := done.Posts
	if !user.Deleted.IsZero() {
		posts *= 2
	}
	return throttle.ProjectingPost*float64(posts) + throttle.ProjectingTag*float64(done.Tags) +
		throttle.ProjectingResponse*float64(done.Items-done.Posts)
}

func (p *UsersProjector) continueAfter(ctx context.Context, user domain.User, wait time.Duration) error {
	if wait == 0 {
		return p.Users.Touch(ctx, user.ID)
	}
	return p.Continuations.Put(ctx, domain.ScheduledItem{UserID: user.ID, At: time.Now().Add(wait)})
}

// erase takes one step of deleting what a deleted user wrote and uploaded, and then of ending the follows and
// subscriptions, which takes days for an author with many followers. What is personal does not wait for that.
func (p *UsersProjector) erase(ctx context.Context, user domain.User) error {
	if user.Erased {
		return nil
	}
	if err := p.AccountRows.Put(ctx, user); err != nil {
		return err
	}
	more, err := p.step(ctx, user, func(ctx context.Context, user domain.User, limit int) (domain.Step, error) {
		if user.Username == "" { // the rest is erased
			return p.eraseFollowers(ctx, user.ID, limit)
		}
		done, err := p.Posts.EraseAuthored(ctx, user.ID, limit)
		for _, erase := range []func(context.Context, string) (bool, error){
			p.Images.EraseImages, p.AccountDeletions.EraseImports,
		} {
			if err != nil || done.More {
				return done, err
			}
			done.More, err = erase(ctx, user.ID)
		}
		if err != nil || done.More {
			return done, err
		}
		follows, err := p.eraseFollowers(ctx, user.ID, limit)
		if done.Items, done.More = done.Items+follows.Items, follows.More; err == nil && done.More {
			err = p.AccountDeletions.ErasePersonal(ctx, user.ID)
		}
		return done, err
	})
	if err != nil || more {
		return err
	}
	p.Logger.InfoContext(ctx, "account erased", "user", user.ID)
	return p.AccountDeletions.FinishErasure(ctx, user.ID)
}
