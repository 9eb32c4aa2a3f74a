package posts

import (
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/embed"
)

// PostItem is a post as it is stored in its own partition.
type PostItem struct {
	ID              string          `json:"id"`
	Type            string          `json:"type"`
	PostID          string          `json:"postId"`
	UserID          string          `json:"userId"`
	UserUsername    string          `json:"userUsername"`
	UserDisplayName string          `json:"userDisplayName,omitempty"` // absent if the author has none
	UserAvatar      string          `json:"userAvatar,omitempty"`
	Title           string          `json:"title"`
	Slug            string          `json:"slug,omitempty"` // set on imported posts only
	Content         string          `json:"content"`
	Mentions        domain.Mentions `json:"mentions,omitempty"`
	Tags            schema.TagNames `json:"tags"`
	Details         domain.Details  `json:"details,omitzero"`
	// Status is absent from a published post.
	Status     domain.Status   `json:"status,omitempty"`
	FormerTags schema.TagNames `json:"formerTags,omitempty"`
	Withdrawn  bool            `json:"withdrawn,omitempty"`
	// Held is absent from a post that is not hidden: see hold.go.
	Held            domain.Hold     `json:"held,omitempty"`
	AuthorSuspended bool            `json:"authorSuspended,omitempty"`
	CommentsClosed  bool            `json:"commentsClosed,omitempty"`
	CommentCount    int             `json:"commentCount"`
	LikeCount       int             `json:"likeCount"`
	CreationDate    schema.Instant  `json:"creationDate"`
	EditDate        *schema.Instant `json:"editDate,omitempty"`
	Bookmarked      string          `json:"bookmarked,omitempty"` // see domain.Post
	News            bool            `json:"news,omitempty"`
	NewsDate        *schema.Instant `json:"newsDate,omitempty"` // when followers were told: see MarkTold
	Embeds          embed.Cards     `json:"embeds,omitempty"`
	Revision        int             `json:"revision"`
	Version         int             `json:"version"`
	TrashedDate     *schema.Instant `json:"trashedDate,omitempty"` // see Trash
	// The fields below are set on deleted posts only: see Delete.
	DeletionDate *schema.Instant `json:"deletionDate,omitempty"`
	Erased       bool            `json:"erased,omitempty"`
}

// PostItemOf returns the stored form of a post.
func PostItemOf(p domain.Post) PostItem {
	if p.InTrash() && p.Held == domain.NotHeld {
		p.Held = schema.HeldInTrash
	}
	itemType := schema.TypePost
	if p.IsPage() {
		itemType = schema.TypePage
	}
	return PostItem{
		ID:              p.ID,
		Type:            itemType,
		PostID:          p.ID,
		UserID:          p.AuthorID,
		UserUsername:    p.AuthorName,
		UserDisplayName: p.AuthorDisplayName,
		UserAvatar:      p.AuthorAvatar,
		Title:           p.Title,
		Slug:            p.Slug,
		Content:         p.Content,
		Mentions:        p.Mentions,
		Tags:            schema.TagNames(p.Tags.List()),
		Details:         p.Details,
		Status:          p.Status,
		FormerTags:      schema.TagNames(p.FormerTags.List()),
		Withdrawn:       p.Withdrawn,
		CommentCount:    p.CommentCount,
		LikeCount:       p.LikeCount,
		CreationDate:    schema.Instant(p.Created),
		EditDate:        schema.Optional(p.Edited),
		Held:            p.Held,
		AuthorSuspended: p.AuthorSuspended,
		CommentsClosed:  p.CommentsClosed,
		TrashedDate:     schema.Optional(p.Trashed),
		Bookmarked:      p.Bookmarked,
		News:            p.News,
		Embeds:          p.Embeds,
		Revision:        p.Revision,
		Version:         p.Version,
	}
}

func (i PostItem) domain() domain.Post {
	p := domain.Post{
		ID:                i.PostID,
		AuthorID:          i.UserID,
		AuthorName:        i.UserUsername,
		AuthorDisplayName: i.UserDisplayName,
		AuthorAvatar:      i.UserAvatar,
		Title:             i.Title,
		Slug:              i.Slug,
		Content:           i.Content,
		Mentions:          i.Mentions,
		Tags:              i.Tags.Domain(),
		Details:           i.Details,
		Status:            i.Status,
		FormerTags:        i.FormerTags.Domain(),
		Withdrawn:         i.Withdrawn,
		CommentCount:      i.CommentCount,
		LikeCount:         i.LikeCount,
		Created:           time.Time(i.CreationDate),
		Bookmarked:        i.Bookmarked,
		News:              i.News,
		Embeds:            i.Embeds,
		Revision:          i.Revision,
		Version:           i.Version,
	}
	p.Held, p.AuthorSuspended, p.CommentsClosed = i.Held, i.AuthorSuspended, i.CommentsClosed
	if i.Held == schema.HeldInTrash {
		p.Held = domain.NotHeld
	}
	p.Edited, p.Trashed, p.Deleted, p.Erased = i.EditDate.Time(), i.TrashedDate.Time(), i.DeletionDate.Time(), i.Erased
	return p
}
