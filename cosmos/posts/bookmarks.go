package posts

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// bookmarkItem is a bookmark in the partition of its post. It is the source of the copy in the reader's partition.
// A removed bookmark stays as a marker for domain.MarkerTime.
type bookmarkItem struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	PostID       string         `json:"postId"`
	UserID       string         `json:"userId"`
	CreationDate schema.Instant `json:"creationDate"`
	Version      int64          `json:"version"`
	// The fields below are set on markers only.
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

// bookmarkMarkerPatch turns a bookmark of that version into a marker.
func bookmarkMarkerPatch(version int64) azcosmos.PatchOperations {
	now := time.Now()
	var ops azcosmos.PatchOperations
	ops.AppendSet("/deletionDate", schema.Instant(now))
	ops.AppendSet("/version", schema.NextVersion(version, now))
	ops.AppendSet("/ttl", markerTTL)
	return ops
}

// Bookmark adds a user's bookmark of a post and returns it. An existing bookmark stays unchanged. The first
// bookmark of a post records on the post that it has bookmarks.
//
// The record is never overwritten: post may be an old state, of which the workers have meanwhile updated the copies.
//
// If the post was deleted since it was read, the posts projector deletes the bookmark again.
func (p *Posts) Bookmark(ctx context.Context, post domain.Post, userID string, now time.Time) (domain.Bookmark, error) {
	ctx = bookmarking.In(ctx)
	if !domain.IsID(post.ID) || !domain.IsUserID(userID) {
		return domain.Bookmark{}, schema.ErrNoPost()
	}
	overtaken := false // the post has been deleted, or another reader was first
	return client.RewriteReturning(ctx, func() (domain.Bookmark, error) {
		if overtaken {
			var err error
			if post, err = p.live(ctx, post.ID); err != nil {
				return domain.Bookmark{}, err
			}
		}
		found, err := client.Read[bookmarkItem](ctx, p.c, post.ID, domain.BookmarkID(userID))
		isNew := client.Missing(err)
		switch {
		case err != nil && !isNew:
			return domain.Bookmark{}, client.Translate(err)
		case err == nil && found.DeletionDate == nil:
			return found.domain(), nil
		}
		b := domain.Bookmark{PostID: post.ID, UserID: userID, Created: domain.Timestamp(now),
			Version: schema.NextVersion(found.Version, now)}
		batch := p.c.Batch(post.ID)
		if isNew {
			batch.CreateItem(client.Encode(bookmarkItemOf(b)), nil)
		} else {
			batch.ReplaceItem(found.ID, client.Encode(bookmarkItemOf(b)), client.IfMatch(found.ETag))
		}
		if post.Bookmarked == "" {
			var ops azcosmos.PatchOperations
			ops.SetCondition(schema.IfLive + " and not is_defined(c.bookmarked)")
			ops.AppendSet("/bookmarked", post.BookmarkDigest())
			batch.PatchItem(post.ID, ops, nil)
		}
		_, err = p.c.Execute(ctx, batch, false)
		switch {
		case err == nil:
			return b, nil
		case client.FailedAt(err, 1, http.StatusNotFound):
			return domain.Bookmark{}, schema.ErrNoPost()
		}
		overtaken = client.FailedAt(err, 1, http.StatusPreconditionFailed)
		return domain.Bookmark{}, client.Lost(client.Translate(err))
	})
}

// Unbookmark removes a user's bookmark of a post and returns its marker, by which the projector finds the copy.
// The result is zero if there was no bookmark, or if its marker has expired.
func (p *Posts) Unbookmark(ctx context.Context, postID, userID string) (domain.Bookmark, error) {
	ctx = bookmarking.In(ctx)
	if !domain.IsID(postID) || !domain.IsUserID(userID) {
		return domain.Bookmark{}, nil
	}
	return client.RewriteReturning(ctx, func() (domain.Bookmark, error) {
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
		b.Deleted, b.Version = domain.Timestamp(now), schema.NextVersion(b.Version, now)
		err = p.c.Replace(ctx, postID, found.ID, found.ETag, bookmarkItemOf(b))
		if err != nil {
			return domain.Bookmark{}, client.Lost(client.Translate(err))
		}
		return b, nil
	})
}

// BookmarkOf reads a user's bookmark of a post, or its marker. It returns NotFound if there is neither.
func (p *Posts) BookmarkOf(ctx context.Context, postID, userID string) (domain.Bookmark, error) {
	item, err := client.Read[bookmarkItem](client.Reads("bookmarked").In(ctx), p.c, postID, domain.BookmarkID(userID))
	return item.domain(), client.Translate(err)
}

// Bookmarked reports whether a user has bookmarked a post, with one point read.
func (p *Posts) Bookmarked(ctx context.Context, postID, userID string) (bool, error) {
	b, err := p.BookmarkOf(ctx, postID, userID)
	if domain.Is(err, domain.NotFound) {
		return false, nil
	}
	return err == nil && b.Deleted.IsZero(), err
}

// BookmarksAfter lists the bookmarks of a post that follow last, the oldest first. It returns at most as many as
// one step of the projector takes. The zero bookmark starts the list. Markers are left out.
func (p *Posts) BookmarksAfter(ctx context.Context, postID string, last domain.Bookmark) ([]domain.Bookmark, error) {
	items, err := client.Query[bookmarkItem](followingBookmarks.In(ctx), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'bookmark' AND NOT IS_DEFINED(c.deletionDate)
		 AND (c.creationDate > @date OR c.creationDate = @date AND c.id > @id)
		 ORDER BY c.type ASC, c.creationDate ASC, c.id ASC OFFSET 0 LIMIT @limit`,
		client.Parameters{"post": postID, "date": schema.Instant(last.Created), "id": last.ID(),
			"limit": stepLimit})
	list := client.Convert(items, bookmarkItem.domain)
	return list, client.Translate(err)
}

// SetBookmarked records on a post which state the copies of its bookmarks show, see domain.Post.Bookmarked, and reports
// whether it did. It does not if the post was deleted or if the record has changed since the post was read; then the
// change feed delivers the post again. The post keeps its version, since no other copy shows this property.
func (p *Posts) SetBookmarked(ctx context.Context, post domain.Post, bookmarked string) (bool, error) {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf(schema.IfLive+" and c.bookmarked = '%s'", post.Bookmarked))
	ops.AppendSet("/bookmarked", bookmarked)
	err := p.c.Patch(followingBookmarks.In(ctx), post.ID, post.ID, ops)
	if client.LostRace(err) {
		return false, nil
	}
	return err == nil, client.Translate(err)
}
