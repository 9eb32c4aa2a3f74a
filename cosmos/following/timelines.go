package following

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Operations on timelines.
var (
	readingTimeline = client.Reads("timeline")
	filling         = client.WritesOnly("fill-timeline", 0)
	fanning         = client.WritesOnly("fan-out", 0).LowPriority()
	trimming        = client.WritesOnly("trim-timeline", 0).LowPriority()
)

// markTime is how long the item stays that is written before posts are removed.
const markTime = time.Minute

// writers is the number of concurrent writes to timelines.
const writers = 16

// entryItem is a reference to a post in the timeline of a user. The posts themselves are read elsewhere: so their
// changes, likes and renamed authors need no write here.
type entryItem struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	UserID   string       `json:"userId"`
	AuthorID string       `json:"authorId,omitempty"` // of the post
	Tag      string       `json:"tag,omitempty"`      // if the tag is followed, not the author
	PostID   string       `json:"postId,omitempty"`
	Place    domain.Place `json:"place,omitempty"`
	TTL      int          `json:"ttl,omitempty"`
}

// mergedPlace begins the places of merged sources, which are before those of all posts.
const mergedPlace = "~"

func entryItemOf(userID string, e domain.TimelineEntry) entryItem {
	if e.PostID == "" {
		return entryItem{ID: schema.TypeMerged + "." + e.Source.Key(), Type: schema.TypeMerged, UserID: userID,
			AuthorID: e.Source.AuthorID, Tag: e.Source.Tag, Place: mergedPlace + domain.Place(e.Source.Key())}
	}
	i := entryItem{ID: e.PostID, Type: schema.TypeEntry, UserID: userID, AuthorID: e.AuthorID, Tag: e.Source.Tag,
		PostID: e.PostID, Place: e.Place(), TTL: schema.TTLUntil(e.Created.Add(domain.TimelineTime))}
	if i.Tag != "" {
		i.ID += "." + e.Source.Key()
	}
	return i
}

func (i entryItem) source() domain.Source {
	if i.Tag != "" {
		return domain.TagSource(i.Tag)
	}
	return domain.AuthorSource(i.AuthorID)
}

// Timeline reads at most limit items of a user's timeline that follow a place, the newest posts first. Merged sources
// count as items and come first. The zero place is the beginning. It is one query in the user's partition.
func (s *Follows) Timeline(ctx context.Context, userID string, after domain.Place, limit int) (
	domain.Timeline, error) {
	var t domain.Timeline
	if after == "" {
		after = mergedPlace + mergedPlace
	}
	rows, err := client.Query[entryItem](readingTimeline.In(ctx), s.timelines, userID,
		`SELECT c.postId, c.authorId, c.tag, c.place FROM c WHERE c.place < @after
		 ORDER BY c.place DESC OFFSET 0 LIMIT @limit`, client.Parameters{"after": after, "limit": limit})
	for _, row := range rows {
		if row.PostID == "" {
			t.Merged = append(t.Merged, row.source())
			continue
		}
		at, _, _ := row.Place.Split()
		t.Entries = append(t.Entries, domain.TimelineEntry{Source: row.source(), PostID: row.PostID,
			AuthorID: row.AuthorID, Created: at})
	}
	return t, client.Translate(err)
}

// Merged lists the merged sources of a user's timeline, for pages after the first.
func (s *Follows) Merged(ctx context.Context, userID string) ([]domain.Source, error) {
	rows, err := client.Query[entryItem](readingTimeline.In(ctx), s.timelines, userID,
		`SELECT c.authorId, c.tag FROM c WHERE c.place > @merged`, client.Parameters{"merged": mergedPlace})
	return client.Convert(rows, entryItem.source), client.Translate(err)
}

// Complete does what follows from a new state of a follow: it brings the copy with the source up to date, and adds the
// newest posts of the source to the timeline, or removes its posts. Repeating it changes nothing.
func (s *Follows) Complete(ctx context.Context, f domain.Follow) error {
	ctx = filling.In(ctx)
	for {
		present, err := s.Get(ctx, f.UserID, f.Source)
		switch {
		case domain.Is(err, domain.NotFound): // ended long ago, and completed then
			return nil
		case err != nil:
			return err
		case present.Version < f.Version:
			present = f // a replica does not have it yet
		}
		if err := s.copyToSource(ctx, present); err != nil {
			return err
		}
		if !present.Deleted.IsZero() {
			// With session consistency a replica may lag behind other processes, which may just have added a post. The
			// answer to a write has a session token that covers those before it.
			err := s.timelines.Upsert(ctx, f.UserID, entryItem{ID: schema.TypeMark, Type: schema.TypeMark,
				UserID: f.UserID, TTL: int(markTime.Seconds())})
			if err != nil {
				return client.Translate(err)
			}
			return s.remove(ctx, f.UserID, f.Source)
		}
		if err := s.fill(ctx, present); err != nil {
			return err
		}
		// The follow may have ended meanwhile, and another process may already have removed what was there then.
		now, err := s.Get(ctx, f.UserID, f.Source)
		if err != nil || now.Version <= present.Version {
			return err
		}
		f = now
	}
}

// fill adds the newest posts of a source to the timeline of a follower, in one transaction. If the source is merged, it
// adds that instead.
func (s *Follows) fill(ctx context.Context, f domain.Follow) error {
	followers, err := s.Followers(ctx, f.Source)
	if err != nil {
		return err
	}
	batch, trim := s.timelines.Batch(f.UserID), false
	if followers.Merged {
		batch.UpsertItem(client.Encode(entryItemOf(f.UserID, domain.TimelineEntry{Source: f.Source})), nil)
	} else {
		sources, key := s.byAuthor, f.Source.AuthorID
		if f.Source.Tag != "" {
			sources, key = s.byTag, f.Source.Tag
		}
		newest, err := sources.PostsOf(ctx, key, 1)
		if err != nil {
			return err
		}
		recent := slices.DeleteFunc(newest.Items, func(p domain.Summary) bool {
			return time.Since(p.Created) >= domain.TimelineTime
		})
		if len(recent) == 0 {
			return nil
		}
		for _, p := range recent {
			entry := domain.TimelineEntry{Source: f.Source, PostID: p.PostID, AuthorID: p.AuthorID, Created: p.Created}
			batch.UpsertItem(client.Encode(entryItemOf(f.UserID, entry)), nil)
			trim = trim || trims(f.UserID, p.PostID)
		}
	}
	_, err = s.timelines.Execute(ctx, batch, false)
	if err == nil && trim {
		err = s.trim(ctx, f.UserID)
	}
	return client.Translate(err)
}

// remove removes the posts of a source from the timeline of a user.
func (s *Follows) remove(ctx context.Context, userID string, source domain.Source) error {
	where, params := "c.authorId = @author AND NOT IS_DEFINED(c.tag)", client.Parameters{"author": source.AuthorID}
	if source.Tag != "" {
		where, params = "c.tag = @tag", client.Parameters{"tag": source.Tag}
	}
	_, err := s.deleteItems(ctx, userID, "SELECT c.id FROM c WHERE "+where, params)
	return err
}

// eraseStep is the number of entries that one step of the deletion of an account deletes.
const eraseStep = 500

// eraseTimeline deletes a part of the timeline of a deleted account, and reports whether there may be more.
func (s *Follows) eraseTimeline(ctx context.Context, userID string) (more bool, err error) {
	some := fmt.Sprintf("SELECT TOP %d c.id FROM c", eraseStep)
	deleted, err := s.deleteItems(client.Erasing.In(ctx), userID, some, nil)
	return deleted == eraseStep, err
}

// deleteItems deletes the items of a timeline that a query selects, and returns their number.
func (s *Follows) deleteItems(ctx context.Context, userID, query string, params client.Parameters) (int, error) {
	items, err := client.Query[entryItem](ctx, s.timelines, userID, query, params)
	if err != nil {
		return 0, client.Translate(err)
	}
	deleting, ctx := errgroup.WithContext(ctx)
	deleting.SetLimit(writers)
	for _, item := range items {
		deleting.Go(func() error {
			if err := s.timelines.Delete(ctx, userID, item.ID); !client.Missing(err) {
				return client.Translate(err)
			}
			return nil
		})
	}
	return len(items), deleting.Wait()
}

// AddEntry adds a post, or a merged source, to the timelines of followers. Adding it again changes nothing. Some may
// cease to follow the source at that moment: the caller then calls RemoveEntry for those who are no followers any more.
func (s *Follows) AddEntry(ctx context.Context, followers []string, e domain.TimelineEntry) error {
	ctx = fanning.In(ctx)
	adding, ctx := errgroup.WithContext(ctx)
	adding.SetLimit(writers)
	for _, userID := range followers {
		adding.Go(func() error {
			err := s.timelines.Create(ctx, userID, entryItemOf(userID, e))
			if client.StatusOf(err) == http.StatusConflict {
				return nil
			}
			if err == nil && trims(userID, e.PostID) {
				err = s.trim(ctx, userID)
			}
			return client.Translate(err)
		})
	}
	return adding.Wait()
}

// RemoveEntry undoes AddEntry for users who have ceased to follow the source.
func (s *Follows) RemoveEntry(ctx context.Context, former []string, e domain.TimelineEntry) error {
	for _, userID := range former {
		err := s.timelines.Delete(fanning.In(ctx), userID, entryItemOf(userID, e).ID)
		if !client.Missing(err) && err != nil {
			return client.Translate(err)
		}
	}
	return nil
}

// trimInterval is the average number of new entries between two trims of a timeline.
const trimInterval = 128

// trims reports whether a timeline is trimmed when a post is added. It is the case for few pairs of both, so that a
// timeline has at most some multiples of trimInterval entries more than domain.MaxTimeline.
func trims(userID, postID string) bool {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(userID + postID)) // a hash does not fail
	return sum.Sum32()%trimInterval == 0
}

// trim deletes the oldest entries of a timeline that has too many.
func (s *Follows) trim(ctx context.Context, userID string) error {
	_, err := s.deleteItems(trimming.In(ctx), userID, `SELECT c.id FROM c WHERE c.place < @merged
		ORDER BY c.place DESC OFFSET @most LIMIT 1000`,
		client.Parameters{"merged": mergedPlace, "most": domain.MaxTimeline})
	return err
}
