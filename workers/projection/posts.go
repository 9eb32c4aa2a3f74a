package projection

import (
	"context"
	"slices"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/siteinfo"
	"inkfeed/workers/loop"
)

// UserCopies stores the copies in users: of posts with their authors, and of bookmarks with their readers.
type UserCopies interface {
	ApplySummary(ctx context.Context, s domain.Summary) error
	// RewriteSummary repairs a copy, whatever version it claims. It calls source after it has read the copy.
	RewriteSummary(ctx context.Context, authorID, postID string, source summarySource) error
	ApplyBookmark(ctx context.Context, s domain.BookmarkedPost) error
	// RewriteBookmark repairs a copy, whatever versions it claims. It calls source after it has read the copy.
	RewriteBookmark(ctx context.Context, userID, postID string, source savedSource) error
}

// summarySource reads the post that a copy is made of.
type summarySource = func(context.Context) (domain.Summary, error)

// savedSource reads the bookmark and the post that a copy is made of.
type savedSource = func(context.Context) (domain.BookmarkedPost, error)

// FeedCopies stores the copies of the newest posts.
type FeedCopies interface {
	Apply(ctx context.Context, changed []domain.Summary) error
}

// TagCopies stores the copies of posts by tags. It deletes a copy of a post that no longer has the tag or is no longer
// listed.
type TagCopies interface {
	ApplySummary(ctx context.Context, key string, s domain.Summary) error
	RewriteSummary(ctx context.Context, key, postID string, source summarySource) error
}

// PostStore stores posts with their comments, likes and bookmarks.
type PostStore interface {
	Latest(ctx context.Context, postID string) (domain.Post, error)
	Comment(ctx context.Context, postID, commentID string) (domain.Comment, error)
	// ClearStaleListings records that no list shows a version of the post any more that should not.
	ClearStaleListings(ctx context.Context, postID string, version int) error
	BookmarkOf(ctx context.Context, postID, userID string) (domain.Bookmark, error)
	// BookmarksAfter lists some bookmarks of a post, the oldest first. It returns none when there are no more.
	BookmarksAfter(ctx context.Context, postID string, last domain.Bookmark) ([]domain.Bookmark, error)
	Unbookmark(ctx context.Context, postID, userID string) (domain.Bookmark, error)
	// SetBookmarked records on the post how far its bookmarks have been updated, unless the record has changed since
	// the post was read.
	SetBookmarked(ctx context.Context, post domain.Post, bookmarked string) (recorded bool, err error)
	// EraseResponses deletes comments, likes and bookmarks of a deleted post. It takes one bounded step and reports
	// whether there is more to do.
	EraseResponses(ctx context.Context, postID string) (more bool, err error)
	// FinishErasure is the last step of a deletion.
	FinishErasure(ctx context.Context, postID string) error
	// MarkTold records when the followers of a new post were told of it, so that it is news no more.
	MarkTold(ctx context.Context, postID string, at time.Time) error
}

// PostDraftEraser deletes the draft of a deleted post, unless its author has continued it as a new post.
type PostDraftEraser interface {
	EraseOf(ctx context.Context, deleted domain.Post) error
}

// PageList is the list of static pages, which shows their titles.
type PageList interface {
	// Refresh updates what the list says about a text. Repeating it changes nothing.
	Refresh(ctx context.Context, text domain.Post) (siteinfo.Pages, error)
}

// PostsProjector copies every changed post, in short form, to its author's partition. If the post is listed, it also
// copies it to the feed and to its tags. It deletes the copies of a post that is no longer listed or has lost a tag. Of
// a deleted post it deletes all copies, the comments and the likes.
//
// It puts posts in the trash into the schedule, which deletes them for good. It lists all comments, and the texts that
// wait for a moderator. It notifies users of responses and mentions, and corrects outdated
// names of authors: see AuthorCorrector.
type PostsProjector struct {
	UserCopies UserCopies
	Feed       FeedCopies
	Tags       TagCopies
	Posts      PostStore
	Drafts     PostDraftEraser
	Pages      PageList
	// Embeds lists the posts whose embeds are to be fetched. It is nil in a rebuild.
	Embeds ScheduledList
	// Purges lists the posts in the trash.
	Purges ScheduledList
	// Thumbnails deletes the thumbnails of deleted posts.
	Thumbnails Thumbnails
	// Reviews lists the posts and comments that are held for review.
	Reviews ReviewList
	// Notifications notifies users of responses and mentions. It is nil in a rebuild, which sends no notifications.
	Notifications *Notifier
	// News stores the deliveries that tell followers of new posts. It is nil in a rebuild.
	News           NewsDeliveries
	CommentRows    CommentRows
	FollowerCounts FollowerCounts
	// Mails mails new posts to subscribers. It is nil in a rebuild, and on a site without mails.
	Mails *Mails
	AuthorCorrector
	Markdown *markdown.Renderer
	// Rewrite, which a rebuild sets, compares the copies in users and tags with their sources. It repairs them even if
	// their version says that they are current.
	Rewrite bool
}

// Project writes each copy once, however many changes of a post the page holds.
func (p *PostsProjector) Project(ctx context.Context, changes []feeds.PostChange) error {
	if err := p.listEmbeds(ctx, changes); err != nil {
		return err
	}
	changes, err := p.projectPages(ctx, changes)
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context, []feeds.PostChange) error{
		p.correct, p.listWaiting, p.notify, p.projectBookmarks, p.listComments, p.projectLatest,
	} {
		if err := step(ctx, changes); err != nil {
			return err
		}
	}
	return nil
}

// projectLatest writes the copies of the latest states of posts, and finishes deletions.
func (p *PostsProjector) projectLatest(ctx context.Context, changes []feeds.PostChange) error {
	latest := make(map[string]domain.Post)
	for _, c := range changes {
		if c.Post != nil && c.Post.Version >= latest[c.Post.ID].Version {
			latest[c.Post.ID] = *c.Post
		}
	}
	var copies []postCopy
	var listed []domain.Summary
	var left, trashed, deleted, shown []domain.Post
	for _, post := range latest {
		if post.Erased {
			continue // nothing is left to do
		}
		summary := p.Markdown.Summarize(post)
		copies = append(copies, postCopy{Summary: summary})
		for _, key := range affectedTags(post) {
			copies = append(copies, postCopy{summary, key})
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
		if post.InTrash() {
			trashed = append(trashed, post)
		}
		shown = append(shown, post)
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
		if post.Withdrawn {
			if err := p.removeEndedReviews(ctx, post.ID); err != nil {
				return err
			}
		}
		return p.Posts.ClearStaleListings(ctx, post.ID, post.Version)
	}); err != nil {
		return err
	}
	if err := loop.InParallel(ctx, trashed, func(ctx context.Context, post domain.Post) error {
		return p.Purges.PutNew(ctx, post.Purge())
	}); err != nil {
		return err
	}
	if err := loop.InParallel(ctx, shown, p.tell); err != nil {
		return err
	}
	return loop.InParallel(ctx, deleted, p.erase)
}

// affectedTags returns the keys of the tags that list the post, or may still list it although they should not. It
// returns none for an unlisted post that no list has any more, because its likes change nothing there. A post that
// leaves a list also leaves the keys that its tags had in earlier releases, where it is until a rebuild has run.
func affectedTags(post domain.Post) []string {
	keys := slices.Concat(post.FormerTags.Keys(), post.FormerTags.FormerKeys())
	leaves := post.Withdrawn || !post.Deleted.IsZero()
	if leaves {
		keys = append(keys, post.Tags.FormerKeys()...)
	}
	if leaves || post.Listed() {
		keys = append(keys, post.Tags.Keys()...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// postCopy is a copy of a post: its author's or, with a key, that of a tag.
type postCopy struct {
	domain.Summary
	key string
}

// copy writes a copy of a post.
func (p *PostsProjector) copy(ctx context.Context, c postCopy) error {
	source := func(ctx context.Context) (domain.Summary, error) {
		post, err := p.Posts.Latest(ctx, c.PostID)
		return p.Markdown.Summarize(post), err
	}
	switch {
	case c.key == "" && p.Rewrite:
		return p.UserCopies.RewriteSummary(ctx, c.AuthorID, c.PostID, source)
	case c.key == "":
		return p.UserCopies.ApplySummary(ctx, c.Summary)
	case p.Rewrite:
		return p.Tags.RewriteSummary(ctx, c.key, c.PostID, source)
	}
	return p.Tags.ApplySummary(ctx, c.key, c.Summary)
}

// erase takes one step of deleting a post. While there is more to do, the step itself makes the change feed deliver the
// post again.
func (p *PostsProjector) erase(ctx context.Context, post domain.Post) error {
	more, err := p.Posts.EraseResponses(ctx, post.ID)
	if err != nil || more {
		return err
	}
	if err := p.removeEndedReviews(ctx, post.ID); err != nil {
		return err
	}
	if err := p.Drafts.EraseOf(ctx, post); err != nil {
		return err
	}
	// A post that has no embeds any more may have thumbnails that an interrupted attempt left.
	if err := p.Thumbnails.KeepThumbnails(ctx, post.AuthorID, post.ID); err != nil {
		return err
	}
	return p.Posts.FinishErasure(ctx, post.ID)
}
