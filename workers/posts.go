package workers

import (
	"context"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
)

// UserCopies is where the authors' copies of their posts are, and what authors
// are called now.
type UserCopies interface {
	ApplySummary(ctx context.Context, s domain.Summary) error
	Names(ctx context.Context, userIDs []string) (map[string]string, error)
}

// FeedCopies is where the newest posts' copies are.
type FeedCopies interface {
	Apply(ctx context.Context, changed []domain.Summary) error
}

// AuthorNames corrects the author's name on an item of posts.
type AuthorNames interface {
	SetAuthorName(ctx context.Context, postID, itemID, username string) error
}

// PostsProjector brings every changed post, in short form, to its author's
// partition and to the feed.
//
// It also corrects names that were out of date when they were written: somebody
// who comments while a rename of theirs is being spread writes the old name,
// perhaps after the spreading has passed. Every such write comes by here later
// than the rename, so comparing it with the user's current name misses none.
type PostsProjector struct {
	Users    UserCopies
	Feed     FeedCopies
	Posts    AuthorNames
	Markdown *domain.Markdown
}

// parallel bounds the writes a projector has under way.
const parallel = 16

// Project coalesces: however many changes of a post a page holds, and however
// often it was liked since the last one, each copy is written once.
func (p *PostsProjector) Project(ctx context.Context, changes []domain.PostChange) error {
	if err := p.correctNames(ctx, changes); err != nil {
		return err
	}
	latest := make(map[string]domain.Post)
	for _, c := range changes {
		if c.Post != nil && c.Post.Version >= latest[c.Post.ID].Version {
			latest[c.Post.ID] = *c.Post
		}
	}
	summaries := make([]domain.Summary, 0, len(latest))
	for _, post := range latest {
		summaries = append(summaries, p.Markdown.Summarize(post))
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, s := range summaries {
		group.Go(func() error { return p.Users.ApplySummary(groupCtx, s) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if len(summaries) == 0 {
		return nil
	}
	return p.Feed.Apply(ctx, summaries)
}

// written is an item of posts as far as its author's name goes.
type written struct{ postID, itemID, authorID, authorName string }

func writtenBy(c domain.PostChange) written {
	switch {
	case c.Post != nil:
		return written{c.Post.ID, c.Post.ID, c.Post.AuthorID, c.Post.AuthorName}
	case c.Comment != nil:
		return written{c.Comment.PostID, c.Comment.ID, c.Comment.AuthorID, c.Comment.AuthorName}
	default:
		return written{c.Like.PostID, c.Like.ID(), c.Like.UserID, c.Like.Username}
	}
}

func (p *PostsProjector) correctNames(ctx context.Context, changes []domain.PostChange) error {
	items := make(map[written]bool)
	authors := make(map[string]bool)
	for _, c := range changes {
		w := writtenBy(c)
		items[w] = true
		authors[w.authorID] = true
	}
	names, err := p.Users.Names(ctx, slices.Collect(maps.Keys(authors)))
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for w := range items {
		if name, ok := names[w.authorID]; ok && name != w.authorName {
			group.Go(func() error { return p.Posts.SetAuthorName(ctx, w.postID, w.itemID, name) })
		}
	}
	return group.Wait()
}
