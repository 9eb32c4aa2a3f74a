package reading

import (
	"context"
	"slices"

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
		if on.Series, err = h.seriesPlace(ctx, p); err != nil || on.Series.Previous != nil || on.Series.Next != nil {
			return err
		}
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
	on.Related = domain.ExceptShown(on.Related, on.Previous, on.Next, on.Series.Previous, on.Series.Next)
	return on
}

// seriesPlace returns the place of a post in its series. It reads nothing for a post without a series. The place has no
// number while the post is not among the posts that the page of the series shows, or is the only one.
func (h post) seriesPlace(ctx context.Context, p domain.Post) (view.SeriesPlace, error) {
	key := domain.SeriesKey(p.Details.Series)
	if key == "" {
		return view.SeriesPlace{}, nil
	}
	posts, err := h.store.Users.Series(ctx, p.AuthorID, key)
	if err != nil || len(posts) == 0 {
		return view.SeriesPlace{}, err
	}
	place := view.SeriesPlace{Author: p.AuthorName, Title: p.Details.Series, Key: key}
	i := slices.IndexFunc(posts, func(s domain.Summary) bool { return s.PostID == p.ID })
	if i < 0 || len(posts) == 1 {
		return place, nil
	}
	if len(posts) < domain.MaxSeriesPosts {
		place.Number, place.Count = i+1, len(posts)
	}
	if i > 0 {
		place.Previous = &posts[i-1]
	}
	if i+1 < len(posts) {
		place.Next = &posts[i+1]
	}
	return place, nil
}
