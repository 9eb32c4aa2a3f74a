package posts

import (
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// CommentItem is a comment as it is stored in the partition of its post.
type CommentItem struct {
	ID              string          `json:"id"`
	Type            string          `json:"type"`
	PostID          string          `json:"postId"`
	UserID          string          `json:"userId"`
	UserUsername    string          `json:"userUsername"`
	UserDisplayName string          `json:"userDisplayName,omitempty"`
	UserAvatar      string          `json:"userAvatar,omitempty"`
	Content         string          `json:"content"`
	Mentions        domain.Mentions `json:"mentions,omitempty"`
	CreationDate    schema.Instant  `json:"creationDate"`
	EditDate        *schema.Instant `json:"editDate,omitempty"`
	ParentID        string          `json:"parentId,omitempty"`
	ParentDate      *schema.Instant `json:"parentDate,omitempty"`
	ReplyCount      int             `json:"replyCount"`
	Place           string          `json:"place"`
	// Held is absent from a comment that is not hidden: see hold.go.
	Held            domain.Hold `json:"held,omitempty"`
	AuthorSuspended bool        `json:"authorSuspended,omitempty"`
	// DeletionDate is set on placeholders only: see DeleteComment.
	DeletionDate *schema.Instant `json:"deletionDate,omitempty"`
	ETag         string          `json:"_etag,omitempty"`
}

// CommentItemOf returns the stored form of a comment.
func CommentItemOf(c domain.Comment) CommentItem {
	return CommentItem{
		ID:              c.ID,
		Type:            schema.TypeComment,
		PostID:          c.PostID,
		UserID:          c.AuthorID,
		UserUsername:    c.AuthorName,
		UserDisplayName: c.AuthorDisplayName,
		UserAvatar:      c.AuthorAvatar,
		Content:         c.Content,
		Mentions:        c.Mentions,
		CreationDate:    schema.Instant(c.Created),
		EditDate:        schema.Optional(c.Edited),
		ParentID:        c.ParentID,
		ParentDate:      schema.Optional(c.ParentCreated),
		ReplyCount:      c.Replies,
		Place:           c.Place(),
		Held:            c.Held,
		AuthorSuspended: c.AuthorSuspended,
		DeletionDate:    schema.Optional(c.Deleted),
	}
}

// Domain returns the comment that the item stores.
func (i CommentItem) Domain() domain.Comment {
	return domain.Comment{
		ID:                i.ID,
		PostID:            i.PostID,
		AuthorID:          i.UserID,
		AuthorName:        i.UserUsername,
		AuthorDisplayName: i.UserDisplayName,
		AuthorAvatar:      i.UserAvatar,
		Content:           i.Content,
		Mentions:          i.Mentions,
		Created:           time.Time(i.CreationDate),
		Edited:            i.EditDate.Time(),
		ParentID:          i.ParentID,
		ParentCreated:     i.ParentDate.Time(),
		Replies:           i.ReplyCount,
		Deleted:           i.DeletionDate.Time(),
		Held:              i.Held,
		AuthorSuspended:   i.AuthorSuspended,
	}
}

func comments(items []CommentItem) []domain.Comment {
	return client.Convert(items, CommentItem.Domain)
}
