package reading

import (
	"context"

	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// related returns the posts to read after a post. It logs an error and returns what it has read, since the page is
// useful without them.
func (h post) related(ctx context.Context, p domain.Post) view.RelatedPosts {
	on := view.RelatedPosts{Author: p.AuthorName}
	var group errgroup.Group
	group.Go(func() (err error) {
		on.Previous, on.Next, err = h.store.Users.Neighbours(ctx, p)
		return err
	})
	group.Go(func() (err error) {
		on.Related, err = h.store.Tags.Related(ctx, p)
		return err
	})
	if err := group.Wait(); err != nil {
		site.MarkIncomplete(ctx)
		h.Logger.WarnContext(ctx, "cannot read the posts related to a post", "post", p.ID, "error", err)
	}
	on.Related = domain.ExceptShown(on.Related, on.Previous, on.Next)
	return on
}
