package reading

import (
	"context"
	"slices"
	"strings"

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
		on.Previous, on.Next, err = h.store.UserCopies.Neighbours(ctx, p)
		return err
	})
	group.Go(func() (err error) {
		on.Related, err = domain.Related(p, func(key string) ([]domain.Summary, error) {
			return h.store.Tags.Newest(ctx, key)
		})
		return err
	})
	if err := group.Wait(); err != nil {
		site.MarkIncomplete(ctx)
		h.Logger.WarnContext(ctx, "cannot read the posts related to a post", "post", p.ID, "error", err)
	}
	on.Related = domain.ExceptShown(on.Related, on.Previous, on.Next, on.Series.Previous, on.Series.Next)
	return on
}

// seriesPlace returns the place of a post in its series. It reads nothing for a post without a series. The copies of
// posts may be older than the post, so its own place follows from the post itself. It has no number if the post is
// not listed, is the only one, or if the series is longer than its page.
func (h post) seriesPlace(ctx context.Context, p domain.Post) (view.SeriesPlace, error) {
	key := domain.SeriesKey(p.Details.Series)
	if key == "" {
		return view.SeriesPlace{}, nil
	}
	posts, err := h.store.UserCopies.Series(ctx, p.AuthorID, key)
	if err != nil {
		return view.SeriesPlace{}, err
	}
	more := len(posts) == domain.MaxSeriesPosts
	posts = slices.DeleteFunc(slices.Clone(posts), func(s domain.Summary) bool { return s.PostID == p.ID })
	i := -1
	if p.Listed() {
		own := domain.Summary{PostID: p.ID, Title: p.Title, Slug: p.Slug, Details: p.Details, Created: p.Created}
		i, _ = slices.BinarySearchFunc(posts, own, func(a, b domain.Summary) int {
			return strings.Compare(a.SeriesPlace(), b.SeriesPlace())
		})
		posts = slices.Insert(posts, i, own)
	}
	if len(posts) == 0 {
		return view.SeriesPlace{}, nil
	}
	place := view.SeriesPlace{Author: p.AuthorName, Title: p.Details.Series, Key: key}
	if i < 0 || len(posts) == 1 || i == domain.MaxSeriesPosts {
		return place, nil
	}
	if !more {
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
