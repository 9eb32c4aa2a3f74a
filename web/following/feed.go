package following

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// feed makes the personal feed of a user. The timeline has references to posts only. The posts come from this process's
// search index, which is as current as its lists, and costs no request units. So what is edited, liked, hidden or
// deleted needs no write in the timelines that refer to it.
type feed struct{ store Store }

// maxReads bounds how often a page reads on in a timeline whose posts are hidden or muted, each time by longRead
// entries more than before.
const (
	maxReads = 5
	longRead = 100
)

// enough is the number of posts after which it is known that there is another page.
const enough = domain.TimelinePerPage + 1

// page returns a page of the posts that a user follows and that are shown to the user, after a place, and the place
// after which the next page begins, which is empty on the last page.
func (f feed) page(ctx context.Context, u domain.User, after domain.Place) (posts []domain.Summary,
	next domain.Place, err error) {
	mutes, err := site.MutesOf(ctx, f.store.Mutes, u)
	if err != nil {
		return nil, "", err
	}
	posts, merged, until, err := f.read(ctx, u.ID, after, mutes)
	if err != nil {
		return nil, "", err
	}
	others, until, err := f.merge(ctx, merged, after, until)
	if err != nil {
		return nil, "", err
	}
	posts = distinct(slices.DeleteFunc(append(posts, others...), func(s domain.Summary) bool {
		return placeOf(s) < until || mutes.Hides(s)
	}))
	if len(posts) >= enough {
		posts = posts[:domain.TimelinePerPage]
		return posts, placeOf(posts[len(posts)-1]), nil
	}
	return posts, until, nil
}

func placeOf(s domain.Summary) domain.Place { return domain.PlaceOf(s.Created, s.PostID) }

// afterMerged is the place after the merged sources, before all posts.
const afterMerged domain.Place = "~"

// read reads the timeline after a place until it has enough posts, or maxReads times. It returns the posts, the merged
// sources, and the place of the last entry that it has read, which is empty at the end of the timeline.
func (f feed) read(ctx context.Context, userID string, after domain.Place, mutes domain.Mutes) (
	posts []domain.Summary, merged []domain.Source, place domain.Place, err error) {
	place = after
	if after != "" {
		if merged, err = f.store.Follows.Merged(ctx, userID); err != nil {
			return nil, nil, "", err
		}
	}
	// One entry more, because the last place is left for the next page
	for limit := enough + 1; limit <= maxReads*longRead; limit += longRead {
		t, err := f.store.Follows.Timeline(ctx, userID, place, limit)
		if err != nil {
			return nil, nil, "", err
		}
		merged = append(merged, t.Merged...)
		if len(t.Merged) == limit { // there may be more of them, and no post was read yet
			if merged, err = f.store.Follows.Merged(ctx, userID); err != nil {
				return nil, nil, "", err
			}
			place = afterMerged
			continue
		}
		whole := len(t.Entries)+len(t.Merged) < limit
		if !whole { // other entries of the last post may follow, which the next page begins with
			last := t.Entries[len(t.Entries)-1].Place()
			t.Entries = slices.DeleteFunc(t.Entries, func(e domain.TimelineEntry) bool { return e.Place() == last })
		}
		found, err := f.posts(ctx, t.Entries)
		if err != nil {
			return nil, nil, "", err
		}
		posts = append(posts, slices.DeleteFunc(found, mutes.Hides)...)
		if whole {
			return posts, merged, "", nil
		}
		if len(t.Entries) == 0 { // the first page of a timeline with nearly as many merged sources
			place = afterMerged
			continue
		}
		place = t.Entries[len(t.Entries)-1].Place()
		if len(distinct(posts)) >= enough {
			break
		}
	}
	return posts, merged, place, nil
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

// merge returns posts of sources with very many followers after a place, and the place as far as which the lists of all
// sources and the timeline, which was read until a place, are complete. It is empty at the end of all. The query cache
// shares these lists among all readers.
func (f feed) merge(ctx context.Context, sources []domain.Source, after, until domain.Place) ([]domain.Summary,
	domain.Place, error) {
	lists := make([][]domain.Summary, len(sources))
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(8)
	for i, source := range sources {
		reading.Go(func() (err error) {
			if source.Tag != "" {
				lists[i], err = f.store.Tags.PostsAfter(ctx, source.Tag, after, enough)
			} else {
				lists[i], err = f.store.UserCopies.PostsAfter(ctx, source.AuthorID, after, enough)
			}
			return err
		})
	}
	err := reading.Wait()
	for _, list := range lists {
		if len(list) == enough { // there may be more
			until = max(until, placeOf(list[enough-1]))
		}
	}
	return slices.Concat(lists...), until, err
}
