package copies

import (
	"context"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Personal has the copies of posts in the container users: of each post in its author's partition, and
// of each bookmarked post in its reader's.
type Personal struct{ c *client.Container }

// NewPersonal returns the copies in the container users of a database.
func NewPersonal(db *client.Database) *Personal {
	return &Personal{c: db.Container(schema.UsersContainer)}
}

// updating is the patch that makes an older copy equal to item. It leaves the slug, which never changes, and
// the type, which is the partition key in feed. Its condition fails for a copy that is as new or newer, and
// for a tombstone if item is a live copy. A patch may have ten operations: these are nine.
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

// ApplySummary brings the author's copy of a post up to date. A copy made from
// a newer version of the post is left alone, so it never goes backwards; that of a
// deleted post becomes a tombstone, even where there was none.
func (u *Personal) ApplySummary(ctx context.Context, s domain.Summary) error {
	ctx = client.Operation(ctx, "copy-to-users")
	item := PostCopyOf(s)
	patch := func() error { return u.update(ctx, item) }
	create := func() error { return u.c.Create(ctx, s.AuthorID, item) }

	// Each can find that the other is needed: the copy is not there yet, or has
	// just been created by another writer.
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
	if client.StatusOf(err) == http.StatusPreconditionFailed {
		return nil
	}
	return client.Translate(err)
}

// update makes an earlier copy in its author's partition that one. Where its type stays, as
// it mostly does, that is a patch; a further operation, for the type, it could not have.
func (u *Personal) update(ctx context.Context, item PostCopy) error {
	ops := updatePatch(item)
	if item.DeletionDate != nil {
		ops.AppendSet("/type", item.Type)
		return u.c.Patch(ctx, item.UserID, item.ID, ops)
	}
	ops.SetCondition(fmt.Sprintf("%s and c.type = '%s'", olderThan(item), item.Type))
	for attempt := 1; ; attempt++ {
		err := u.c.Patch(ctx, item.UserID, item.ID, ops)
		if client.StatusOf(err) != http.StatusPreconditionFailed {
			return err
		}
		found, err := client.Read[PostCopy](ctx, u.c, item.UserID, item.ID)
		if err != nil || found.Version >= item.Version || found.DeletionDate != nil {
			return err
		}
		err = u.c.Replace(ctx, item.UserID, item.ID, found.ETag, item)
		if !client.LostRace(err) || attempt == client.RewriteAttempts {
			return err
		}
	}
}

// olderThan is the condition of updating.
func olderThan(item PostCopy) string {
	condition := fmt.Sprintf("from c where c.version < %d", item.Version)
	if item.DeletionDate == nil {
		condition += " and not is_defined(c.deletionDate)"
	}
	return condition
}

// RewriteSummary makes the author's copy of a post what its source gives, whatever
// version the copy claims: that is how a copy is repaired that projecting a newer
// version would not touch, also when nobody can read it. The source is read after the copy, so a copy that is ahead
// of it is one that no version of the post has given. A copy that is right costs the
// two reads.
func (u *Personal) RewriteSummary(ctx context.Context, authorID, postID string,
	source func(context.Context) (domain.Summary, error)) error {
	ctx = client.Operation(ctx, "copy-to-users")
	return client.Translate(rewrite(ctx, u.c, authorID, postID, source, PostCopyOf))
}

// rewrite is RewriteSummary of a copy in any container; project says what is to be there.
func rewrite(ctx context.Context, c *client.Container, partition, postID string,
	source func(context.Context) (domain.Summary, error), project func(domain.Summary) PostCopy) error {
	for attempt := 1; ; attempt++ {
		found, err := client.Read[PostCopy](ctx, c, partition, postID)
		missing, unreadable := client.StatusOf(err) == http.StatusNotFound, client.Misshapen(err)
		if unreadable { // of another shape, it has an etag all the same
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
		if !client.LostRace(err) || attempt == client.RewriteAttempts {
			return err
		}
	}
}

// PostsOf is Q3: one page of a user's posts in short form, newest first, from
// the user's own partition.
func (u *Personal) PostsOf(ctx context.Context, userID string, page int) (domain.Page[domain.Summary], error) {
	rows, err := client.Query[PostCopy](client.Operation(ctx, "Q3"), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'post'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.PostsPerPage, client.Parameters{"user": userID}))
	return domain.Cut(Summaries(rows), page, domain.PostsPerPage), client.Translate(err)
}
