package jobs

import (
	"context"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/throttle"
)

// pacedPosts charges the account for the work that its texts cause for the workers.
type pacedPosts struct {
	Posts
	paced *throttle.Work
}

func (p pacedPosts) Create(ctx context.Context, post domain.Post) error {
	p.paced.Cause(throttle.ProjectingPost + throttle.ProjectingTag*float64(len(post.Tags.Keys())))
	return p.Posts.Create(ctx, post)
}

func (p pacedPosts) Edit(ctx context.Context, e domain.Edit, authorID string) (domain.Post, error) {
	p.paced.Cause(throttle.ProjectingPost + throttle.ProjectingTag*float64(len(e.Tags.Keys())))
	return p.Posts.Edit(ctx, e, authorID)
}

func (p pacedPosts) Delete(ctx context.Context, postID, authorID string) error {
	p.paced.Cause(2 * throttle.ProjectingPost)
	return p.Posts.Delete(ctx, postID, authorID)
}

// sharedBudget returns the budget of all new accounts of the network that the upload came from, because one network can
// create many accounts. Other users have their own budget only.
func (t *task) sharedBudget() []string {
	if t.start.Network == "" || !t.user.Untrusted(domain.DefaultReviewPeriod, time.Now()) {
		return nil
	}
	return []string{"network " + t.start.Network}
}

// leaveToOthers stops the work if another job waits for its place. The work goes on when the budget of the account has
// been refilled. What is done is not repeated.
func (t *task) leaveToOthers() {
	if _, awaited := t.places(t.start.State); awaited.Load() {
		t.stop(errPaced)
	}
}

// measure records in the job what it has cost, and when it will end.
func (t *task) measure(j *domain.ImportJob) {
	if t.paced == nil {
		return
	}
	j.Progress.Charge = t.start.Progress.Charge + t.paced.Charge()
	j.Budget = domain.Timestamp(t.config.Pace.FullAt(j.UserID))
	done, of := t.done.Load(), t.of.Load()
	rest := j.Progress.Charge / float64(max(1, done)) * float64(of-done)
	j.Progress.Ends = domain.Timestamp(t.paced.Ends(rest, throttle.ImportReserve))
}
