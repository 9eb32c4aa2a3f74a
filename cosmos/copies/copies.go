package copies

import (
	"context"
	"fmt"
	"net/http"
	"time"

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

// SummaryItem is a post's short form, the same in users, feed and tags. The copy of a
// deleted post is a tombstone for domain.TombstoneTime; in feed and tags that of a post
// which no longer stands there is one, too.
type SummaryItem struct {
	ID              string          `json:"id"`
	Type            string          `json:"type"`
	Tag             string          `json:"tag,omitempty"` // in tags: the partition
	PostID          string          `json:"postId"`
	UserID          string          `json:"userId"`
	UserUsername    string          `json:"userUsername"`
	UserDisplayName string          `json:"userDisplayName,omitempty"`
	Title           string          `json:"title"`
	Slug            string          `json:"slug,omitempty"`
	Content         string          `json:"content"`
	Tags            schema.TagNames `json:"tags"`
	CommentCount    int             `json:"commentCount"`
	LikeCount       int             `json:"likeCount"`
	CreationDate    schema.Instant  `json:"creationDate"`
	Version         int             `json:"version"`
	Details         details         `json:"details,omitzero"`
	// FormerRevision and FormerEditDate are of copies written before there were details.
	FormerRevision int             `json:"revision,omitempty"`
	FormerEditDate *schema.Instant `json:"editDate,omitempty"`
	// Of a tombstone only.
	DeletionDate *schema.Instant `json:"deletionDate,omitempty"`
	TTL          int             `json:"ttl,omitempty"`
	Refill       bool            `json:"refill,omitempty"`    // in feed: see feedPlan
	Withdrawn    bool            `json:"withdrawn,omitempty"` // in feed: the post may come back
	ETag         string          `json:"_etag,omitempty"`
}

// details are the properties of a copy that lists show and no query asks for. One operation of a patch sets
// them all, so a further property costs no operation, of which a patch may have ten.
// Most posts are never edited, and their copies have no details.
type details struct {
	Edits    int             `json:"edits,omitempty"` // the revision is one more
	EditDate *schema.Instant `json:"editDate,omitempty"`
	domain.Details
}

// latestDetails returns the details of a copy. A process of an earlier release, which may run beside this one
// during an upgrade, writes the revision and the edit date as properties of the item and leaves the details
// as they were. They count if there are no details, or if their revision is higher.
func (i SummaryItem) latestDetails() details {
	latest := i.Details
	if i.FormerRevision > 0 && (latest == details{} || i.FormerRevision > latest.Edits+1) {
		latest.Edits, latest.EditDate = i.FormerRevision-1, i.FormerEditDate
	}
	return latest
}

// SummaryItemOf is the copy of a post, which in users has another type when it is a
// tombstone: so the list of a user's posts need not look for those.
func SummaryItemOf(s domain.Summary) SummaryItem {
	item := SummaryItem{ID: s.PostID, Type: schema.CopyType(s.Status), PostID: s.PostID, UserID: s.AuthorID,
		UserUsername: s.AuthorName, UserDisplayName: s.AuthorDisplayName, Title: s.Title, Slug: s.Slug, Content: s.Text, Tags: s.Tags.List(), CommentCount: s.CommentCount,
		LikeCount: s.LikeCount, CreationDate: schema.Instant(s.Created), Version: s.Version,
		Details: details{Edits: s.Revision - 1, EditDate: schema.Optional(s.Edited), Details: s.Details}}
	if !s.Deleted.IsZero() {
		item.Type, item.DeletionDate, item.TTL = schema.TypeDeletedPost, schema.Optional(s.Deleted), schema.TombstoneTTL
		item.UserUsername, item.UserDisplayName, item.Title, item.Slug, item.Content = "", "", "", "", ""
		item.CommentCount, item.LikeCount = 0, 0
		item.Tags, item.Details = nil, details{}
	}
	return item
}

// tombstoneOf is the copy of a post where it no longer stands, deleted or not.
func tombstoneOf(s domain.Summary) SummaryItem {
	if s.Deleted.IsZero() {
		s.Deleted = time.Now()
	}
	return SummaryItemOf(s)
}

func (i SummaryItem) Domain() domain.Summary {
	if i.DeletionDate != nil { // of what else it was, a tombstone may hold something or nothing
		return domain.Summary{PostID: i.PostID, AuthorID: i.UserID, Created: time.Time(i.CreationDate),
			Version: i.Version, Deleted: i.DeletionDate.Time()}
	}
	latest := i.latestDetails()
	return domain.Summary{PostID: i.PostID, AuthorID: i.UserID, AuthorName: i.UserUsername, AuthorDisplayName: i.UserDisplayName, Title: i.Title, Slug: i.Slug,
		Text: i.Content, Tags: i.Tags.Domain(), Status: schema.StatusOfCopy(i.Type), CommentCount: i.CommentCount,
		LikeCount: i.LikeCount, Created: time.Time(i.CreationDate), Edited: latest.EditDate.Time(),
		Revision: latest.Edits + 1, Details: latest.Details, Version: i.Version}
}

func Summaries(items []SummaryItem) []domain.Summary {
	list := make([]domain.Summary, len(items))
	for i, item := range items {
		list[i] = item.Domain()
	}
	return list
}

// updating is the patch that makes an older copy equal to item. It leaves the slug, which never changes, and
// the type, which is the partition key in feed. Its condition fails for a copy that is as new or newer, and
// for a tombstone if item is a live copy. A patch may have ten operations: these are nine.
func updating(item SummaryItem) azcosmos.PatchOperations {
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
	item := SummaryItemOf(s)
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
func (u *Personal) update(ctx context.Context, item SummaryItem) error {
	ops := updating(item)
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
		found, err := client.Read[SummaryItem](ctx, u.c, item.UserID, item.ID)
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
func olderThan(item SummaryItem) string {
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
func (u *Personal) RewriteSummary(ctx context.Context, authorID, postID string, source func(context.Context) (domain.Summary, error)) error {
	return client.Translate(rewrite(client.Operation(ctx, "copy-to-users"), u.c, authorID, postID, source, SummaryItemOf))
}

// rewrite is RewriteSummary of a copy in any container; project says what is to be there.
func rewrite(ctx context.Context, c *client.Container, partition, postID string,
	source func(context.Context) (domain.Summary, error), project func(domain.Summary) SummaryItem) error {
	for attempt := 1; ; attempt++ {
		found, err := client.Read[SummaryItem](ctx, c, partition, postID)
		missing, unreadable := client.StatusOf(err) == http.StatusNotFound, client.Undecodable(err)
		if unreadable { // of another shape, it has an etag all the same
			var stored storedCopy
			stored, err = client.Read[storedCopy](ctx, c, partition, postID)
			found = SummaryItem{ETag: stored.ETag}
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

// equal compares two copies without their times to live. A copy that still has properties of an earlier
// release equals none that has not, so that a rebuild writes it anew.
func (i SummaryItem) equal(other SummaryItem) bool {
	return i.ID == other.ID && i.Type == other.Type && i.Domain() == other.Domain() &&
		i.FormerRevision == other.FormerRevision && (i.FormerEditDate == nil) == (other.FormerEditDate == nil)
}

// CopyWithoutCounts is a text that is the same for copies that differ in their counts and versions only.
func CopyWithoutCounts(body []byte) ([]byte, error) {
	var copied SummaryItem
	if err := client.Decode(body, &copied); err != nil {
		return nil, err
	}
	copied.CommentCount, copied.LikeCount, copied.Version, copied.ETag = 0, 0, 0, ""
	return client.Encode(copied), nil
}

// PostsOf is Q3: one page of a user's posts in short form, newest first, from
// the user's own partition.
func (u *Personal) PostsOf(ctx context.Context, userID string, page int) (domain.Page[domain.Summary], error) {
	rows, err := client.Query[SummaryItem](client.Operation(ctx, "Q3"), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'post'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.PostsPerPage, client.Parameters{"user": userID}))
	return domain.Cut(Summaries(rows), page, domain.PostsPerPage), client.Translate(err)
}
