package cosmos

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

type likeItem struct {
	ID              string  `json:"id"`
	Type            string  `json:"type"`
	PostID          string  `json:"postId"`
	UserID          string  `json:"userId"`
	UserUsername    string  `json:"userUsername"`
	UserDisplayName string  `json:"userDisplayName,omitempty"`
	CreationDate    instant `json:"creationDate"`
	// Of a suspended user's like only.
	AuthorSuspended bool `json:"authorSuspended,omitempty"`
}

func likeItemOf(l domain.Like) likeItem {
	return likeItem{ID: l.ID(), Type: typeLike, PostID: l.PostID, UserID: l.UserID,
		UserUsername: l.Username, UserDisplayName: l.DisplayName, CreationDate: instant(l.Created)}
}

func (i likeItem) domain() domain.Like {
	return domain.Like{PostID: i.PostID, UserID: i.UserID, Username: i.UserUsername, DisplayName: i.UserDisplayName,
		Created: time.Time(i.CreationDate), AuthorSuspended: i.AuthorSuspended}
}

// Likes is Q5: one page of who likes a post, newest first. Of those who are suspended
// nothing is in it, so it may have fewer than a page holds.
func (p *Posts) Likes(ctx context.Context, postID string, page int) (domain.Page[domain.Like], error) {
	rows, err := query[likeItem](operation(ctx, "Q5"), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'like'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		pageOf(page, domain.LikesPerPage, parameters{"post": postID}))
	likes := make([]domain.Like, len(rows))
	for i, row := range rows {
		likes[i] = row.domain()
	}
	found := domain.Cut(likes, page, domain.LikesPerPage)
	found.Items = slices.DeleteFunc(found.Items, ofSuspended)
	return found, translate(err)
}

// LatestLikes is Q5 for whoever wants to know just some of those who like a post, at
// most so many.
func (p *Posts) LatestLikes(ctx context.Context, postID string, most int) ([]domain.Like, error) {
	rows, err := query[likeItem](operation(ctx, "latest-likes"), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'like'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET 0 LIMIT @limit`,
		parameters{"post": postID, "limit": most})
	likes := make([]domain.Like, len(rows))
	for i, row := range rows {
		likes[i] = row.domain()
	}
	return slices.DeleteFunc(likes, ofSuspended), translate(err)
}

// ofSuspended tells which likes are in no list. They are too few to be worth a predicate,
// which each look at a list would pay for.
func ofSuspended(l domain.Like) bool { return l.AuthorSuspended }

// Like is C4: the like and the post's count in one transaction. The like's id
// is the user's, so a second one changes nothing. It returns the post as it has
// become.
func (p *Posts) Like(ctx context.Context, l domain.Like) (domain.Post, error) {
	batch := p.c.batch(l.PostID)
	batch.CreateItem(encode(likeItemOf(l)), nil)
	batch.PatchItem(l.PostID, counting("/likeCount", 1), nil)
	return p.changeLike(ctx, l.PostID, batch, http.StatusConflict)
}

// Unlike takes a like back, if there is one. It returns the post as it has
// become.
func (p *Posts) Unlike(ctx context.Context, postID, userID string) (domain.Post, error) {
	batch := p.c.batch(postID)
	batch.DeleteItem(domain.LikeID(userID), nil)
	batch.PatchItem(postID, counting("/likeCount", -1), nil)
	return p.changeLike(ctx, postID, batch, http.StatusNotFound)
}

// changeLike commits a batch whose first operation fails with status done when
// there is nothing to change.
func (p *Posts) changeLike(ctx context.Context, postID string, batch azcosmos.TransactionalBatch, done int) (domain.Post, error) {
	ctx = operation(ctx, "C4")
	if !domain.IsID(postID) {
		return domain.Post{}, errNoPost()
	}
	return p.change(ctx, postID, batch, done)
}

// Liked tells whether a user likes a post: a point read, for the like's id is
// known.
func (p *Posts) Liked(ctx context.Context, postID, userID string) (bool, error) {
	_, err := read[likeItem](operation(ctx, "liked"), p.c, postID, domain.LikeID(userID))
	if missing(err) {
		return false, nil
	}
	return err == nil, translate(err)
}
