package projection

import (
	"context"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

// projectPages updates the list of static pages, and takes a step in deleting the deleted ones. It returns the changes
// of all other items. A static page has no copies, and no one can comment on it or like it.
func (p *PostsProjector) projectPages(ctx context.Context,
	changes []feeds.PostChange) (others []feeds.PostChange, err error) {
	texts := make(map[string]domain.Post)
	for _, c := range changes {
		switch {
		case c.Post == nil || !c.Post.IsPage():
			others = append(others, c)
		case c.Post.Version >= texts[c.Post.ID].Version:
			texts[c.Post.ID] = *c.Post
		}
	}
	for _, text := range texts {
		if err := p.projectPage(ctx, text); err != nil {
			return nil, err
		}
	}
	return others, nil
}

func (p *PostsProjector) projectPage(ctx context.Context, text domain.Post) error {
	if text.Erased {
		return nil
	}
	if _, err := p.Pages.Refresh(ctx, text); err != nil {
		return err
	}
	switch {
	case !text.Deleted.IsZero():
		return p.erase(ctx, text)
	case text.Withdrawn || text.FormerTags != "":
		return p.Posts.ClearStaleListings(ctx, text.ID, text.Version)
	}
	return nil
}
