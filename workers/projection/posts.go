package projection

import (
	"context"
	"slices"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/workers/loop"
)

// UserCopies is where the authors' copies of their posts are.
type UserCopies interface {
	ApplySummary(ctx context.Context, s domain.Summary) error
	// RewriteSummary repairs a copy, whatever version it claims, by its source,
	// which is asked after the copy was read.
	RewriteSummary(ctx context.Context, authorID, postID string, source func(context.Context) (domain.Summary, error)) error
	BookmarkCopies
}

// FeedCopies is where the newest posts' copies are.
type FeedCopies interface {
	Apply(ctx context.Context, changed []domain.Summary) error
}

// TagCopies is where copies are listed by tags. One that does not belong there any more
// is taken away.
type TagCopies interface {
	ApplySummary(ctx context.Context, key string, s domain.Summary) error
	RewriteSummary(ctx context.Context, key, postID string, source func(context.Context) (domain.Summary, error)) error
}

// PostSources are the posts themselves.
type PostSources interface {
	Latest(ctx context.Context, postID string) (domain.Post, error)
	Comment(ctx context.Context, postID, commentID string) (domain.Comment, error)
	// ClearStaleListings records that a post in that version is gone from where it no longer stands.
	ClearStaleListings(ctx context.Context, postID string, version int) error
	BookmarkSources
	Eraser
}

// Eraser takes away what hangs on a deleted post: a bounded step, which tells whether
// there is more to do, and the last one.
type Eraser interface {
	EraseResponses(ctx context.Context, postID string) (more bool, err error)
	FinishErasure(ctx context.Context, postID string) error
}

// PostDraftEraser takes the draft of a deleted post away, unless its author has gone on
// with it as a new post.
type PostDraftEraser interface {
	EraseOf(ctx context.Context, deleted domain.Post) error
}

// PostsProjector brings every changed post, in short form, to its author's partition
// and, if it is listed, to the feed and to those of its tags. It takes a post away from
// there that is no longer listed or lost a tag, and a deleted one from everywhere,
// together with its comments and likes.
//
// It lists what waits for a moderator, and corrects what its authors were when they wrote it: see Authorship.
type PostsProjector struct {
	Users  UserCopies
	Feed   FeedCopies
	Tags   TagCopies
	Posts  PostSources
	Drafts PostDraftEraser
	// Reviews hears of posts and comments that are held for one.
	Reviews ReviewList
	Authorship
	Markdown *markdown.Renderer
	// Rewrite compares the authors' and the tags' copies with their sources, for a rebuild:
	// they are repaired even when their version says that they are current.
	Rewrite bool
}

// Project coalesces: however many changes of a post a page holds, and however
// often it was liked since the last one, each copy is written once.
func (p *PostsProjector) Project(ctx context.Context, changes []domain.PostChange) error {
	if err := p.correct(ctx, changes); err != nil {
		return err
	}
	if err := p.listWaiting(ctx, changes); err != nil {
		return err
	}
	if err := p.projectBookmarks(ctx, changes); err != nil {
		return err
	}
	latest := make(map[string]domain.Post)
	for _, c := range changes {
		if c.Post != nil && c.Post.Version >= latest[c.Post.ID].Version {
			latest[c.Post.ID] = *c.Post
		}
	}
	var copies []copied
	var listed []domain.Summary
	var left, deleted []domain.Post
	for _, post := range latest {
		if post.Erased {
			continue // all is done
		}
		summary := p.Markdown.Summarize(post)
		copies = append(copies, copied{Summary: summary})
		for _, key := range tagsConcerned(post) {
			copies = append(copies, copied{summary, key})
		}
		if post.Listed() || post.Withdrawn || !post.Deleted.IsZero() {
			listed = append(listed, summary)
		}
		switch {
		case !post.Deleted.IsZero():
			deleted = append(deleted, post)
		case post.Withdrawn || post.FormerTags != "":
			left = append(left, post)
		}
	}
	if err := loop.InParallel(ctx, copies, p.copy); err != nil {
		return err
	}
	if len(listed) > 0 {
		if err := p.Feed.Apply(ctx, listed); err != nil {
			return err
		}
	}
	if err := loop.InParallel(ctx, left, func(ctx context.Context, post domain.Post) error {
		return p.Posts.ClearStaleListings(ctx, post.ID, post.Version)
	}); err != nil {
		return err
	}
	return loop.InParallel(ctx, deleted, p.erase)
}

// tagsConcerned are the keys of the tags where the post stands, or may have stood and is
// to be taken away. Of an unlisted post that has been taken away there are none: its
// likes change nothing there.
func tagsConcerned(post domain.Post) []string {
	if post.Listed() || post.Withdrawn || !post.Deleted.IsZero() {
		return slices.Concat(post.Tags.Keys(), post.FormerTags.Without(post.Tags).Keys())
	}
	return post.FormerTags.Keys()
}

// copied is a copy of a post: its author's or, with a key, that of a tag.
type copied struct {
	domain.Summary
	key string
}

func (p *PostsProjector) copy(ctx context.Context, c copied) error {
	source := func(ctx context.Context) (domain.Summary, error) {
		post, err := p.Posts.Latest(ctx, c.PostID)
		return p.Markdown.Summarize(post), err
	}
	switch {
	case c.key == "" && p.Rewrite:
		return p.Users.RewriteSummary(ctx, c.AuthorID, c.PostID, source)
	case c.key == "":
		return p.Users.ApplySummary(ctx, c.Summary)
	case p.Rewrite:
		return p.Tags.RewriteSummary(ctx, c.key, c.PostID, source)
	}
	return p.Tags.ApplySummary(ctx, c.key, c.Summary)
}

// erase takes a step. While there is more to do, the step itself brings the post by
// the change feed again.
func (p *PostsProjector) erase(ctx context.Context, post domain.Post) error {
	more, err := p.Posts.EraseResponses(ctx, post.ID)
	if err != nil || more {
		return err
	}
	if err := p.Drafts.EraseOf(ctx, post); err != nil {
		return err
	}
	return p.Posts.FinishErasure(ctx, post.ID)
}
