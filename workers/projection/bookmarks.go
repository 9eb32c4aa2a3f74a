package projection

import (
	"context"
	"slices"
	"strings"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// projectBookmarks copies changed bookmarks to their readers' partitions, and changed posts to the copies of all their
// bookmarks.
func (p *PostsProjector) projectBookmarks(ctx context.Context, changes []feeds.PostChange) error {
	type key struct{ postID, userID string }
	latest := make(map[key]domain.Bookmark)
	posts := make(map[string]domain.Post)
	for _, c := range changes {
		if b := c.Bookmark; b != nil && b.Version >= latest[key{b.PostID, b.UserID}].Version {
			latest[key{b.PostID, b.UserID}] = *b
		}
		if c.Post != nil && c.Post.Version >= posts[c.Post.ID].Version {
			posts[c.Post.ID] = *c.Post
		}
	}
	ofPost := make(map[string][]domain.Bookmark)
	for k, b := range latest {
		ofPost[k.postID] = append(ofPost[k.postID], b)
	}
	for postID, bookmarks := range ofPost {
		if err := p.saveBookmarks(ctx, postID, bookmarks); err != nil {
			return err
		}
	}
	for _, post := range posts {
		if err := p.updateReaders(ctx, post); err != nil {
			return err
		}
	}
	return nil
}

// saveBookmarks copies changed bookmarks of one post to their readers.
func (p *PostsProjector) saveBookmarks(ctx context.Context, postID string, bookmarks []domain.Bookmark) error {
	var post domain.Post
	gone := false
	if slices.ContainsFunc(bookmarks, func(b domain.Bookmark) bool { return b.Deleted.IsZero() }) {
		var err error
		post, err = p.Posts.Latest(ctx, postID)
		gone = domain.Is(err, domain.NotFound) || err == nil && !post.Deleted.IsZero()
		if err != nil && !gone {
			return err
		}
	}
	recorded, _, _ := strings.Cut(post.Bookmarked, progressMark)
	if !gone && recorded != "" && recorded != post.BookmarkDigest() {
		// The reason is that of updateReaders. If the record has changed since, the post comes in the change feed
		// again, and updateReaders corrects the copies.
		if _, err := p.Posts.SetBookmarked(ctx, post, post.BookmarkDigest()+progressMark); err != nil {
			return err
		}
	}
	return loop.InParallel(ctx, bookmarks, func(ctx context.Context, b domain.Bookmark) error {
		if b.Deleted.IsZero() && gone {
			// It was made at the moment the post was deleted. Its removal comes by the change feed.
			_, err := p.Posts.Unbookmark(ctx, b.PostID, b.UserID)
			return err
		}
		if !p.Rewrite {
			return p.UserCopies.ApplyBookmark(ctx, p.Markdown.BookmarkedPost(b, post))
		}
		return p.UserCopies.RewriteBookmark(ctx, b.UserID, b.PostID, func(ctx context.Context) (
			domain.BookmarkedPost, error) {
			return p.saved(ctx, b)
		})
	})
}

// saved reads what the copy of a bookmark should be now: a deleted one if the bookmark or its post is gone.
func (p *PostsProjector) saved(ctx context.Context, b domain.Bookmark) (domain.BookmarkedPost, error) {
	current, err := p.Posts.BookmarkOf(ctx, b.PostID, b.UserID)
	if domain.Is(err, domain.NotFound) {
		b.Deleted = domain.Timestamp(time.Now())
		return domain.BookmarkedPost{Bookmark: b}, nil
	}
	if err != nil || !current.Deleted.IsZero() {
		return domain.BookmarkedPost{Bookmark: current}, err
	}
	post, err := p.Posts.Latest(ctx, b.PostID)
	return p.Markdown.BookmarkedPost(current, post), err
}

// updateReaders updates the copies of a post's bookmarks, some at a time, when what they show of the post has changed.
// It records its progress on the post, which makes the change feed deliver the post again. A like needs no update, nor
// does a post without bookmarks.
//
// It records the beginning before it writes the first copy. Otherwise, if the step fails and the post then changes back
// to the state of the last record, the copies that were written would never be corrected.
//
// After a takeover two instances may propagate different versions at once. No copy goes backwards, and an instance
// records progress only on the record that it began from. Otherwise a slow instance could record an old state as
// complete that the post has meanwhile returned to, while copies still show the state between.
func (p *PostsProjector) updateReaders(ctx context.Context, post domain.Post) error {
	shown := post.BookmarkDigest()
	propagated, place, underWay := strings.Cut(post.Bookmarked, progressMark)
	if post.Bookmarked == "" || !post.Deleted.IsZero() || propagated == shown && !underWay {
		return nil
	}
	var last domain.Bookmark
	if propagated == shown {
		last = bookmarkAt(place)
	} else {
		recorded, err := p.Posts.SetBookmarked(ctx, post, shown+progressMark)
		if err != nil || !recorded {
			return err // the change feed delivers the post with the other record
		}
		post.Bookmarked = shown + progressMark
	}
	bookmarks, err := p.Posts.BookmarksAfter(ctx, post.ID, last)
	if err != nil {
		return err
	}
	if len(bookmarks) == 0 {
		_, err := p.Posts.SetBookmarked(ctx, post, shown)
		return err
	}
	err = loop.InParallel(ctx, bookmarks, func(ctx context.Context, b domain.Bookmark) error {
		return p.UserCopies.ApplyBookmark(ctx, p.Markdown.BookmarkedPost(b, post))
	})
	if err != nil {
		return err
	}
	_, err = p.Posts.SetBookmarked(ctx, post, shown+progressMark+placeOf(bookmarks[len(bookmarks)-1]))
	return err
}

// progressMark separates, in the progress on a post, the version being propagated from the last bookmark updated.
const progressMark = "~"

// placeOf returns the place of a bookmark among those of its post, as text.
func placeOf(b domain.Bookmark) string {
	return b.Created.UTC().Format(time.RFC3339Nano) + " " + b.UserID
}

// bookmarkAt returns a bookmark with the place that placeOf returned.
func bookmarkAt(place string) domain.Bookmark {
	date, userID, _ := strings.Cut(place, " ")
	created, err := time.Parse(time.RFC3339Nano, date)
	if err != nil {
		return domain.Bookmark{} // from the beginning
	}
	return domain.Bookmark{Created: created, UserID: userID}
}
