package posts

import (
	"context"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Operations that several methods carry out or whose writes change only some facets.
var (
	writingPost           = client.Writes("C2")
	importing             = client.Writes("import")
	commenting            = client.WritesOnly("C3", dependency.FacetComments|dependency.FacetCounts)
	editingComment        = client.WritesOnly("edit-comment", dependency.FacetComments|dependency.FacetCounts)
	deletingComment       = client.WritesOnly("delete-comment", dependency.FacetComments|dependency.FacetCounts)
	listingComments       = client.Reads("Q4")
	liking                = client.WritesOnly("C4", dependency.FacetCounts|dependency.FacetReactions)
	bookmarking           = client.WritesOnly("bookmark", dependency.FacetReactions)
	followingBookmarks    = client.Writes("bookmarks-of-post")
	holding               = client.Writes("hold")
	propagatingSuspension = client.Writes("spread-suspension")
)

// Posts is the container of posts, partitioned by /postId. A post's partition holds the post, its comments and its
// likes. A count therefore changes in the same transaction as the items that it counts.
type Posts struct {
	c         *client.Container
	responses responseQueues
	places    placeQueues
}

// NewPosts returns the posts of a database.
func NewPosts(db *client.Database) *Posts {
	return &Posts{c: db.Container(schema.PostsContainer)}
}

// Create is the creating half of request C2, in one write. It returns Conflict if the post exists with other
// content, or if it is in the trash or was deleted.
func (p *Posts) Create(ctx context.Context, post domain.Post) error {
	_, err := p.CreateReturning(ctx, post)
	return err
}

// CreateAtNewAddress is CreateReturning for a post whose id is not derived from its author's. It also returns Conflict
// if a post with that id was deleted so long ago that its marker has expired.
func (p *Posts) CreateAtNewAddress(ctx context.Context, post domain.Post) (domain.Post, error) {
	used, err := p.Used(ctx, post.ID)
	switch {
	case err != nil:
		return domain.Post{}, err
	case used:
		return domain.Post{}, errPostDeleted()
	}
	return p.CreateReturning(ctx, post)
}

// Used reports whether a post with this id was deleted completely, also after its marker has expired.
func (p *Posts) Used(ctx context.Context, postID string) (bool, error) {
	_, err := client.Read[usedAddress](writingPost.In(ctx), p.c, postID, schema.UsedAddressID)
	if client.Missing(err) {
		return false, nil
	}
	return err == nil, client.Translate(err)
}

func errPostDeleted() error { return domain.NewError(domain.Conflict, "This post was deleted.") }

// CreateReturning is Create that returns the post as it is stored.
func (p *Posts) CreateReturning(ctx context.Context, post domain.Post) (domain.Post, error) {
	ctx = writingPost.In(ctx)
	item := PostItemOf(post)
	err := p.c.Create(ctx, post.ID, item)
	if client.StatusOf(err) != http.StatusConflict {
		return item.domain(), client.Translate(err)
	}
	current, err := p.Latest(ctx, post.ID)
	switch {
	case err != nil:
		return domain.Post{}, err
	case !current.Deleted.IsZero():
		return domain.Post{}, errPostDeleted()
	case current.AuthorID != post.AuthorID:
		return domain.Post{}, domain.NewError(domain.Forbidden, "You can only edit your own posts.")
	case current.InTrash() && !current.Created.Equal(post.Created):
		return domain.Post{}, domain.ErrInTrash()
	case current.Created.Equal(post.Created),
		current.Title == post.Title && current.Content == post.Content && current.Tags == post.Tags &&
			current.Details == post.Details:
		return current, nil // an earlier attempt of this call, or of the same form
	}
	return domain.Post{}, domain.NewError(domain.Conflict,
		"Another version of this post was published in another tab or on another device.")
}

// Edit is the editing half of request C2. One transaction changes the author's own fields and saves the version
// that it replaces. Concurrent changes of counts are safe, and likes cause no conflict. A change of the status
// alone saves no version and sets no edit date, but increments the revision. If e.Held is set, the same
// transaction holds the post, unless it is held already, or ends its review. A new text replaces the mentions.
//
// Edit returns Conflict if the post's revision is not e.Revision or if it is in the trash, and Forbidden if authorID is
// not the author.
func (p *Posts) Edit(ctx context.Context, e domain.Edit, authorID string) (domain.Post, error) {
	ctx = writingPost.In(ctx)
	if !domain.IsTextID(e.PostID) || !domain.IsOwnerID(authorID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	current, err := p.own(ctx, e.PostID, authorID)
	if err != nil {
		return domain.Post{}, err
	}
	if current.Revision != e.Revision || current.InTrash() {
		return checkEdited(current, e)
	}
	var ops azcosmos.PatchOperations // uses all ten operations that a patch can have
	// The program generates both values. They contain no quotes.
	unchanged := fmt.Sprintf("%s and c.revision = %d and c.userId = '%s'", schema.IfKept, e.Revision, authorID)
	ops.SetCondition(unchanged)
	setStatus(&ops, e.Status)
	ops.AppendIncrement("/revision", 1)
	ops.AppendIncrement("/version", 1)
	batch := p.c.Batch(e.PostID)
	patched := 0 // which operation is the patch of the edit itself
	switch after := current.Held.After(e.Held); {
	case after == current.Held:
	case after == domain.NotHeld:
		batch.PatchItem(e.PostID, reviewOverPatch(), nil)
		patched = 1
	default:
		batch.PatchItem(e.PostID, holdPatch(e.Held, "not is_defined(c.held)"), nil)
		patched = 1
	}
	held := patched > 0
	if e.Content != current.Content && e.Mentions != current.Mentions {
		var mentions azcosmos.PatchOperations
		mentions.SetCondition(unchanged)
		mentions.AppendSet("/mentions", e.Mentions)
		batch.PatchItem(e.PostID, mentions, nil)
		patched++ // its patch comes first, so that the result of the other has the mentions
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
		batch.UpsertItem(client.Encode(VersionItemOf(current.PastVersion())), nil)
	} else {
		batch.PatchItem(e.PostID, ops, nil)
	}
	results, err := p.c.Execute(ctx, batch, true)
	switch {
	case client.FailedBatch(err, http.StatusPreconditionFailed):
		if current, err = p.own(ctx, e.PostID, authorID); err != nil {
			return domain.Post{}, err
		}
		if held && current.Revision == e.Revision { // a moderator held the post meanwhile
			return p.Edit(ctx, e, authorID)
		}
		return checkEdited(current, e)
	case err != nil:
		return domain.Post{}, client.Translate(err)
	}
	return postOf(results[patched])
}

// checkEdited distinguishes an earlier attempt of the same call, or an equivalent edit, from another edit in between.
// An attempt that changed no text has set no edit date.
func checkEdited(current domain.Post, e domain.Edit) (domain.Post, error) {
	if current.Revision == e.Revision+1 && !e.Rewrites(current) &&
		(current.Edited.Equal(e.At) || current.Status == e.Status) {
		return current, nil
	}
	if current.InTrash() {
		return domain.Post{}, domain.ErrInTrash()
	}
	return domain.Post{}, domain.NewError(domain.Conflict, "The post was changed in another tab or on another device.")
}

// Get is request Q2, one point read. It returns NotFound for a post that is deleted, in the trash, unpublished or
// hidden: see Own and Latest. It also returns NotFound for a static page.
func (p *Posts) Get(ctx context.Context, postID string) (domain.Post, error) {
	if !domain.IsID(postID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	post, err := p.Latest(ctx, postID)
	if err == nil && !post.Open() {
		return domain.Post{}, schema.ErrNoPost()
	}
	return post, err
}

// Author is Get that returns only the id and username of the post's author.
func (p *Posts) Author(ctx context.Context, postID string) (domain.User, error) {
	post, err := p.Get(ctx, postID)
	return domain.User{ID: post.AuthorID, Username: post.AuthorName}, err
}

// live is Get that also returns a post that is unpublished, hidden or in the trash, for example so that users can
// remove their comments.
func (p *Posts) live(ctx context.Context, postID string) (domain.Post, error) {
	post, err := p.Latest(ctx, postID)
	if err == nil && !post.Deleted.IsZero() {
		return domain.Post{}, schema.ErrNoPost()
	}
	return post, err
}

// Latest is Get that also returns a post that is unpublished, hidden or in the trash, a static page, and the marker of
// a deleted one.
func (p *Posts) Latest(ctx context.Context, postID string) (domain.Post, error) {
	if !domain.IsTextID(postID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	post, err := p.Source(client.Reads("Q2").In(ctx), postID)
	return post, client.Translate(err)
}

// Source reads a post in any state, as the source of its copies. It returns errors of the SDK, not of the domain.
func (p *Posts) Source(ctx context.Context, postID string) (domain.Post, error) {
	item, err := client.Read[PostItem](ctx, p.c, postID, postID)
	return item.domain(), err
}

// countPatch changes a count of a post that satisfies a condition, in the transaction that adds or removes items. The
// version rises by one for each of them (see dependency.Counts).
func countPatch(condition, path string, by int64, items int) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.SetCondition(condition)
	ops.AppendIncrement(path, by)
	ops.AppendIncrement("/version", int64(items))
	return ops
}

func postOf(result azcosmos.TransactionalBatchResult) (domain.Post, error) {
	var item PostItem
	err := client.Decode(result.ResourceBody, &item)
	return item.domain(), client.Translate(err)
}
