package reading

import (
	"context"

	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

type neighbourFinder interface {
	// Neighbours are the posts before and after one by its author, nil: there is none.
	Neighbours(ctx context.Context, post domain.Post) (previous, next *domain.Summary, err error)
}

type relatedFinder interface {
	// Related may give more than are shown, see domain.ExceptShown.
	Related(ctx context.Context, post domain.Post) ([]domain.Summary, error)
}

// relatedPosts finds where to read on after a post.
type relatedPosts struct {
	users neighbourFinder
	tags  relatedFinder
}

// of never fails: a post is worth reading without it.
func (a relatedPosts) of(ctx context.Context, s *site.Site, p domain.Post) view.ReadOn {
	on := view.ReadOn{Author: p.AuthorName}
	var group errgroup.Group
	group.Go(func() (err error) {
		on.Previous, on.Next, err = a.users.Neighbours(ctx, p)
		return err
	})
	group.Go(func() (err error) {
		on.Related, err = a.tags.Related(ctx, p)
		return err
	})
	if err := group.Wait(); err != nil {
		site.MarkIncomplete(ctx)
		s.Logger.WarnContext(ctx, "cannot say where to read on after a post", "post", p.ID, "error", err)
	}
	on.Related = domain.ExceptShown(on.Related, on.Previous, on.Next)
	return on
}
