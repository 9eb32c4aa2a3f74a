package jobs

import (
	"context"

	"inkfeed/domain"
	"inkfeed/domain/throttle"
)

// What the workers spend on a text that an import has written or deleted, in request units: for each text, and for
// each of its tags.
const (
	projectingText = 60
	projectingTag  = 12
)

// pacedPosts charges the account for the work that its texts cause for the workers.
type pacedPosts struct {
	Posts
	paced *throttle.Work
}

func (p pacedPosts) Create(ctx context.Context, post domain.Post) error {
	p.paced.Cause(projectingText + projectingTag*float64(len(post.Tags.Keys())))
	return p.Posts.Create(ctx, post)
}

func (p pacedPosts) Edit(ctx context.Context, e domain.Edit, authorID string) (domain.Post, error) {
	p.paced.Cause(projectingText + projectingTag*float64(len(e.Tags.Keys())))
	return p.Posts.Edit(ctx, e, authorID)
}

func (p pacedPosts) Delete(ctx context.Context, postID, authorID string) error {
	p.paced.Cause(2 * projectingText)
	return p.Posts.Delete(ctx, postID, authorID)
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
