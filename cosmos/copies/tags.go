package copies

import (
	"context"
	"net/http"
	"slices"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Tags is the container of the listed posts in short form by their tags, partitioned by
// /tag, which is domain.TagKey of what the author wrote: a post has a copy in the
// partition of each of its tags, and that of a tag serves its page whole.
type Tags struct{ c *client.Container }

// NewTags returns the copies by tag of a database.
func NewTags(db *client.Database) *Tags {
	return &Tags{c: db.Container(schema.TagsContainer)}
}

// PostsOf is one page of the posts that have the tag of that key, newest first.
func (t *Tags) PostsOf(ctx context.Context, key string, page int) (domain.Page[domain.Summary], error) {
	rows, err := client.Query[PostCopy](client.Operation(ctx, "tag"), t.c, key,
		`SELECT * FROM c WHERE c.type = 'post'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.PostsPerPage, client.Parameters{}))
	return domain.Cut(Summaries(rows), page, domain.PostsPerPage), client.Translate(err)
}

// TaggedItem is what stands of a post in the partition of a tag: the post's copy, or a
// tombstone where it does not belong.
func TagCopyOf(key string, s domain.Summary) PostCopy {
	item := tombstoneOf(s)
	if s.Listed() && slices.Contains(s.Tags.Keys(), key) {
		item = PostCopyOf(s)
	}
	item.Tag = key
	return item
}

// ApplySummary brings the copy of a post in a tag's partition up to date. If the post is
// not listed, or no longer has the tag, that becomes a tombstone, even where there was
// none; from a newer version of the post it may return. A copy made from a newer version
// is left alone.
func (t *Tags) ApplySummary(ctx context.Context, key string, s domain.Summary) error {
	ctx = client.Operation(ctx, "copy-to-tags")
	item := TagCopyOf(key, s)
	ops := updatePatch(item)
	if item.DeletionDate != nil {
		ops.AppendSet("/type", item.Type)
	}
	create := s.Version == 1 // most likely new
	for attempt := 1; ; attempt++ {
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
			err = t.revive(ctx, item)
		}
		if !client.LostRace(err) || attempt == client.RewriteAttempts {
			return client.Translate(err)
		}
	}
}

// revive puts a copy in the place of an older tombstone.
func (t *Tags) revive(ctx context.Context, item PostCopy) error {
	found, err := client.Read[PostCopy](ctx, t.c, item.Tag, item.ID)
	if err != nil || found.Version >= item.Version {
		return err
	}
	return t.c.Replace(ctx, item.Tag, item.ID, found.ETag, item)
}

// RewriteSummary is Users.RewriteSummary for the copy in a tag's partition.
func (t *Tags) RewriteSummary(ctx context.Context, key, postID string,
	source func(context.Context) (domain.Summary, error)) error {
	return client.Translate(rewrite(client.Operation(ctx, "copy-to-tags"), t.c, key, postID, source,
		func(s domain.Summary) PostCopy { return TagCopyOf(key, s) }))
}
