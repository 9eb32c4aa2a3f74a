package copies

import (
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// SummaryItem is a post's short form, the same in users, feed and tags. The copy of a
// deleted post is a tombstone for domain.TombstoneTime; in feed and tags that of a post
// which no longer stands there is one, too.
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
	// FormerRevision and FormerEditDate are of copies written before there were details.
	FormerRevision int             `json:"revision,omitempty"`
	FormerEditDate *schema.Instant `json:"editDate,omitempty"`
	// Of a tombstone only.
	DeletionDate *schema.Instant `json:"deletionDate,omitempty"`
	TTL          int             `json:"ttl,omitempty"`
	Refill       bool            `json:"refill,omitempty"`    // in feed: see feedPlan
	Withdrawn    bool            `json:"withdrawn,omitempty"` // in feed: the post may come back
	ETag         string          `json:"_etag,omitempty"`
}

// details are the properties of a copy that lists show and no query asks for. One operation of a patch sets
// them all, so a further property costs no operation, of which a patch may have ten.
// Most posts are never edited, and their copies have no details.
type details struct {
	Edits    int             `json:"edits,omitempty"` // the revision is one more
	EditDate *schema.Instant `json:"editDate,omitempty"`
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

// SummaryItemOf is the copy of a post, which in users has another type when it is a
// tombstone: so the list of a user's posts need not look for those.
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
		Details:         details{Edits: s.Revision - 1, EditDate: schema.Optional(s.Edited), Details: s.Details},
	}
	if !s.Deleted.IsZero() {
		item.Type, item.DeletionDate, item.TTL = schema.TypeDeletedPost, schema.Optional(s.Deleted), schema.TombstoneTTL
		item.UserUsername, item.UserDisplayName, item.Title, item.Slug, item.Content = "", "", "", "", ""
		item.CommentCount, item.LikeCount = 0, 0
		item.Tags, item.Details = nil, details{}
	}
	return item
}

// tombstoneOf is the copy of a post where it no longer stands, deleted or not.
func tombstoneOf(s domain.Summary) PostCopy {
	if s.Deleted.IsZero() {
		s.Deleted = time.Now()
	}
	return PostCopyOf(s)
}

func (i PostCopy) Domain() domain.Summary {
	if i.DeletionDate != nil { // of what else it was, a tombstone may hold something or nothing
		return domain.Summary{PostID: i.PostID, AuthorID: i.UserID, Created: time.Time(i.CreationDate),
			Version: i.Version, Deleted: i.DeletionDate.Time()}
	}
	latest := i.latestDetails()
	return domain.Summary{
		PostID:            i.PostID,
		AuthorID:          i.UserID,
		AuthorName:        i.UserUsername,
		AuthorDisplayName: i.UserDisplayName,
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
		Version:           i.Version,
	}
}

func Summaries(items []PostCopy) []domain.Summary {
	list := make([]domain.Summary, len(items))
	for i, item := range items {
		list[i] = item.Domain()
	}
	return list
}

// equal compares two copies without their times to live. A copy that still has properties of an earlier
// release equals none that has not, so that a rebuild writes it anew.
func (i PostCopy) equal(other PostCopy) bool {
	return i.ID == other.ID && i.Type == other.Type && i.Domain() == other.Domain() &&
		i.FormerRevision == other.FormerRevision && (i.FormerEditDate == nil) == (other.FormerEditDate == nil)
}

// CopyWithoutCounts is a text that is the same for copies that differ in their counts and versions only.
func CopyWithoutCounts(body []byte) ([]byte, error) {
	var copied PostCopy
	if err := client.Decode(body, &copied); err != nil {
		return nil, err
	}
	copied.CommentCount, copied.LikeCount, copied.Version, copied.ETag = 0, 0, 0, ""
	return client.Encode(copied), nil
}
