package posts

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// bookmarkItem is a bookmark in its post's partition, the source of the copy in its
// reader's. One that was taken back stays as a marker for domain.MarkerTime.
type bookmarkItem struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	PostID       string         `json:"postId"`
	UserID       string         `json:"userId"`
	CreationDate schema.Instant `json:"creationDate"`
	Version      int64          `json:"version"`
	// Of a marker only.
	DeletionDate *schema.Instant `json:"deletionDate,omitempty"`
	TTL          int             `json:"ttl,omitempty"`
	ETag         string          `json:"_etag,omitempty"`
}

func bookmarkItemOf(b domain.Bookmark) bookmarkItem {
	i := bookmarkItem{ID: b.ID(), Type: schema.TypeBookmark, PostID: b.PostID, UserID: b.UserID,
		CreationDate: schema.Instant(b.Created), Version: b.Version, DeletionDate: schema.Optional(b.Deleted)}
	if !b.Deleted.IsZero() {
		i.TTL = markerTTL
	}
	return i
}

const markerTTL = int(domain.MarkerTime / time.Second)

func (i bookmarkItem) domain() domain.Bookmark {
	return domain.Bookmark{PostID: i.PostID, UserID: i.UserID, Created: time.Time(i.CreationDate),
		Version: i.Version, Deleted: i.DeletionDate.Time()}
}

// nextVersion is higher than version and not behind the clock. So it is also higher
// than that of a marker which is there no more.
func nextVersion(version int64, now time.Time) int64 { return max(version+1, now.UnixMilli()) }

// withdrawing is the patch that makes a bookmark of that version a marker.
func bookmarkMarkerPatch(version int64) azcosmos.PatchOperations {
	now := time.Now()
	var ops azcosmos.PatchOperations
	ops.AppendSet("/deletionDate", schema.Instant(now))
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
	ctx = client.Operation(ctx, "bookmark")
	if !domain.IsID(post.ID) || !domain.IsUserID(userID) {
		return domain.Bookmark{}, schema.ErrNoPost()
	}
	for attempt := 1; ; attempt++ {
		found, err := client.Read[bookmarkItem](ctx, p.c, post.ID, domain.BookmarkID(userID))
		isNew := client.Missing(err)
		switch {
		case err != nil && !isNew:
			return domain.Bookmark{}, client.Translate(err)
		case err == nil && found.DeletionDate == nil:
			return found.domain(), nil
		}
		b := domain.Bookmark{PostID: post.ID, UserID: userID, Created: domain.Timestamp(now),
			Version: nextVersion(found.Version, now)}
		batch := p.c.Batch(post.ID)
		if isNew {
			batch.CreateItem(client.Encode(bookmarkItemOf(b)), nil)
		} else {
			batch.ReplaceItem(found.ID, client.Encode(bookmarkItemOf(b)), client.IfMatch(found.ETag))
		}
		if post.Bookmarked == "" {
			var ops azcosmos.PatchOperations
			ops.SetCondition(schema.IfLive)
			ops.AppendSet("/bookmarked", post.Shown())
			batch.PatchItem(post.ID, ops, nil)
		}
		_, err = p.c.Execute(ctx, batch, false)
		switch {
		case err == nil:
			return b, nil
		case client.FailedAt(err, 1, http.StatusPreconditionFailed), client.FailedAt(err, 1, http.StatusNotFound):
			return domain.Bookmark{}, schema.ErrNoPost()
		case !client.LostRace(err) || attempt == client.RewriteAttempts:
			return domain.Bookmark{}, client.Translate(err)
		}
	}
}

// Unbookmark takes a user's bookmark of a post back, if there is one, and returns what
// is left of it: a marker, by which the workers find the copy. Where there never was a
// bookmark, or its marker is gone, the result is zero.
func (p *Posts) Unbookmark(ctx context.Context, postID, userID string) (domain.Bookmark, error) {
	ctx = client.Operation(ctx, "bookmark")
	if !domain.IsID(postID) || !domain.IsUserID(userID) {
		return domain.Bookmark{}, nil
	}
	for attempt := 1; ; attempt++ {
		found, err := client.Read[bookmarkItem](ctx, p.c, postID, domain.BookmarkID(userID))
		switch {
		case client.Missing(err):
			return domain.Bookmark{}, nil
		case err != nil:
			return domain.Bookmark{}, client.Translate(err)
		case found.DeletionDate != nil:
			return found.domain(), nil
		}
		now := time.Now()
		b := found.domain()
		b.Deleted, b.Version = domain.Timestamp(now), nextVersion(b.Version, now)
		err = p.c.Replace(ctx, postID, found.ID, found.ETag, bookmarkItemOf(b))
		switch {
		case err == nil:
			return b, nil
		case !client.LostRace(err) || attempt == client.RewriteAttempts:
			return domain.Bookmark{}, client.Translate(err)
		}
	}
}

// BookmarkOf reads a user's bookmark of a post, or its marker; NotFound when there is
// neither.
func (p *Posts) BookmarkOf(ctx context.Context, postID, userID string) (domain.Bookmark, error) {
	item, err := client.Read[bookmarkItem](client.Operation(ctx, "bookmarked"), p.c, postID, domain.BookmarkID(userID))
	return item.domain(), client.Translate(err)
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
	items, err := client.Query[bookmarkItem](client.Operation(ctx, "bookmarks-of-post"), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'bookmark' AND NOT IS_DEFINED(c.deletionDate)
		 AND (c.creationDate > @date OR c.creationDate = @date AND c.id > @id)
		 ORDER BY c.type ASC, c.creationDate ASC, c.id ASC OFFSET 0 LIMIT @limit`,
		client.Parameters{"post": postID, "date": schema.Instant(last.Created), "id": last.ID(),
			"limit": authoredLimit})
	list := make([]domain.Bookmark, len(items))
	for i, item := range items {
		list[i] = item.domain()
	}
	return list, client.Translate(err)
}

// MarkShown notes on a post what the copies of its bookmarks were told, see
// domain.Post.Bookmarked. The post comes by the change feed once more, but its version
// stays: no other copy shows this.
func (p *Posts) MarkShown(ctx context.Context, postID, bookmarked string) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive)
	ops.AppendSet("/bookmarked", bookmarked)
	err := p.c.Patch(client.Operation(ctx, "bookmarks-of-post"), postID, postID, ops)
	if client.LostRace(err) {
		return nil // deleted meanwhile
	}
	return client.Translate(err)
}
