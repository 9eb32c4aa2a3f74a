package copies

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
)

// sweptBookmarkCopy holds the properties of a bookmark's copy that the sweep needs. A copy is orphaned if neither
// its bookmark nor the marker of a deleted bookmark exists. No change in the feed leads to an orphaned copy, so
// replaying the feed cannot remove it.
type sweptBookmarkCopy struct {
	UserID any    `json:"userId"`
	PostID any    `json:"postId"`
	ID     string `json:"id"`
	ETag   string `json:"_etag"`
}

// bookmarkSource identifies a bookmark in the container posts.
type bookmarkSource struct {
	PostID string `json:"postId"`
	UserID string `json:"userId"`
}

// source returns the identity of the bookmark, and false if the copy has malformed ids.
func (c sweptBookmarkCopy) source() (azcosmos.ItemIdentity, bool) {
	userID, ok := c.UserID.(string)
	postID, also := c.PostID.(string)
	return azcosmos.ItemIdentity{ID: domain.BookmarkID(userID), PartitionKey: client.Key(postID)}, ok && also
}

// sweepBookmarks is SweepOrphans for readers' copies of bookmarks.
func (w *orphanSweep) sweepBookmarks(ctx context.Context) (removed int, err error) {
	var suspects, chunk []sweptBookmarkCopy
	judge := func() error {
		found, err := w.bookmarkSources(ctx, chunk)
		for _, c := range chunk {
			if _, ok := c.source(); ok && !found[c] {
				suspects = append(suspects, c)
			}
		}
		w.looked += len(chunk)
		w.progress(w.looked)
		chunk = chunk[:0]
		return err
	}
	err = client.Scan(ctx, w.UserCopies.c,
		`SELECT c.id, c.userId, c.postId, c._etag FROM c WHERE c.type = 'bookmark'`, nil,
		func(c sweptBookmarkCopy) error {
			if chunk = append(chunk, c); len(chunk) < client.MaxBatch {
				return nil
			}
			return judge()
		})
	if err == nil && len(chunk) > 0 {
		err = judge()
	}
	if err != nil {
		return 0, err
	}
	for _, c := range suspects {
		// Read again, since a replica may have returned the copy before it returned the bookmark.
		found, err := w.bookmarkSources(ctx, []sweptBookmarkCopy{c})
		if err != nil {
			return removed, err
		}
		if found[c] {
			continue
		}
		if err := w.UserCopies.c.DeleteVersion(ctx, c.UserID.(string), c.ID, c.ETag); err == nil {
			removed++
		} else if client.UnlessGone(err) != nil {
			return removed, err
		}
	}
	return removed, nil
}

// bookmarkSources reports which of the copies have a bookmark or its marker.
func (w *orphanSweep) bookmarkSources(ctx context.Context, copies []sweptBookmarkCopy) (
	map[sweptBookmarkCopy]bool, error) {
	var identities []azcosmos.ItemIdentity
	for _, c := range copies {
		if identity, ok := c.source(); ok {
			identities = append(identities, identity)
		}
	}
	if len(identities) == 0 {
		return nil, nil
	}
	resp, err := client.Returning(ctx, func() (azcosmos.ReadManyItemsResponse, error) {
		return w.sources.Client.ReadManyItems(ctx, identities, nil)
	})
	if err != nil {
		return nil, err
	}
	there := make(map[bookmarkSource]bool)
	for _, body := range resp.Items {
		var item struct {
			ID string `json:"id"`
			bookmarkSource
		}
		if err := client.Decode(body, &item); err != nil && item.ID == "" {
			return nil, err // a malformed item with an id exists, too
		}
		there[item.bookmarkSource] = true
	}
	found := make(map[sweptBookmarkCopy]bool)
	for _, c := range copies {
		if _, ok := c.source(); ok {
			found[c] = there[bookmarkSource{c.PostID.(string), c.UserID.(string)}]
		}
	}
	return found, nil
}
