package copies

import (
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/plaintext"
)

// PostCopy is a post in short form, the same in users, feed and tags. The copy of a deleted post is a tombstone,
// which expires after domain.TombstoneTime. In feed and tags, a post that the list no longer contains has a
// tombstone, too.
type PostCopy struct {
	ID              string          `json:"id"`
	Type            string          `json:"type"`
	Tag             string          `json:"tag,omitempty"` // in tags: the partition
	PostID          string          `json:"postId"`
	UserID          string          `json:"userId"`
	UserUsername    string          `json:"userUsername"`
	UserDisplayName string          `json:"userDisplayName,omitempty"`
	Title           string          `json:"title"`
	Slug            string          `json:"slug,omitempty"`
	Content         string          `json:"content"`
	Tags            schema.TagNames `json:"tags"`
	CommentCount    int             `json:"commentCount"`
	LikeCount       int             `json:"likeCount"`
	CreationDate    schema.Instant  `json:"creationDate"`
	Version         int             `json:"version"`
	Details         details         `json:"details,omitzero"`
	// TrashedDate is since when the post is in the trash. It has the name by which the index sorts drafts.
	TrashedDate *schema.Instant `json:"savedDate,omitempty"`
	// FormerRevision and FormerEditDate are set on copies by earlier releases, which had no details.
	FormerRevision int             `json:"revision,omitempty"`
	FormerEditDate *schema.Instant `json:"editDate,omitempty"`
	// The fields below are set on tombstones only.
	DeletionDate *schema.Instant `json:"deletionDate,omitempty"`
	TTL          int             `json:"ttl,omitempty"`
	Refill       bool            `json:"refill,omitempty"`    // in feed: see feedPlan
	Withdrawn    bool            `json:"withdrawn,omitempty"` // in feed: the post may come back
	ETag         string          `json:"_etag,omitempty"`
}

// details are the properties of a copy that lists show. Of these, queries use only the place in a series. One operation
// of a patch sets them all, so a further property costs no operation, of which a patch may have ten.
// Most posts are never edited, and their copies have no details.
type details struct {
	Edits    int             `json:"edits,omitempty"` // the revision is one more
	EditDate *schema.Instant `json:"editDate,omitempty"`
	Avatar   string          `json:"avatar,omitempty"` // the author's
	plaintext.Length
	Picture domain.Cover `json:"picture,omitzero"`
	// SeriesPlace is what the query for a series filters and sorts by: see domain.Summary.SeriesPlace.
	SeriesPlace string `json:"seriesPlace,omitempty"`
	domain.Details
}

// latestDetails returns the details of a copy. A process of an earlier release, which may run beside this one
// during an upgrade, writes the revision and the edit date as properties of the item and leaves the details
// as they were. They count if there are no details, or if their revision is higher.
func (i PostCopy) latestDetails() details {
	latest := i.Details
	if i.FormerRevision > 0 && (latest == details{} || i.FormerRevision > latest.Edits+1) {
		latest.Edits, latest.EditDate = i.FormerRevision-1, i.FormerEditDate
	}
	return latest
}

// PostCopyOf returns the copy of a post. A tombstone has another type than a live copy, so queries for a user's
// posts need not filter tombstones out.
func PostCopyOf(s domain.Summary) PostCopy {
	item := PostCopy{
		ID:              s.PostID,
		Type:            schema.CopyType(s.Status),
		PostID:          s.PostID,
		UserID:          s.AuthorID,
		UserUsername:    s.AuthorName,
		UserDisplayName: s.AuthorDisplayName,
		Title:           s.Title,
		Slug:            s.Slug,
		Content:         s.Text,
		Tags:            s.Tags.List(),
		CommentCount:    s.CommentCount,
		LikeCount:       s.LikeCount,
		CreationDate:    schema.Instant(s.Created),
		Version:         s.Version,
		TrashedDate:     schema.Optional(s.Trashed),
		Details: details{Edits: s.Revision - 1, EditDate: schema.Optional(s.Edited), Avatar: s.AuthorAvatar,
			Length: s.Length, Picture: s.Cover, SeriesPlace: s.SeriesPlace(), Details: s.Details},
	}
	if !s.Deleted.IsZero() {
		item.Type, item.DeletionDate, item.TTL = schema.TypeDeletedPost, schema.Optional(s.Deleted), schema.TombstoneTTL
		item.UserUsername, item.UserDisplayName, item.Title, item.Slug, item.Content = "", "", "", "", ""
		item.CommentCount, item.LikeCount = 0, 0
		item.Tags, item.Details = nil, details{}
	}
	return item
}

// tombstoneOf returns the tombstone of a post, deleted or not, for a list that no longer contains it.
func tombstoneOf(s domain.Summary) PostCopy {
	if s.Deleted.IsZero() {
		s.Deleted = time.Now()
	}
	return PostCopyOf(s)
}

// Domain returns the summary that the copy stores. For a tombstone it has the ids, dates and version only.
func (i PostCopy) Domain() domain.Summary {
	if i.DeletionDate != nil { // the other properties of a tombstone may be set or not
		return domain.Summary{PostID: i.PostID, AuthorID: i.UserID, Created: time.Time(i.CreationDate),
			Version: i.Version, Deleted: i.DeletionDate.Time()}
	}
	latest := i.latestDetails()
	return domain.Summary{
		PostID:            i.PostID,
		AuthorID:          i.UserID,
		AuthorName:        i.UserUsername,
		AuthorDisplayName: i.UserDisplayName,
		AuthorAvatar:      latest.Avatar,
		Title:             i.Title,
		Slug:              i.Slug,
		Text:              i.Content,
		Tags:              i.Tags.Domain(),
		Status:            schema.StatusOfCopy(i.Type),
		CommentCount:      i.CommentCount,
		LikeCount:         i.LikeCount,
		Created:           time.Time(i.CreationDate),
		Edited:            latest.EditDate.Time(),
		Revision:          latest.Edits + 1,
		Details:           latest.Details,
		Length:            latest.Length,
		Cover:             latest.Picture,
		Version:           i.Version,
		Trashed:           i.TrashedDate.Time(),
	}
}

// Summaries returns the summaries that the copies store.
func Summaries(items []PostCopy) []domain.Summary {
	return client.Convert(items, PostCopy.Domain)
}

// equal compares two copies without their times to live. A copy with properties of an earlier release is unequal
// to a copy without them, so a rebuild writes it anew.
func (i PostCopy) equal(other PostCopy) bool {
	return i.ID == other.ID && i.Type == other.Type && i.Domain() == other.Domain() &&
		i.Details.SeriesPlace == other.Details.SeriesPlace &&
		i.FormerRevision == other.FormerRevision && (i.FormerEditDate == nil) == (other.FormerEditDate == nil)
}

// CopyWithoutCounts decodes a copy and encodes it without counts, version and ETag. The results are equal for
// copies that differ in these only.
func CopyWithoutCounts(body []byte) ([]byte, error) {
	var copied PostCopy
	if err := client.Decode(body, &copied); err != nil {
		return nil, err
	}
	copied.CommentCount, copied.LikeCount, copied.Version, copied.ETag = 0, 0, 0, ""
	return client.Encode(copied), nil
}
