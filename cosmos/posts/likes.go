package posts

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

type LikeItem struct {
	ID              string         `json:"id"`
	Type            string         `json:"type"`
	PostID          string         `json:"postId"`
	UserID          string         `json:"userId"`
	UserUsername    string         `json:"userUsername"`
	UserDisplayName string         `json:"userDisplayName,omitempty"`
	CreationDate    schema.Instant `json:"creationDate"`
	// Of a suspended user's like only.
	AuthorSuspended bool `json:"authorSuspended,omitempty"`
}

func LikeItemOf(l domain.Like) LikeItem {
	return LikeItem{ID: l.ID(), Type: schema.TypeLike, PostID: l.PostID, UserID: l.UserID,
		UserUsername: l.Username, UserDisplayName: l.DisplayName, CreationDate: schema.Instant(l.Created)}
}

func (i LikeItem) Domain() domain.Like {
	return domain.Like{PostID: i.PostID, UserID: i.UserID, Username: i.UserUsername, DisplayName: i.UserDisplayName,
		Created: time.Time(i.CreationDate), AuthorSuspended: i.AuthorSuspended}
}

// Likes is Q5: one page of who likes a post, newest first. Of those who are suspended
// nothing is in it, so it may have fewer than a page holds.
func (p *Posts) Likes(ctx context.Context, postID string, page int) (domain.Page[domain.Like], error) {
	rows, err := client.Query[LikeItem](client.Operation(ctx, "Q5"), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'like'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.LikesPerPage, client.Parameters{"post": postID}))
	likes := make([]domain.Like, len(rows))
	for i, row := range rows {
		likes[i] = row.Domain()
	}
	found := domain.Cut(likes, page, domain.LikesPerPage)
	found.Items = slices.DeleteFunc(found.Items, ofSuspended)
	return found, client.Translate(err)
}

// LatestLikes is Q5 for whoever wants to know just some of those who like a post, at
// most so many.
func (p *Posts) LatestLikes(ctx context.Context, postID string, most int) ([]domain.Like, error) {
	rows, err := client.Query[LikeItem](client.Operation(ctx, "latest-likes"), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'like'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET 0 LIMIT @limit`,
		client.Parameters{"post": postID, "limit": most})
	likes := make([]domain.Like, len(rows))
	for i, row := range rows {
		likes[i] = row.Domain()
	}
	return slices.DeleteFunc(likes, ofSuspended), client.Translate(err)
}

// ofSuspended tells which likes are in no list. They are too few to be worth a predicate,
// which each look at a list would pay for.
func ofSuspended(l domain.Like) bool { return l.AuthorSuspended }

// Like is C4: the like and the post's count in one transaction. The like's id
// is the user's, so a second one changes nothing. It returns the post as it has
// become.
func (p *Posts) Like(ctx context.Context, l domain.Like) (domain.Post, error) {
	batch := p.c.Batch(l.PostID)
	batch.CreateItem(client.Encode(LikeItemOf(l)), nil)
	batch.PatchItem(l.PostID, countPatch("/likeCount", 1), nil)
	return p.changeLike(ctx, l.PostID, batch, http.StatusConflict)
}

// Unlike takes a like back, if there is one. It returns the post as it has
// become.
func (p *Posts) Unlike(ctx context.Context, postID, userID string) (domain.Post, error) {
	batch := p.c.Batch(postID)
	batch.DeleteItem(domain.LikeID(userID), nil)
	batch.PatchItem(postID, countPatch("/likeCount", -1), nil)
	return p.changeLike(ctx, postID, batch, http.StatusNotFound)
}

// changeLike commits a batch whose first operation fails with status done when
// there is nothing to change.
func (p *Posts) changeLike(ctx context.Context, postID string, batch azcosmos.TransactionalBatch,
	done int) (domain.Post, error) {
	ctx = client.Operation(ctx, "C4")
	if !domain.IsID(postID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	return p.change(ctx, postID, batch, done)
}

// Liked tells whether a user likes a post: a point read, for the like's id is
// known.
func (p *Posts) Liked(ctx context.Context, postID, userID string) (bool, error) {
	_, err := client.Read[LikeItem](client.Operation(ctx, "liked"), p.c, postID, domain.LikeID(userID))
	if client.Missing(err) {
		return false, nil
	}
	return err == nil, client.Translate(err)
}
