package cosmos

import (
	"context"
	"net/http"
	"slices"

	"inkfeed/domain"
)

// Tags is the container of the listed posts in short form by their tags, partitioned by
// /tag, which is domain.TagKey of what the author wrote: a post has a copy in the
// partition of each of its tags, and that of a tag serves its page whole.
type Tags struct{ c *container }

// newTags returns the copies by tag of a database.
func newTags(db *Database) *Tags {
	return &Tags{c: db.Container(tagsContainer)}
}

// PostsOf is one page of the posts that have the tag of that key, newest first.
func (t *Tags) PostsOf(ctx context.Context, key string, page int) (domain.Page[domain.Summary], error) {
	rows, err := query[summaryItem](operation(ctx, "tag"), t.c, key,
		`SELECT * FROM c WHERE c.type = 'post'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		pageOf(page, domain.PostsPerPage, parameters{}))
	return domain.Cut(summaries(rows), page, domain.PostsPerPage), translate(err)
}

// taggedItem is what stands of a post in the partition of a tag: the post's copy, or a
// tombstone where it does not belong.
func taggedItem(key string, s domain.Summary) summaryItem {
	item := tombstoneOf(s)
	if s.Listed() && slices.Contains(s.Tags.Keys(), key) {
		item = summaryItemOf(s)
	}
	item.Tag = key
	return item
}

// ApplySummary brings the copy of a post in a tag's partition up to date. If the post is
// not listed, or no longer has the tag, that becomes a tombstone, even where there was
// none; from a newer version of the post it may return. A copy made from a newer version
// is left alone.
func (t *Tags) ApplySummary(ctx context.Context, key string, s domain.Summary) error {
	ctx = operation(ctx, "copy-to-tags")
	item := taggedItem(key, s)
	ops := updating(item)
	if item.DeletionDate != nil {
		ops.AppendSet("/type", item.Type)
	}
	create := s.Version == 1 // most likely new
	for attempt := 1; ; attempt++ {
		var err error
		if create {
			err = t.c.create(ctx, key, item)
		} else {
			err = t.c.patch(ctx, key, item.ID, ops)
		}
		switch statusOf(err) {
		case http.StatusNotFound:
			create = true
		case http.StatusConflict:
			create = false
		case http.StatusPreconditionFailed: // as new, or newer, or a tombstone
			err = t.revive(ctx, item)
		}
		if !lostRace(err) || attempt == rewriteAttempts {
			return translate(err)
		}
	}
}

// revive puts a copy in the place of an older tombstone.
func (t *Tags) revive(ctx context.Context, item summaryItem) error {
	found, err := read[summaryItem](ctx, t.c, item.Tag, item.ID)
	if err != nil || found.Version >= item.Version {
		return err
	}
	return t.c.replace(ctx, item.Tag, item.ID, found.ETag, item)
}

// RewriteSummary is Users.RewriteSummary for the copy in a tag's partition.
func (t *Tags) RewriteSummary(ctx context.Context, key, postID string, source func(context.Context) (domain.Summary, error)) error {
	return translate(rewrite(operation(ctx, "copy-to-tags"), t.c, key, postID, source,
		func(s domain.Summary) summaryItem { return taggedItem(key, s) }))
}
