package copies

import (
	"context"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// savedItem is a reader's copy of a bookmark, in the reader's partition of users. When
// the bookmark is taken back it is a tombstone for domain.TombstoneTime.
type BookmarkCopy struct {
	ID              string          `json:"id"`
	Type            string          `json:"type"`
	UserID          string          `json:"userId"`
	PostID          string          `json:"postId"`
	AuthorID        string          `json:"authorId,omitempty"`
	UserUsername    string          `json:"userUsername,omitempty"` // the author's
	UserDisplayName string          `json:"userDisplayName,omitempty"`
	Title           string          `json:"title,omitempty"`
	Slug            string          `json:"slug,omitempty"`
	Content         string          `json:"content,omitempty"`
	Tags            schema.TagNames `json:"tags"`
	Details         domain.Details  `json:"details,omitzero"`
	Status          domain.Status   `json:"status,omitempty"`
	CreationDate    schema.Instant  `json:"creationDate"` // of the bookmark
	PostDate        *schema.Instant `json:"postDate,omitempty"`
	Version         int64           `json:"version"`               // of the bookmark
	PostVersion     int             `json:"postVersion,omitempty"` // that it was made from
	DeletionDate    *schema.Instant `json:"deletionDate,omitempty"`
	TTL             int             `json:"ttl,omitempty"`
	ETag            string          `json:"_etag,omitempty"`
}

func BookmarkCopyOf(s domain.Saved) BookmarkCopy {
	i := BookmarkCopy{ID: schema.SavedID(s.PostID), Type: schema.TypeBookmark, UserID: s.UserID, PostID: s.PostID,
		CreationDate: schema.Instant(s.Created), Version: s.Version}
	if !s.Deleted.IsZero() {
		i.Type, i.DeletionDate, i.TTL = schema.TypeDeletedBookmark, schema.Optional(s.Deleted), schema.TombstoneTTL
		return i
	}
	i.UserDisplayName = s.Post.AuthorDisplayName
	i.AuthorID, i.UserUsername, i.Title, i.Slug, i.Content = s.Post.AuthorID, s.Post.AuthorName, s.Post.Title,
		s.Post.Slug, s.Post.Text
	i.Tags, i.Status, i.PostDate = schema.TagNames(s.Post.Tags.List()), s.Post.Status, schema.Optional(s.Post.Created)
	i.Details, i.PostVersion = s.Post.Details, s.Post.Version
	return i
}

func (i BookmarkCopy) domain() domain.Saved {
	b := domain.Bookmark{PostID: i.PostID, UserID: i.UserID, Created: time.Time(i.CreationDate),
		Version: i.Version, Deleted: i.DeletionDate.Time()}
	return domain.Saved{Bookmark: b, Post: domain.Summary{
		PostID:            i.PostID,
		AuthorID:          i.AuthorID,
		AuthorName:        i.UserUsername,
		AuthorDisplayName: i.UserDisplayName,
		Title:             i.Title,
		Slug:              i.Slug,
		Text:              i.Content,
		Tags:              i.Tags.Domain(),
		Details:           i.Details,
		Status:            i.Status,
		Created:           i.PostDate.Time(),
		Version:           i.PostVersion,
	}}
}

// Bookmarks is one page of what a user wants to read later, the latest bookmark first,
// from the user's own partition.
func (u *Personal) Bookmarks(ctx context.Context, userID string, page int) (domain.Page[domain.Saved], error) {
	rows, err := client.Query[BookmarkCopy](client.Operation(ctx, "bookmarks"), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'bookmark'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.BookmarksPerPage, client.Parameters{"user": userID}))
	list := make([]domain.Saved, len(rows))
	for i, row := range rows {
		list[i] = row.domain()
	}
	return domain.Cut(list, page, domain.BookmarksPerPage), client.Translate(err)
}

// ApplyBookmark brings a reader's copy of a bookmark up to date. It has two sources, the
// bookmark and the post, and goes backwards with neither; that of a bookmark which was
// taken back becomes a tombstone, even where there was none.
func (u *Personal) ApplyBookmark(ctx context.Context, s domain.Saved) error {
	ctx = client.Operation(ctx, "copy-bookmark")
	for attempt := 1; ; attempt++ {
		found, missing, err := u.readBookmarkCopy(ctx, s.UserID, s.PostID)
		if err != nil {
			return client.Translate(err)
		}
		want := BookmarkCopyOf(s)
		switch {
		case missing:
			err = u.c.Create(ctx, s.UserID, want)
		case found.Version > want.Version, found.Version == want.Version && found.PostVersion >= want.PostVersion:
			return nil
		default:
			if want.DeletionDate == nil && found.PostVersion > want.PostVersion { // what it shows is newer
				newer := found.domain()
				newer.Bookmark = s.Bookmark
				want = BookmarkCopyOf(newer)
			}
			err = u.c.Replace(ctx, s.UserID, want.ID, found.ETag, want)
		}
		if !client.LostRace(err) || attempt == client.RewriteAttempts {
			return client.Translate(err)
		}
	}
}

// RewriteBookmark makes a reader's copy of a bookmark what its sources give, whatever
// versions the copy claims; they are read after it. Of a bookmark that is deleted
// nothing but a tombstone stays.
func (u *Personal) RewriteBookmark(ctx context.Context, userID, postID string,
	source func(context.Context) (domain.Saved, error)) error {
	ctx = client.Operation(ctx, "copy-bookmark")
	for attempt := 1; ; attempt++ {
		found, missing, err := u.readBookmarkCopy(ctx, userID, postID)
		if err != nil {
			return client.Translate(err)
		}
		s, err := client.UpToDate(ctx, found.PostVersion, source, func(s domain.Saved) int { return s.Post.Version })
		if err != nil {
			return err
		}
		want := BookmarkCopyOf(s)
		switch {
		case missing && want.DeletionDate != nil, !missing && found.DeletionDate != nil && want.DeletionDate != nil:
			return nil
		case missing:
			err = u.c.Create(ctx, userID, want)
		case found.Type == want.Type && found.domain() == want.domain():
			return nil
		default:
			err = u.c.Replace(ctx, userID, want.ID, found.ETag, want)
		}
		if !client.LostRace(err) || attempt == client.RewriteAttempts {
			return client.Translate(err)
		}
	}
}

// savedAs reads a copy. Of one that nobody can read it has the etag alone.
func (u *Personal) readBookmarkCopy(ctx context.Context, userID, postID string) (item BookmarkCopy, none bool, err error) {
	item, err = client.Read[BookmarkCopy](ctx, u.c, userID, schema.SavedID(postID))
	if client.Misshapen(err) {
		var stored storedCopy
		stored, err = client.Read[storedCopy](ctx, u.c, userID, schema.SavedID(postID))
		item = BookmarkCopy{ETag: stored.ETag}
	}
	if client.Missing(err) {
		return BookmarkCopy{}, true, nil
	}
	return item, false, err
}
