package workers

import (
	"context"

	"inkfeed/domain"
)

// UserCopies is where the authors' copies of their posts are.
type UserCopies interface {
	ApplySummary(ctx context.Context, s domain.Summary) error
	// RewriteSummary repairs a copy, whatever version it claims, by its source,
	// which is asked after the copy was read.
	RewriteSummary(ctx context.Context, authorID, postID string, source func(context.Context) (domain.Summary, error)) error
}

// FeedCopies is where the newest posts' copies are.
type FeedCopies interface {
	Apply(ctx context.Context, changed []domain.Summary) error
}

// PostSources are the posts themselves.
type PostSources interface {
	Latest(ctx context.Context, postID string) (domain.Post, error)
	Eraser
}

// Eraser takes away what hangs on a deleted post: a bounded step, which tells whether
// there is more to do, and the last one.
type Eraser interface {
	EraseResponses(ctx context.Context, postID string) (more bool, err error)
	FinishErasure(ctx context.Context, postID string) error
}

// PostsProjector brings every changed post, in short form, to its author's
// partition and to the feed, and takes a deleted one away from there, together with
// its comments and likes.
//
// It also corrects what its authors were when they wrote it: see Authorship.
type PostsProjector struct {
	Users UserCopies
	Feed  FeedCopies
	Posts PostSources
	Authorship
	Markdown *domain.Markdown
	// Rewrite compares the authors' copies with their sources, for a rebuild: they are
	// repaired even when their version says that they are current.
	Rewrite bool
}

// Project coalesces: however many changes of a post a page holds, and however
// often it was liked since the last one, each copy is written once.
func (p *PostsProjector) Project(ctx context.Context, changes []domain.PostChange) error {
	if err := p.correct(ctx, changes); err != nil {
		return err
	}
	latest := make(map[string]domain.Post)
	for _, c := range changes {
		if c.Post != nil && c.Post.Version >= latest[c.Post.ID].Version {
			latest[c.Post.ID] = *c.Post
		}
	}
	var summaries []domain.Summary
	var deleted []domain.Post
	for _, post := range latest {
		if post.Erased {
			continue // all is done
		}
		summaries = append(summaries, p.Markdown.Summarize(post))
		if !post.Deleted.IsZero() {
			deleted = append(deleted, post)
		}
	}
	if len(summaries) == 0 {
		return nil
	}
	if err := inParallel(ctx, summaries, p.copyToUser); err != nil {
		return err
	}
	if err := p.Feed.Apply(ctx, summaries); err != nil {
		return err
	}
	return inParallel(ctx, deleted, p.erase)
}

func (p *PostsProjector) copyToUser(ctx context.Context, s domain.Summary) error {
	if !p.Rewrite {
		return p.Users.ApplySummary(ctx, s)
	}
	return p.Users.RewriteSummary(ctx, s.AuthorID, s.PostID, func(ctx context.Context) (domain.Summary, error) {
		post, err := p.Posts.Latest(ctx, s.PostID)
		return p.Markdown.Summarize(post), err
	})
}

// erase takes a step. While there is more to do, the step itself brings the post by
// the change feed again.
func (p *PostsProjector) erase(ctx context.Context, post domain.Post) error {
	more, err := p.Posts.EraseResponses(ctx, post.ID)
	if err != nil || more {
		return err
	}
	return p.Posts.FinishErasure(ctx, post.ID)
}
