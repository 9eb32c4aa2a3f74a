package copies

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

// Operations that several methods carry out.
var (
	copyingToUsers  = client.WritesOnly("copy-to-users", dependency.FacetTexts|dependency.FacetCounts)
	copyingToTags   = client.Writes("copy-to-tags")
	copyingBookmark = client.WritesOnly("copy-bookmark", dependency.FacetReactions)
	renamingSeries  = client.Writes("renamed-series")
)

// UserCopies stores the copies of posts in the container users. Each post has a copy in its author's partition, and
// each bookmarked post one in the reader's partition.
type UserCopies struct{ c *client.Container }

// NewUserCopies returns the copies in the container users of a database.
func NewUserCopies(db *client.Database) *UserCopies {
	return &UserCopies{c: db.Container(schema.UsersContainer)}
}

// updatePatch makes an older copy equal to item. It leaves the slug, which never changes, and the type, which is
// the partition key in feed. Its condition fails for a copy that is as new or newer, and for a tombstone if item
// is a live copy. It uses nine of the ten operations that a patch can have.
func updatePatch(item PostCopy) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.SetCondition(olderThan(item))
	ops.AppendSet("/userUsername", item.UserUsername)
	ops.AppendSet("/userDisplayName", item.UserDisplayName)
	ops.AppendSet("/title", item.Title)
	ops.AppendSet("/content", item.Content)
	ops.AppendSet("/version", item.Version)
	if item.DeletionDate != nil {
		ops.AppendSet("/slug", item.Slug)
		ops.AppendSet("/tags", item.Tags)
		ops.AppendSet("/deletionDate", *item.DeletionDate)
		ops.AppendSet("/ttl", item.TTL)
		return ops
	}
	ops.AppendSet("/commentCount", item.CommentCount)
	ops.AppendSet("/likeCount", item.LikeCount)
	ops.AppendSet("/tags", item.Tags)
	ops.AppendSet("/details", item.Details)
	return ops
}

// ApplySummary updates the author's copy of a post. It leaves a copy that was made from a newer version, so a copy
// never goes back to an older state. The copy of a deleted post becomes a tombstone, even if there was no copy.
func (u *UserCopies) ApplySummary(ctx context.Context, s domain.Summary) error {
	ctx = copyingToUsers.In(ctx)
	item := PostCopyOf(s)
	patch := func() error { return u.update(ctx, item) }
	create := func() error { return u.c.Create(ctx, s.AuthorID, item) }

	// A patch fails if the copy does not exist yet. A create fails if another writer has just created the copy.
	attempts := []func() error{patch, create, patch}
	if s.Version == 1 { // most likely new
		attempts = attempts[1:]
	}
	var err error
	for _, attempt := range attempts {
		err = attempt()
		if status := client.StatusOf(err); status != http.StatusNotFound && status != http.StatusConflict {
			break
		}
	}
	if client.ConditionFailed(err) {
		return nil
	}
	return client.Translate(err)
}

// update replaces an older copy in its author's partition. If the type stays, which is usual, it patches the copy.
// A patch has no operation left for the type and the date in the trash, so a change of type, and each change of a post
// in the trash, replaces the whole item.
func (u *UserCopies) update(ctx context.Context, item PostCopy) error {
	ops := updatePatch(item)
	if item.DeletionDate != nil {
		ops.AppendSet("/type", item.Type)
		return u.c.Patch(ctx, item.UserID, item.ID, ops)
	}
	ops.SetCondition(fmt.Sprintf("%s and c.type = '%s'", olderThan(item), item.Type))
	return client.Rewrite(ctx, func() error {
		if item.TrashedDate == nil {
			if err := u.c.Patch(ctx, item.UserID, item.ID, ops); !client.ConditionFailed(err) {
				return err
			}
		}
		found, err := client.Read[PostCopy](ctx, u.c, item.UserID, item.ID)
		if err != nil || found.Version >= item.Version || found.DeletionDate != nil {
			return err
		}
		err = u.c.Replace(ctx, item.UserID, item.ID, found.ETag, item)
		return client.Lost(err)
	})
}

// olderThan is the condition of updatePatch.
func olderThan(item PostCopy) string {
	condition := fmt.Sprintf("from c where c.version < %d", item.Version)
	if item.DeletionDate == nil {
		condition += " and not is_defined(c.deletionDate)"
	}
	return condition
}

// RewriteSummary makes the author's copy of a post equal to its source, whatever version the copy claims. It
// repairs copies that applying a newer version would not change, and copies that cannot be decoded. It reads the
// source after the copy, so a copy with a higher version than the source is corrupt. A correct copy costs the two
// reads.
func (u *UserCopies) RewriteSummary(ctx context.Context, authorID, postID string,
	source func(context.Context) (domain.Summary, error)) error {
	return client.Translate(rewrite(copyingToUsers.In(ctx), u.c, authorID, postID, source, PostCopyOf))
}

// rewrite is RewriteSummary for a copy in any container. project derives the copy from the source.
func rewrite(ctx context.Context, c *client.Container, partition, postID string,
	source func(context.Context) (domain.Summary, error), project func(domain.Summary) PostCopy) error {
	return client.Rewrite(ctx, func() error {
		found, err := client.Read[PostCopy](ctx, c, partition, postID)
		missing, unreadable := client.StatusOf(err) == http.StatusNotFound, client.Undecodable(err)
		if unreadable { // a malformed copy still has an ETag
			var stored storedCopy
			stored, err = client.Read[storedCopy](ctx, c, partition, postID)
			found = PostCopy{ETag: stored.ETag}
			missing = client.StatusOf(err) == http.StatusNotFound
		}
		if err != nil && !missing {
			return err
		}
		s, err := client.UpToDate(ctx, found.Version, source, func(s domain.Summary) int { return s.Version })
		if err != nil {
			return err
		}
		want := project(s)
		switch {
		case missing && want.DeletionDate != nil:
			return nil
		case missing:
			err = c.Create(ctx, partition, want)
		case !unreadable && found.equal(want):
			return nil
		default:
			err = c.Replace(ctx, partition, postID, found.ETag, want)
		}
		return client.Lost(err)
	})
}

// Post reads the copy of a listed post with one point read. It returns NotFound for a post that is not listed.
func (u *UserCopies) Post(ctx context.Context, userID, postID string) (domain.Summary, error) {
	item, err := client.Read[PostCopy](client.Reads("featured").In(ctx), u.c, userID, postID)
	if err != nil {
		return domain.Summary{}, client.Translate(err)
	}
	if item.Type != schema.TypePost {
		return domain.Summary{}, domain.NewError(domain.NotFound, "There is no such post.")
	}
	return item.Domain(), nil
}

// PostsAfter returns at most limit of a user's listed posts that follow a place, the newest first. It is one query in
// the user's partition.
func (u *UserCopies) PostsAfter(ctx context.Context, userID string, after domain.Place, limit int) (
	[]domain.Summary, error) {
	return postsAfter(client.Reads("timeline-author").In(ctx), u.c, userID, after, limit)
}

// postsAfter lists the copies of listed posts in a partition that follow a place.
func postsAfter(ctx context.Context, c *client.Container, partition string, after domain.Place, limit int) (
	[]domain.Summary, error) {
	where, params := "", client.Parameters{"limit": limit}
	if at, id, ok := after.Split(); ok {
		where = " AND (c.creationDate < @date OR c.creationDate = @date AND c.id < @id)"
		params["date"], params["id"] = schema.Instant(at), id
	}
	rows, err := client.Query[PostCopy](ctx, c, partition, `SELECT * FROM c WHERE c.type = 'post'`+where+
		` ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET 0 LIMIT @limit`, params)
	return Summaries(rows), client.Translate(err)
}

// PostsOf is request Q3. It returns one page of a user's listed posts in short form, the newest first, from the
// user's own partition.
func (u *UserCopies) PostsOf(ctx context.Context, userID string, page int) (domain.ListPage[domain.Summary], error) {
	rows, err := client.Query[PostCopy](client.Reads("Q3").In(ctx), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'post'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.PostsPerPage, client.Parameters{"user": userID}))
	return domain.Cut(Summaries(rows), page, domain.PostsPerPage), client.Translate(err)
}

// EraseItems deletes the items of a type in a user's partition. Errors are not translated.
func EraseItems(ctx context.Context, c *client.Container, userID, itemType string) error {
	items, err := client.Query[struct{ ID string }](ctx, c, userID,
		`SELECT c.id FROM c WHERE c.userId = @user AND c.type = @type`,
		client.Parameters{"user": userID, "type": itemType})
	for _, item := range items {
		if err == nil {
			if err = c.Delete(ctx, userID, item.ID); client.Missing(err) {
				err = nil
			}
		}
	}
	return err
}
