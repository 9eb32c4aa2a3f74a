package projection

import (
	"context"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/embed"
)

// ScheduledList lists scheduled items: revisions of posts whose embeds are to be fetched, or posts in the trash.
type ScheduledList interface {
	// PutNew adds an entry. One of the same post and revision stays, also if an attempt that has begun is about to
	// remove it.
	PutNew(ctx context.Context, item domain.ScheduledItem) error
}

// Thumbnails stores the thumbnails of embeds.
type Thumbnails interface {
	// KeepThumbnails deletes the other thumbnails of a post.
	KeepThumbnails(ctx context.Context, userID, postID string, names ...string) error
}

// listEmbeds lists the posts and static pages of a batch of changes whose embeds were not fetched.
func (p *PostsProjector) listEmbeds(ctx context.Context, changes []feeds.PostChange) error {
	if p.Embeds == nil {
		return nil
	}
	for _, c := range changes {
		if c.Post == nil || !c.Post.Open() || c.Post.Embeds.Revision() == c.Post.Revision ||
			c.Post.Embeds == "" && len(embed.In(c.Post.Content)) == 0 {
			continue
		}
		item := domain.ScheduledItem{UserID: c.Post.AuthorID, PostID: c.Post.ID, Revision: c.Post.Revision,
			At: domain.Timestamp(time.Now())}
		if err := p.Embeds.PutNew(ctx, item); err != nil {
			return err
		}
	}
	return nil
}
