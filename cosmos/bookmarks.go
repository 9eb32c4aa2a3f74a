package cosmos

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// bookmarkItem is a bookmark in its post's partition, the source of the copy in its
// reader's. One that was taken back stays as a marker for domain.MarkerTime.
type bookmarkItem struct {
	ID           string  `json:"id"`
	Type         string  `json:"type"`
	PostID       string  `json:"postId"`
	UserID       string  `json:"userId"`
	CreationDate instant `json:"creationDate"`
	Version      int64   `json:"version"`
	// Of a marker only.
	DeletionDate *instant `json:"deletionDate,omitempty"`
	TTL          int      `json:"ttl,omitempty"`
	ETag         string   `json:"_etag,omitempty"`
}

func bookmarkItemOf(b domain.Bookmark) bookmarkItem {
	i := bookmarkItem{ID: b.ID(), Type: typeBookmark, PostID: b.PostID, UserID: b.UserID,
		CreationDate: instant(b.Created), Version: b.Version, DeletionDate: optional(b.Deleted)}
	if !b.Deleted.IsZero() {
		i.TTL = markerTTL
	}
	return i
}

const markerTTL = int(domain.MarkerTime / time.Second)

func (i bookmarkItem) domain() domain.Bookmark {
	return domain.Bookmark{PostID: i.PostID, UserID: i.UserID, Created: time.Time(i.CreationDate),
		Version: i.Version, Deleted: i.DeletionDate.time()}
}

// nextVersion is higher than version and not behind the clock. So it is also higher
// than that of a marker which is there no more.
func nextVersion(version int64, now time.Time) int64 { return max(version+1, now.UnixMilli()) }

// withdrawing is the patch that makes a bookmark of that version a marker.
func withdrawing(version int64) azcosmos.PatchOperations {
	now := time.Now()
	var ops azcosmos.PatchOperations
	ops.AppendSet("/deletionDate", instant(now))
	ops.AppendSet("/version", nextVersion(version, now))
	ops.AppendSet("/ttl", markerTTL)
	return ops
}

// Bookmark makes a user's bookmark of a post. One that is there already stays as it is.
// The first one of a post notes on the post that it has bookmarks.
//
// A post that was deleted since it was read gets a bookmark that the posts projector
// takes away again.
func (p *Posts) Bookmark(ctx context.Context, post domain.Post, userID string, now time.Time) (domain.Bookmark, error) {
	ctx = operation(ctx, "bookmark")
	if !domain.IsID(post.ID) || !domain.IsUserID(userID) {
		return domain.Bookmark{}, errNoPost()
	}
	for attempt := 1; ; attempt++ {
		found, err := read[bookmarkItem](ctx, p.c, post.ID, domain.BookmarkID(userID))
		isNew := missing(err)
		switch {
		case err != nil && !isNew:
			return domain.Bookmark{}, translate(err)
		case err == nil && found.DeletionDate == nil:
			return found.domain(), nil
		}
		b := domain.Bookmark{PostID: post.ID, UserID: userID, Created: domain.Timestamp(now), Version: nextVersion(found.Version, now)}
		batch := p.c.batch(post.ID)
		if isNew {
			batch.CreateItem(encode(bookmarkItemOf(b)), nil)
		} else {
			batch.ReplaceItem(found.ID, encode(bookmarkItemOf(b)), ifMatch(found.ETag))
		}
		if post.Bookmarked == "" {
			var ops azcosmos.PatchOperations
			ops.SetCondition(ifLive)
			ops.AppendSet("/bookmarked", post.Shown())
			batch.PatchItem(post.ID, ops, nil)
		}
		_, err = p.c.execute(ctx, batch, false)
		switch {
		case err == nil:
			return b, nil
		case failedAt(err, 1, http.StatusPreconditionFailed), failedAt(err, 1, http.StatusNotFound):
			return domain.Bookmark{}, errNoPost()
		case !lostRace(err) || attempt == rewriteAttempts:
			return domain.Bookmark{}, translate(err)
		}
	}
}

// Unbookmark takes a user's bookmark of a post back, if there is one, and returns what
// is left of it: a marker, by which the workers find the copy. Where there never was a
// bookmark, or its marker is gone, the result is zero.
func (p *Posts) Unbookmark(ctx context.Context, postID, userID string) (domain.Bookmark, error) {
	ctx = operation(ctx, "bookmark")
	if !domain.IsID(postID) || !domain.IsUserID(userID) {
		return domain.Bookmark{}, nil
	}
	for attempt := 1; ; attempt++ {
		found, err := read[bookmarkItem](ctx, p.c, postID, domain.BookmarkID(userID))
		switch {
		case missing(err):
			return domain.Bookmark{}, nil
		case err != nil:
			return domain.Bookmark{}, translate(err)
		case found.DeletionDate != nil:
			return found.domain(), nil
		}
		now := time.Now()
		b := found.domain()
		b.Deleted, b.Version = domain.Timestamp(now), nextVersion(b.Version, now)
		err = p.c.replace(ctx, postID, found.ID, found.ETag, bookmarkItemOf(b))
		switch {
		case err == nil:
			return b, nil
		case !lostRace(err) || attempt == rewriteAttempts:
			return domain.Bookmark{}, translate(err)
		}
	}
}

// BookmarkOf reads a user's bookmark of a post, or its marker; NotFound when there is
// neither.
func (p *Posts) BookmarkOf(ctx context.Context, postID, userID string) (domain.Bookmark, error) {
	item, err := read[bookmarkItem](operation(ctx, "bookmarked"), p.c, postID, domain.BookmarkID(userID))
	return item.domain(), translate(err)
}

// Bookmarked tells whether a user has bookmarked a post: a point read, for the
// bookmark's id is known.
func (p *Posts) Bookmarked(ctx context.Context, postID, userID string) (bool, error) {
	b, err := p.BookmarkOf(ctx, postID, userID)
	if domain.Is(err, domain.NotFound) {
		return false, nil
	}
	return err == nil && b.Deleted.IsZero(), err
}

// BookmarksAfter lists bookmarks of a post, the oldest first, as many as one step of the
// projector takes: those that come after one of them, the zero bookmark for the first.
// Markers are left out.
func (p *Posts) BookmarksAfter(ctx context.Context, postID string, last domain.Bookmark) ([]domain.Bookmark, error) {
	items, err := query[bookmarkItem](operation(ctx, "bookmarks-of-post"), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'bookmark' AND NOT IS_DEFINED(c.deletionDate)
		 AND (c.creationDate > @date OR c.creationDate = @date AND c.id > @id)
		 ORDER BY c.type ASC, c.creationDate ASC, c.id ASC OFFSET 0 LIMIT @limit`,
		parameters{"post": postID, "date": instant(last.Created), "id": last.ID(), "limit": authoredLimit})
	list := make([]domain.Bookmark, len(items))
	for i, item := range items {
		list[i] = item.domain()
	}
	return list, translate(err)
}

// MarkShown notes on a post what the copies of its bookmarks were told, see
// domain.Post.Bookmarked. The post comes by the change feed once more, but its version
// stays: no other copy shows this.
func (p *Posts) MarkShown(ctx context.Context, postID, bookmarked string) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifLive)
	ops.AppendSet("/bookmarked", bookmarked)
	err := p.c.patch(operation(ctx, "bookmarks-of-post"), postID, postID, ops)
	if lostRace(err) {
		return nil // deleted meanwhile
	}
	return translate(err)
}
