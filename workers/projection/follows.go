package projection

import (
	"context"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// FollowStore stores who follows what.
type FollowStore interface {
	// Complete does what follows from a new state of a follow. Repeating it changes nothing.
	Complete(ctx context.Context, f domain.Follow) error
	// Unfollow ends a follow, if there is one.
	Unfollow(ctx context.Context, userID string, source domain.Source) error
	// EraseFollows ends all follows of a deleted account, and those by others of it. It takes one step of at most as
	// many follows as the limit.
	EraseFollows(ctx context.Context, userID string, limit int) (domain.Step, error)
}

// BlockStore reads blocks.
type BlockStore interface {
	Has(ctx context.Context, userID, otherID string) (bool, error)
}

// follows completes the follows of a batch of changes, and ends those between users of whom one has blocked the other.
// A follow and a block may be written at the same moment. Whichever comes later in the change feed ends the follow.
func (p *UsersProjector) follows(ctx context.Context, changes []feeds.UserChange) error {
	latest := make(map[followRef]domain.Follow)
	var blocks []domain.Block
	for _, c := range changes {
		switch {
		case c.Follow != nil:
			if ref := (followRef{c.Follow.UserID, c.Follow.Source}); c.Follow.Version >= latest[ref].Version {
				latest[ref] = *c.Follow
			}
		case c.Block != nil:
			blocks = append(blocks, *c.Block)
		}
	}
	err := loop.InParallel(ctx, blocks, func(ctx context.Context, b domain.Block) error {
		// A batch of changes may come late, after the block has ended.
		if blocked, err := p.Blocks.Has(ctx, b.UserID, b.BlockedID); err != nil || !blocked {
			return err
		}
		return p.separate(ctx, b.UserID, b.BlockedID)
	})
	if err != nil {
		return err
	}
	var list []domain.Follow
	for _, f := range latest {
		list = append(list, f)
	}
	return loop.InParallel(ctx, list, p.completeFollow)
}

// followRef identifies a follow.
type followRef struct {
	userID string
	source domain.Source
}

// separate ends the follows between two users.
func (p *UsersProjector) separate(ctx context.Context, userID, otherID string) error {
	if err := p.Follows.Unfollow(ctx, otherID, domain.AuthorSource(userID)); err != nil {
		return err
	}
	return p.Follows.Unfollow(ctx, userID, domain.AuthorSource(otherID))
}

// completeFollow completes a follow, unless it may not exist any more.
func (p *UsersProjector) completeFollow(ctx context.Context, f domain.Follow) error {
	if author := f.Source.AuthorID; f.Deleted.IsZero() {
		authors, err := p.Users.Authors(ctx, followPeople(f))
		if err != nil {
			return err
		}
		blocked := false
		for _, pair := range [][2]string{{author, f.UserID}, {f.UserID, author}} {
			if err == nil && author != "" && !blocked {
				blocked, err = p.Blocks.Has(ctx, pair[0], pair[1])
			}
		}
		if err != nil {
			return err
		}
		if blocked || authors[author].Deleted || authors[f.UserID].Deleted {
			// The end of the follow comes in the change feed. A deletion of an account may have passed it already.
			return p.Follows.Unfollow(ctx, f.UserID, f.Source)
		}
	}
	if err := p.Follows.Complete(ctx, f); err != nil {
		return err
	}
	if f.Source.AuthorID == "" || !f.Deleted.IsZero() || !isRecent(f.Created) {
		return nil
	}
	return p.Notifications.Follower(ctx, f.UserID, f.Source.AuthorID)
}

func followPeople(f domain.Follow) []string {
	if f.Source.AuthorID == "" {
		return []string{f.UserID}
	}
	return []string{f.UserID, f.Source.AuthorID}
}

// FollowerCounts reads how many followers sources have.
type FollowerCounts interface {
	Followers(ctx context.Context, source domain.Source) (domain.Followers, error)
}

// NewsDeliveries stores deliveries.
type NewsDeliveries interface {
	// Put stores deliveries, unless they were stored before.
	Put(ctx context.Context, list ...domain.Delivery) error
}

// tell tells subscribers, and the followers of the author and the tags, of a new post, once it is listed. Until then it
// stays news: a post that is held, or not public yet. A source without followers, or one that is merged into timelines
// when these are read, needs no delivery. The copies of the post have been written before, so a follow that begins now
// finds it.
func (p *PostsProjector) tell(ctx context.Context, post domain.Post) error {
	if p.News == nil || !post.News || !post.Listed() {
		return nil
	}
	now := time.Now()
	deliveries, err := p.Mails.tell(ctx, post, now)
	if err != nil {
		return err
	}
	for _, source := range domain.SourcesOf(post) {
		followers, err := p.FollowerCounts.Followers(ctx, source)
		if err != nil {
			return err
		}
		if followers.Count > 0 && !followers.Merged {
			deliveries = append(deliveries, domain.NewsDelivery(domain.TimelineEntry{Source: source, PostID: post.ID,
				AuthorID: post.AuthorID, Created: post.Created}, followers.Count, now))
		}
	}
	if err := p.News.Put(ctx, deliveries...); err != nil {
		return err
	}
	return p.Posts.MarkTold(ctx, post.ID, now)
}
