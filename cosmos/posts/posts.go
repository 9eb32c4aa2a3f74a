package posts

import (
	"context"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Posts is the container of posts, partitioned by /postId. A post's partition
// holds the post, its comments and its likes, so a count and what it counts
// change in one transaction.
type Posts struct{ c *client.Container }

// NewPosts returns the posts of a database.
func NewPosts(db *client.Database) *Posts {
	return &Posts{c: db.Container(schema.PostsContainer)}
}

// Create is the creating half of C2: one write. It answers Conflict when the post is
// there already and says something else, or was there and has been deleted.
func (p *Posts) Create(ctx context.Context, post domain.Post) error {
	ctx = client.Operation(ctx, "C2")
	err := p.c.Create(ctx, post.ID, PostItemOf(post))
	if client.StatusOf(err) != http.StatusConflict {
		return client.Translate(err)
	}
	current, err := p.Latest(ctx, post.ID)
	switch {
	case err != nil:
		return err
	case !current.Deleted.IsZero():
		return domain.Errorf(domain.Conflict, "This post was deleted.")
	case current.AuthorID != post.AuthorID:
		return domain.Errorf(domain.Forbidden, "You can only edit your own posts.")
	case current.Created.Equal(post.Created),
		current.Title == post.Title && current.Content == post.Content && current.Tags == post.Tags &&
			current.Details == post.Details:
		return nil // this call's own earlier attempt, or one by the same form
	}
	return domain.Errorf(domain.Conflict, "The post was published with another text in the meantime.")
}

// Edit is the editing half of C2. One transaction changes the author's own fields, so
// counters that change meanwhile are safe and likes are no conflict, and keeps the
// version that it replaces. What changes only who finds the post dates no edit and keeps
// no version, but counts as a revision too. An edit that is to be held is so from this
// transaction on, unless the post is held already. It answers Conflict when the post has moved past e.Revision
// and Forbidden when authorID did not write it.
func (p *Posts) Edit(ctx context.Context, e domain.Edit, authorID string) (domain.Post, error) {
	ctx = client.Operation(ctx, "C2")
	if !domain.IsID(e.PostID) || !domain.IsUserID(authorID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	current, err := p.own(ctx, e.PostID, authorID)
	if err != nil {
		return domain.Post{}, err
	}
	if current.Revision != e.Revision {
		return edited(current, e)
	}
	var ops azcosmos.PatchOperations // ten are possible, which these are
	// Both values are of our own making, and hold no quotes.
	ops.SetCondition(fmt.Sprintf("%s and c.revision = %d and c.userId = '%s'", schema.IfLive, e.Revision, authorID))
	setStatus(&ops, e.Status)
	ops.AppendIncrement("/revision", 1)
	ops.AppendIncrement("/version", 1)
	batch := p.c.Batch(e.PostID)
	patched := 0 // which operation is the patch of the edit itself
	if e.Held != domain.NotHeld && current.Held == domain.NotHeld {
		batch.PatchItem(e.PostID, holdPatch(e.Held, "not is_defined(c.held)"), nil)
		patched = 1
	}
	if e.Rewrites(current) {
		former := domain.JoinTags(current.FormerTags, current.Tags).Without(e.Tags)
		ops.AppendSet("/title", e.Title)
		ops.AppendSet("/content", e.Content)
		ops.AppendSet("/tags", schema.TagNames(e.Tags.List()))
		ops.AppendSet("/formerTags", schema.TagNames(former.List()))
		ops.AppendSet("/editDate", schema.Instant(e.At))
		if e.Details != current.Details {
			ops.AppendSet("/details", e.Details)
		}
		batch.PatchItem(e.PostID, ops, nil)
		batch.UpsertItem(client.Encode(VersionItemOf(current.Replaced())), nil)
	} else {
		batch.PatchItem(e.PostID, ops, nil)
	}
	results, err := p.c.Execute(ctx, batch, true)
	switch {
	case client.FailedAt(err, 0, http.StatusPreconditionFailed),
		client.FailedAt(err, patched, http.StatusPreconditionFailed):
		if current, err = p.own(ctx, e.PostID, authorID); err != nil {
			return domain.Post{}, err
		}
		if patched > 0 && current.Revision == e.Revision { // held meanwhile, by somebody else
			return p.Edit(ctx, e, authorID)
		}
		return edited(current, e)
	case err != nil:
		return domain.Post{}, client.Translate(err)
	}
	return postOf(results[patched])
}

// edited tells this call's own earlier attempt, or one as good, from an edit that came
// between. An attempt that changed no text has left no date.
func edited(current domain.Post, e domain.Edit) (domain.Post, error) {
	if current.Revision == e.Revision+1 && !e.Rewrites(current) &&
		(current.Edited.Equal(e.At) || current.Status == e.Status) {
		return current, nil
	}
	return domain.Post{}, domain.Errorf(domain.Conflict, "The post was changed in another tab or on another device.")
}

// Get is Q2: one point read. A deleted post is not found, nor is one that its author
// took back, see Own, or that is hidden, see Latest.
func (p *Posts) Get(ctx context.Context, postID string) (domain.Post, error) {
	post, err := p.Latest(ctx, postID)
	if err == nil && !post.Open() {
		return domain.Post{}, schema.ErrNoPost()
	}
	return post, err
}

// live is Get that also gives an unpublished post: what somebody left there can still
// be taken away.
func (p *Posts) live(ctx context.Context, postID string) (domain.Post, error) {
	post, err := p.Latest(ctx, postID)
	if err == nil && !post.Deleted.IsZero() {
		return domain.Post{}, schema.ErrNoPost()
	}
	return post, err
}

// Latest is Get that also gives a post that is unpublished or hidden, and what is left of a
// deleted one.
func (p *Posts) Latest(ctx context.Context, postID string) (domain.Post, error) {
	ctx = client.Operation(ctx, "Q2")
	if !domain.IsID(postID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	post, err := p.Source(ctx, postID)
	return post, client.Translate(err)
}

// Source reads a post in whatever state, as the source of its copies. Its error is the SDK's.
func (p *Posts) Source(ctx context.Context, postID string) (domain.Post, error) {
	item, err := client.Read[PostItem](ctx, p.c, postID, postID)
	return item.domain(), err
}

// change commits a batch whose second operation changes the post. Status done of
// the first says that there is nothing to change.
func (p *Posts) change(ctx context.Context, postID string, batch azcosmos.TransactionalBatch,
	done int) (domain.Post, error) {
	results, err := p.c.Execute(ctx, batch, true)
	switch {
	case client.FailedAt(err, 0, done):
		return p.live(ctx, postID)
	case client.FailedAt(err, 1, http.StatusPreconditionFailed):
		return domain.Post{}, schema.ErrNoPost()
	case err != nil:
		return domain.Post{}, client.Translate(err)
	}
	return postOf(results[1])
}

// counting is the patch that goes with an item that is added to a post that others
// find, or taken from a live one: an account that is deleted takes its comments also
// from a post that was unpublished meanwhile.
func countPatch(path string, by int64) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfOpen)
	if by < 0 {
		ops.SetCondition(schema.IfLive)
	}
	ops.AppendIncrement(path, by)
	ops.AppendIncrement("/version", 1)
	return ops
}

func postOf(result azcosmos.TransactionalBatchResult) (domain.Post, error) {
	var item PostItem
	err := client.Decode(result.ResourceBody, &item)
	return item.domain(), client.Translate(err)
}
