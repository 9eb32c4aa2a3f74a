package projection

import (
	"context"
	"slices"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// BookmarkCopies is where readers keep what they have bookmarked.
type BookmarkCopies interface {
	ApplyBookmark(ctx context.Context, s domain.Saved) error
	// RewriteBookmark repairs a copy, whatever versions it claims, by its sources, which
	// are asked after the copy was read.
	RewriteBookmark(ctx context.Context, userID, postID string, source func(context.Context) (domain.Saved, error)) error
}

// BookmarkSources are the bookmarks themselves.
type BookmarkSources interface {
	BookmarkOf(ctx context.Context, postID, userID string) (domain.Bookmark, error)
	// BookmarksAfter lists some of a post's bookmarks, the oldest first, none when there
	// are no more.
	BookmarksAfter(ctx context.Context, postID string, last domain.Bookmark) ([]domain.Bookmark, error)
	Unbookmark(ctx context.Context, postID, userID string) (domain.Bookmark, error)
	MarkShown(ctx context.Context, postID, bookmarked string) error
}

// projectBookmarks brings bookmarks to their readers' partitions, and what posts have
// become to those who bookmarked them.
func (p *PostsProjector) projectBookmarks(ctx context.Context, changes []domain.PostChange) error {
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
		if err := p.tellReaders(ctx, post); err != nil {
			return err
		}
	}
	return nil
}

// saveBookmarks brings changed bookmarks of one post to their readers.
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
	return loop.InParallel(ctx, bookmarks, func(ctx context.Context, b domain.Bookmark) error {
		if b.Deleted.IsZero() && gone {
			// It was made in the moment in which the post was deleted. What is left of it
			// comes by the change feed.
			_, err := p.Posts.Unbookmark(ctx, b.PostID, b.UserID)
			return err
		}
		if !p.Rewrite {
			return p.Users.ApplyBookmark(ctx, p.Markdown.Save(b, post))
		}
		return p.Users.RewriteBookmark(ctx, b.UserID, b.PostID, func(ctx context.Context) (domain.Saved, error) {
			return p.saved(ctx, b)
		})
	})
}

// saved reads what the copy of a bookmark should be by now. Where the bookmark or its
// post is gone, that is nothing.
func (p *PostsProjector) saved(ctx context.Context, b domain.Bookmark) (domain.Saved, error) {
	current, err := p.Posts.BookmarkOf(ctx, b.PostID, b.UserID)
	if domain.Is(err, domain.NotFound) {
		b.Deleted = domain.Timestamp(time.Now())
		return domain.Saved{Bookmark: b}, nil
	}
	if err != nil || !current.Deleted.IsZero() {
		return domain.Saved{Bookmark: current}, err
	}
	post, err := p.Posts.Latest(ctx, b.PostID)
	return p.Markdown.Save(current, post), err
}

// tellReaders tells those who bookmarked a post what it shows by now, some of them at a
// time. How far that has come is noted on the post, which so comes by the change feed
// again. Of a like, or of a post that nobody bookmarked, they need not be told.
//
// Several versions may be told at once, after a takeover: no copy goes backwards, and
// whatever is noted last is compared with the post again.
func (p *PostsProjector) tellReaders(ctx context.Context, post domain.Post) error {
	shown := post.Shown()
	told, place, underWay := strings.Cut(post.Bookmarked, toldUpTo)
	if post.Bookmarked == "" || !post.Deleted.IsZero() || told == shown && !underWay {
		return nil
	}
	var last domain.Bookmark
	if told == shown {
		last = bookmarkAt(place)
	}
	bookmarks, err := p.Posts.BookmarksAfter(ctx, post.ID, last)
	if err != nil {
		return err
	}
	if len(bookmarks) == 0 {
		return p.Posts.MarkShown(ctx, post.ID, shown)
	}
	err = loop.InParallel(ctx, bookmarks, func(ctx context.Context, b domain.Bookmark) error {
		return p.Users.ApplyBookmark(ctx, p.Markdown.Save(b, post))
	})
	if err != nil {
		return err
	}
	return p.Posts.MarkShown(ctx, post.ID, shown+toldUpTo+placeOf(bookmarks[len(bookmarks)-1]))
}

// toldUpTo separates, on a post, what is being told from the last who was.
const toldUpTo = "~"

func placeOf(b domain.Bookmark) string {
	return b.Created.UTC().Format(time.RFC3339Nano) + " " + b.UserID
}

func bookmarkAt(place string) domain.Bookmark {
	date, userID, _ := strings.Cut(place, " ")
	created, err := time.Parse(time.RFC3339Nano, date)
	if err != nil {
		return domain.Bookmark{} // from the beginning
	}
	return domain.Bookmark{Created: created, UserID: userID}
}
