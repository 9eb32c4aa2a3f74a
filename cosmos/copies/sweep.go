package copies

import (
	"context"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// SweepOrphans deletes copies that replaying the change feed of posts never reaches. It returns the number of
// deleted copies. progress receives the number of copies checked so far. The sweep deletes these copies:
//
// In users, feed and tags: copies of posts that do not exist or belong to another user, and live copies of erased
// posts.
//
// In feed and tags: copies of posts that are not listed or do not have the tag.
//
// In users: copies of bookmarks that do not exist.
//
// It also gives comments of earlier releases their places.
//
// The sweep is safe beside live traffic. A post exists before its copies, so a copy without a post stays an
// orphan. The sweep checks each suspect a second time at the end, since a replica may return the copy before the
// post. It deletes a copy only if it has not changed since.
//
// Deleted rows make room in the feed, which only replaying fills. Sweep before replaying.
func (c *Copies) SweepOrphans(ctx context.Context, progress func(copies int)) (removed int, err error) {
	ctx = client.Writes("sweep").In(ctx)
	sweep := orphanSweep{Copies: c, progress: progress}
	if err := posts.PlaceComments(ctx, c.sources); err != nil {
		return 0, client.Translate(err)
	}
	inUsers, err := sweep.suspects(ctx, c.UserCopies.c, azcosmos.NewPartitionKey())
	if err != nil {
		return 0, client.Translate(err)
	}
	inFeed, err := sweep.suspects(ctx, c.Feed.c, client.Key(schema.TypePost))
	if err != nil {
		return 0, client.Translate(err)
	}
	inTags, err := sweep.suspects(ctx, c.Tags.c, azcosmos.NewPartitionKey())
	if err != nil && !client.NoContainer(err) { // the next serve creates it
		return 0, client.Translate(err)
	}
	for _, copied := range inUsers {
		n, err := sweep.removeFromUsers(ctx, copied)
		if removed += n; err != nil {
			return removed, client.Translate(err)
		}
	}
	for _, copied := range inTags {
		n, err := sweep.removeFromTags(ctx, copied)
		if removed += n; err != nil {
			return removed, client.Translate(err)
		}
	}
	for _, copied := range inFeed {
		n, err := sweep.removeFromFeed(ctx, copied.ID)
		if removed += n; err != nil {
			return removed, client.Translate(err)
		}
	}
	n, err := sweep.sweepBookmarks(ctx)
	return removed + n, client.Translate(err)
}

// Copies holds the copies of posts, and repairs them.
type Copies struct {
	UserCopies *UserCopies
	Feed       *Feed
	Tags       *Tags
	sources    *client.Container // posts
}

// NewCopies returns the copies of a database.
func NewCopies(db *client.Database, users *UserCopies, feed *Feed, tags *Tags) *Copies {
	return &Copies{UserCopies: users, Feed: feed, Tags: tags, sources: db.Container(schema.PostsContainer)}
}

type orphanSweep struct {
	*Copies
	progress func(int)
	looked   int
}

// orphaned reports whether a copy in a container is an orphan. source is nil if the post does not exist.
// Tombstones are no orphans, since they expire.
func (w *orphanSweep) orphaned(copied sweptCopy, source *postSource, in *client.Container) bool {
	switch {
	case copied.Tombstone:
		return false
	case source == nil:
		return true
	case source.Erased == true:
		return true
	case in == w.Feed.c:
		return !source.listed()
	case in == w.Tags.c:
		return !source.listed() || !source.tagged(copied.Tag)
	}
	author, ok := source.UserID.(string)
	return ok && author != copied.UserID
}

// suspects lists the copies in a container that seem to be orphans.
func (w *orphanSweep) suspects(ctx context.Context, c *client.Container,
	pk azcosmos.PartitionKey) ([]sweptCopy, error) {
	var found, chunk []sweptCopy
	judge := func() error {
		ids := make([]string, len(chunk))
		for i, copied := range chunk {
			ids[i] = copied.ID
		}
		sources, err := w.postSources(ctx, ids)
		if err != nil {
			return err
		}
		for _, copied := range chunk {
			if w.orphaned(copied, sources[copied.ID], c) {
				found = append(found, copied)
			}
		}
		w.looked += len(chunk)
		w.progress(w.looked)
		chunk = chunk[:0]
		return nil
	}
	err := client.EachRow(ctx, c, pk,
		`SELECT c.id, c.userId, c.tag, IS_DEFINED(c.deletionDate) AS tombstone FROM c
		 WHERE c.type IN ('post', 'unlisted-post', 'unpublished-post', 'hidden-post', 'trashed-post')`, nil,
		func(copied sweptCopy) error {
			if chunk = append(chunk, copied); len(chunk) < client.MaxBatch {
				return nil
			}
			return judge()
		})
	if err == nil && len(chunk) > 0 {
		err = judge()
	}
	return found, err
}

// postSources reads several posts at once. The result lacks posts that do not exist.
func (c *Copies) postSources(ctx context.Context, ids []string) (map[string]*postSource, error) {
	slices.Sort(ids) // a post with several copies is read once
	ids = slices.Compact(ids)
	identities := make([]azcosmos.ItemIdentity, len(ids))
	for i, id := range ids {
		identities[i] = client.Identity(id, id)
	}
	found, err := client.ReadMany[postSource](ctx, c.sources, identities)
	sources := make(map[string]*postSource, len(found))
	for _, source := range found {
		sources[source.ID] = &source
	}
	return sources, err
}

// postSource reads one post. It returns nil if the post does not exist.
func (c *Copies) postSource(ctx context.Context, id string) (*postSource, error) {
	source, err := client.Read[postSource](ctx, c.sources, id, id)
	if err != nil && client.KindOf(err) == domain.NotFound {
		return nil, nil
	}
	return &source, err
}

// removeFromUsers deletes a suspect in users if it is still an orphan.
func (w *orphanSweep) removeFromUsers(ctx context.Context, suspect sweptCopy) (int, error) {
	partition, ok := suspect.UserID.(string)
	if !ok {
		return 0, nil
	}
	users := w.UserCopies.c
	found, err := client.Read[storedCopy](ctx, users, partition, suspect.ID)
	if err != nil {
		return 0, client.UnlessGone(err)
	}
	found.Tombstone = found.DeletionDate != nil
	source, err := w.postSource(ctx, suspect.ID)
	if err != nil || !liveCopy(found.Type) || !w.orphaned(found.sweptCopy, source, users) {
		return 0, err
	}
	if err := users.DeleteVersion(ctx, partition, suspect.ID, found.ETag); err != nil {
		return 0, client.UnlessGone(err)
	}
	return 1, nil
}

// removeFromTags deletes a suspect in tags if it is still an orphan. It leaves no tombstone: if a stalled worker
// writes the copy again, the next sweep finds it.
func (w *orphanSweep) removeFromTags(ctx context.Context, suspect sweptCopy) (int, error) {
	tags := w.Tags.c
	found, err := client.Read[storedCopy](ctx, tags, suspect.Tag, suspect.ID)
	if err != nil {
		return 0, client.UnlessGone(err)
	}
	source, err := w.postSource(ctx, suspect.ID)
	if err != nil || !liveCopy(found.Type) || !w.orphaned(found.sweptCopy, source, tags) {
		return 0, err
	}
	if err := tags.DeleteVersion(ctx, suspect.Tag, suspect.ID, found.ETag); err != nil {
		return 0, client.UnlessGone(err)
	}
	return 1, nil
}

// removeFromFeed deletes a suspect in feed if it is still an orphan. Its transaction guards the feed as all
// transactions do that add or remove posts: see feedPlan.
func (w *orphanSweep) removeFromFeed(ctx context.Context, id string) (int, error) {
	feed := w.Feed.c
	for attempt := 1; ; attempt++ {
		row, err := client.Read[storedCopy](ctx, feed, schema.TypePost, id)
		if err != nil {
			return 0, client.UnlessGone(err)
		}
		row.Tombstone = row.DeletionDate != nil
		source, err := w.postSource(ctx, id)
		if err != nil || !w.orphaned(row.sweptCopy, source, feed) {
			return 0, err
		}
		rows, err := w.Feed.Rows(ctx)
		if err != nil || len(rows) == 0 {
			return 0, err
		}
		batch := feed.Batch(schema.TypePost)
		batch.DeleteItem(id, client.IfMatch(row.ETag))
		if newest := slices.MinFunc(rows, byPlace); newest.ID != id {
			var touch azcosmos.PatchOperations
			touch.AppendSet("/version", newest.Version)
			batch.PatchItem(newest.ID, touch, client.IfMatch(newest.ETag))
		}
		_, err = feed.Execute(ctx, batch, false)
		if err == nil {
			return 1, nil
		}
		if client.UnlessGone(err) != nil || attempt == applyAttempts {
			return 0, err
		}
	}
}
