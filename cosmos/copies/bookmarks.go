package copies

import (
	"context"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/plaintext"
)

// BookmarkCopy is the copy of a bookmark in the reader's partition of users. If the bookmark is removed, the copy
// becomes a tombstone, which expires after domain.TombstoneTime.
type BookmarkCopy struct {
	ID              string          `json:"id"`
	Type            string          `json:"type"`
	UserID          string          `json:"userId"`
	PostID          string          `json:"postId"`
	AuthorID        string          `json:"authorId,omitempty"`
	UserUsername    string          `json:"userUsername,omitempty"` // the author's
	UserDisplayName string          `json:"userDisplayName,omitempty"`
	UserAvatar      string          `json:"userAvatar,omitempty"`
	Title           string          `json:"title,omitempty"`
	Slug            string          `json:"slug,omitempty"`
	Content         string          `json:"content,omitempty"`
	Tags            schema.TagNames `json:"tags"`
	Details         bookmarkDetails `json:"details,omitzero"`
	Status          domain.Status   `json:"status,omitempty"`
	CreationDate    schema.Instant  `json:"creationDate"` // of the bookmark
	PostDate        *schema.Instant `json:"postDate,omitempty"`
	Version         int64           `json:"version"`               // of the bookmark
	PostVersion     int             `json:"postVersion,omitempty"` // the version of the post that the copy shows
	DeletionDate    *schema.Instant `json:"deletionDate,omitempty"`
	TTL             int             `json:"ttl,omitempty"`
	ETag            string          `json:"_etag,omitempty"`
}

// bookmarkDetails are the details of a post as the copy of a bookmark has them.
type bookmarkDetails struct {
	plaintext.Length
	Picture domain.Cover `json:"picture,omitzero"`
	domain.Details
}

// BookmarkCopyOf returns the stored copy of a bookmark.
func BookmarkCopyOf(s domain.BookmarkedPost) BookmarkCopy {
	i := BookmarkCopy{ID: schema.BookmarkCopyID(s.PostID), Type: schema.TypeBookmark, UserID: s.UserID,
		PostID: s.PostID, CreationDate: schema.Instant(s.Created), Version: s.Version}
	if !s.Deleted.IsZero() {
		i.Type, i.DeletionDate, i.TTL = schema.TypeDeletedBookmark, schema.Optional(s.Deleted), schema.TombstoneTTL
		return i
	}
	i.UserDisplayName, i.UserAvatar = s.Post.AuthorDisplayName, s.Post.AuthorAvatar
	i.AuthorID, i.UserUsername, i.Title, i.Slug, i.Content = s.Post.AuthorID, s.Post.AuthorName, s.Post.Title,
		s.Post.Slug, s.Post.Text
	i.Tags, i.Status, i.PostDate = schema.TagNames(s.Post.Tags.List()), s.Post.Status, schema.Optional(s.Post.Created)
	i.Details = bookmarkDetails{s.Post.Length, s.Post.Cover, s.Post.Details}
	i.PostVersion = s.Post.Version
	return i
}

func (i BookmarkCopy) domain() domain.BookmarkedPost {
	b := domain.Bookmark{PostID: i.PostID, UserID: i.UserID, Created: time.Time(i.CreationDate),
		Version: i.Version, Deleted: i.DeletionDate.Time()}
	return domain.BookmarkedPost{Bookmark: b, Post: domain.Summary{
		PostID:            i.PostID,
		AuthorID:          i.AuthorID,
		AuthorName:        i.UserUsername,
		AuthorDisplayName: i.UserDisplayName,
		AuthorAvatar:      i.UserAvatar,
		Title:             i.Title,
		Slug:              i.Slug,
		Text:              i.Content,
		Tags:              i.Tags.Domain(),
		Details:           i.Details.Details,
		Length:            i.Details.Length,
		Cover:             i.Details.Picture,
		Status:            i.Status,
		Created:           i.PostDate.Time(),
		Version:           i.PostVersion,
	}}
}

// Bookmarks returns one page of a user's bookmarks, the latest first, from the user's own partition.
func (u *UserCopies) Bookmarks(ctx context.Context, userID string, page int) (
	domain.ListPage[domain.BookmarkedPost], error) {
	rows, err := client.Query[BookmarkCopy](client.Reads("bookmarks").In(ctx), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'bookmark'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.BookmarksPerPage, client.Parameters{"user": userID}))
	list := client.Convert(rows, BookmarkCopy.domain)
	return domain.Cut(list, page, domain.BookmarksPerPage), client.Translate(err)
}

// ApplyBookmark updates a reader's copy of a bookmark. The copy has two sources, the bookmark and the post, and
// never goes back to an older state of either. The copy of a removed bookmark becomes a tombstone, even if there
// was no copy.
func (u *UserCopies) ApplyBookmark(ctx context.Context, s domain.BookmarkedPost) error {
	ctx = copyingBookmark.In(ctx)
	return client.Rewrite(ctx, func() error {
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
			if want.DeletionDate == nil && found.PostVersion > want.PostVersion {
				// The copy shows a newer version of the post.
				newer := found.domain()
				newer.Bookmark = s.Bookmark
				want = BookmarkCopyOf(newer)
			}
			err = u.c.Replace(ctx, s.UserID, want.ID, found.ETag, want)
		}
		return client.Lost(client.Translate(err))
	})
}

// RewriteBookmark makes a reader's copy of a bookmark equal to its sources, whatever versions the copy claims. It
// reads the sources after the copy. Only a tombstone remains of a deleted bookmark.
func (u *UserCopies) RewriteBookmark(ctx context.Context, userID, postID string,
	source func(context.Context) (domain.BookmarkedPost, error)) error {
	ctx = copyingBookmark.In(ctx)
	return client.Rewrite(ctx, func() error {
		found, missing, err := u.readBookmarkCopy(ctx, userID, postID)
		if err != nil {
			return client.Translate(err)
		}
		s, err := client.UpToDate(ctx, found.PostVersion, source,
			func(s domain.BookmarkedPost) int { return s.Post.Version })
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
		return client.Lost(client.Translate(err))
	})
}

// readBookmarkCopy reads a reader's copy of a bookmark. For a copy that cannot be decoded it returns the ETag
// alone.
func (u *UserCopies) readBookmarkCopy(ctx context.Context, userID, postID string) (
	item BookmarkCopy, none bool, err error) {
	item, err = client.Read[BookmarkCopy](ctx, u.c, userID, schema.BookmarkCopyID(postID))
	if client.Undecodable(err) {
		var stored storedCopy
		stored, err = client.Read[storedCopy](ctx, u.c, userID, schema.BookmarkCopyID(postID))
		item = BookmarkCopy{ETag: stored.ETag}
	}
	if client.Missing(err) {
		return BookmarkCopy{}, true, nil
	}
	return item, false, err
}
