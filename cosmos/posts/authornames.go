package posts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// AuthoredItem holds the properties of an item in posts that a rename or a deletion of its author needs.
type AuthoredItem struct {
	ID         string `json:"id"`
	PostID     string `json:"postId"`
	Type       string `json:"type"`
	ParentID   string `json:"parentId"`
	ReplyCount int    `json:"replyCount"`
	Tags       int    `json:"tags"` // of a post
	Version    int64  `json:"version"`
	Deleted    bool   `json:"deleted"`
	Held       bool   `json:"held"`
	Suspended  bool   `json:"suspended"`
	ETag       string `json:"_etag"`
}

const authoredProperties = `c.id, c.postId, c.type, c.parentId, c.replyCount, ARRAY_LENGTH(c.tags) AS tags, c.version,
	IS_DEFINED(c.deletionDate) AS deleted, IS_DEFINED(c.held) AS held,
	IS_DEFINED(c.authorSuspended) AS suspended, c._etag`

// counts reports whether the post counts this comment.
func (a AuthoredItem) counts() bool { return !a.Deleted && !a.Held && !a.Suspended }

// stepLimit is the maximum number of items in one step of work that is not paced. A limited step lets the other changes
// in the feed range have their turn.
const stepLimit = 1000

// AuthoredBy finds items of posts over all partitions and groups them by post. A post comes before its comments
// and likes. more reports that there are more items than the limit.
func (p *Posts) AuthoredBy(ctx context.Context, limit int, filter string, params client.Parameters) (
	byPost map[string][]AuthoredItem, more bool, err error) {
	byPost = make(map[string][]AuthoredItem)
	found := 0
	err = client.Scan(ctx, p.c, `SELECT `+authoredProperties+` FROM c WHERE `+filter, params,
		func(item AuthoredItem) error {
			if found == limit {
				return client.ErrStopScan
			}
			found++
			byPost[item.PostID] = append(byPost[item.PostID], item)
			return nil
		})
	for _, items := range byPost {
		slices.SortStableFunc(items, func(a, b AuthoredItem) int { return cmp.Compare(a.rank(), b.rank()) })
	}
	if errors.Is(err, client.ErrStopScan) {
		return byPost, true, nil
	}
	return byPost, false, err
}

func (a AuthoredItem) isPost() bool { return a.ID == a.PostID }

func (a AuthoredItem) rank() int {
	if a.isPost() {
		return 0
	}
	return 1
}

// PropagateName writes a user's current names and avatar to the user's posts, comments and likes that have others, at
// most to as many as the limit. It runs a query over all partitions, and then a transaction for each post. It can be
// repeated after a failure at any point, since the query no longer finds items that were changed.
func (p *Posts) PropagateName(ctx context.Context, userID string, as domain.Author, limit int) (
	done domain.Step, err error) {
	ctx = client.PropagatingName.In(ctx)
	byPost, more, err := p.AuthoredBy(ctx, limit,
		`c.userId = @user AND IS_DEFINED(c.userUsername) AND NOT IS_DEFINED(c.deletionDate)
		 AND (c.userUsername != @name OR `+differs("userDisplayName", as.DisplayName, "@display")+`
		 OR `+differs("userAvatar", as.Avatar, "@avatar")+`)`,
		client.Parameters{"user": userID, "name": as.Name, "display": as.DisplayName, "avatar": as.Avatar})
	if err != nil {
		return done, client.Translate(err)
	}
	for postID, items := range byPost {
		for part := range slices.Chunk(items, client.MaxBatch) {
			changed, err := p.nameAuthors(ctx, postID, part, as)
			if err != nil {
				return done, client.Translate(err)
			}
			done.Items += changed
		}
		if items[0].isPost() {
			done.Posts, done.Tags = done.Posts+1, done.Tags+items[0].Tags
		}
	}
	done.More = more
	return done, nil
}

// differs is a condition for items with another value of a property than that of the parameter. Most authors have
// neither display name nor avatar, and their items have no property to compare.
func differs(property, value, parameter string) string {
	if value == "" {
		return fmt.Sprintf(`(IS_DEFINED(c.%s) AND c.%[1]s != %s)`, property, parameter)
	}
	return fmt.Sprintf(`(NOT IS_DEFINED(c.%s) OR c.%[1]s != %s)`, property, parameter)
}

// SetAuthorName corrects the author's names and avatar on one item: the post itself, or a comment or like of it. It
// ignores a missing item.
func (p *Posts) SetAuthorName(ctx context.Context, postID, itemID string, as domain.Author) error {
	_, err := p.nameAuthors(client.PropagatingName.In(ctx), postID, []AuthoredItem{{ID: itemID, PostID: postID}}, as)
	return client.Translate(err)
}

func (p *Posts) nameAuthors(ctx context.Context, postID string, items []AuthoredItem, as domain.Author) (int, error) {
	batch := p.c.Batch(postID)
	for _, item := range items {
		batch.PatchItem(item.ID, authorNamePatch(item, as), nil)
	}
	_, err := p.c.Execute(ctx, batch, false)
	switch status := client.StatusOf(err); {
	case err == nil:
		return len(items), nil
	case status != http.StatusNotFound && status != http.StatusPreconditionFailed:
		return 0, err
	case len(items) == 1:
		return 0, nil // the item was deleted meanwhile
	}
	// Some items were deleted. Update the others one by one.
	changed := 0
	for _, item := range items {
		n, err := p.nameAuthors(ctx, postID, []AuthoredItem{item}, as)
		if changed += n; err != nil {
			return changed, err
		}
	}
	return changed, nil
}

func authorNamePatch(item AuthoredItem, as domain.Author) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive) // a comment may have become a placeholder, which has no author
	ops.AppendSet("/userUsername", as.Name)
	ops.AppendSet("/userDisplayName", as.DisplayName)
	ops.AppendSet("/userAvatar", as.Avatar)
	if item.ID == item.PostID { // the post itself, whose copies follow its version
		ops.AppendIncrement("/version", 1)
	}
	return ops
}
