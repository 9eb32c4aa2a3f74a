package projection

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// draftRef identifies a draft by its author and its post.
type draftRef struct{ authorID, postID string }

// scheduleDrafts puts scheduled drafts into the schedule, and deletes drafts of deleted accounts. The deletion of an
// account marks the user first and then deletes the drafts that exist. A draft begun later is found here, because its
// author is looked up.
func (p *UsersProjector) scheduleDrafts(ctx context.Context, drafts map[draftRef]domain.Draft) error {
	if len(drafts) == 0 {
		return nil
	}
	authorIDs := make(map[string]bool)
	for _, d := range drafts {
		authorIDs[d.AuthorID] = true
	}
	authors, err := p.Users.Authors(ctx, slices.Collect(maps.Keys(authorIDs)))
	if err != nil {
		return fmt.Errorf("look up the authors of drafts: %w", err)
	}
	return loop.InParallel(ctx, slices.Collect(maps.Values(drafts)), func(ctx context.Context, d domain.Draft) error {
		switch {
		case authors[d.AuthorID].Deleted:
			return p.Drafts.Erase(ctx, d.AuthorID, d.PostID)
		case d.Bytes != d.CountedBytes():
			if err := p.Drafts.Count(ctx, d.AuthorID, d.PostID); err != nil {
				return err
			}
		}
		if d.Publish.IsZero() {
			return nil
		}
		return p.ScheduledPosts.Put(ctx, domain.ScheduledItem{UserID: d.AuthorID, PostID: d.PostID, At: d.Publish})
	})
}
