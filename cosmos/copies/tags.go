package copies

import (
	"context"
	"net/http"
	"slices"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Tags is the container of listed posts in short form by tag. It is partitioned by /tag, which is domain.TagKey of
// the tag as written. A post has a copy in the partition of each of its tags, so one partition serves the whole
// page of a tag.
type Tags struct{ c *client.Container }

// NewTags returns the copies by tag of a database.
func NewTags(db *client.Database) *Tags {
	return &Tags{c: db.Container(schema.TagsContainer)}
}

// PostsOf returns one page of the posts with the tag of that key, the newest first.
func (t *Tags) PostsOf(ctx context.Context, key string, page int) (domain.ListPage[domain.Summary], error) {
	rows, err := client.Query[PostCopy](client.Reads("tag").In(ctx), t.c, key,
		`SELECT * FROM c WHERE c.type = 'post'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.PostsPerPage, client.Parameters{}))
	return domain.Cut(Summaries(rows), page, domain.PostsPerPage), client.Translate(err)
}

// PostsAfter returns at most limit posts with the tag of that key that follow a place, the newest first.
func (t *Tags) PostsAfter(ctx context.Context, key string, after domain.Place, limit int) ([]domain.Summary, error) {
	return postsAfter(client.Reads("timeline-tag").In(ctx), t.c, key, after, limit)
}

// TagCopyOf returns the item of a post in the partition of a tag: its copy, or a tombstone if the post is not
// listed or does not have the tag.
func TagCopyOf(key string, s domain.Summary) PostCopy {
	item := tombstoneOf(s)
	if s.Listed() && slices.Contains(s.Tags.Keys(), key) {
		item = PostCopyOf(s)
	}
	item.Tag = key
	return item
}

// ApplySummary updates the copy of a post in the partition of a tag. If the post is not listed or no longer has
// the tag, the copy becomes a tombstone, even if there was no copy. A newer version of the post may replace the
// tombstone. ApplySummary leaves a copy that was made from a newer version.
func (t *Tags) ApplySummary(ctx context.Context, key string, s domain.Summary) error {
	ctx = copyingToTags.In(ctx)
	item := TagCopyOf(key, s)
	ops := updatePatch(item)
	if item.DeletionDate != nil {
		ops.AppendSet("/type", item.Type)
	}
	create := s.Version == 1 // most likely new
	return client.Rewrite(ctx, func() error {
		var err error
		if create {
			err = t.c.Create(ctx, key, item)
		} else {
			err = t.c.Patch(ctx, key, item.ID, ops)
		}
		switch client.StatusOf(err) {
		case http.StatusNotFound:
			create = true
		case http.StatusConflict:
			create = false
		case http.StatusPreconditionFailed: // as new, or newer, or a tombstone
			err = t.replaceTombstone(ctx, item)
		}
		return client.Lost(client.Translate(err))
	})
}

// replaceTombstone replaces an older tombstone by a copy.
func (t *Tags) replaceTombstone(ctx context.Context, item PostCopy) error {
	found, err := client.Read[PostCopy](ctx, t.c, item.Tag, item.ID)
	if err != nil || found.Version >= item.Version {
		return err
	}
	return t.c.Replace(ctx, item.Tag, item.ID, found.ETag, item)
}

// RewriteSummary is UserCopies.RewriteSummary for the copy in the partition of a tag.
func (t *Tags) RewriteSummary(ctx context.Context, key, postID string,
	source func(context.Context) (domain.Summary, error)) error {
	return client.Translate(rewrite(copyingToTags.In(ctx), t.c, key, postID, source,
		func(s domain.Summary) PostCopy { return TagCopyOf(key, s) }))
}
