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

// LikeItem is a like as it is stored in the partition of its post.
type LikeItem struct {
	ID              string         `json:"id"`
	Type            string         `json:"type"`
	PostID          string         `json:"postId"`
	UserID          string         `json:"userId"`
	UserUsername    string         `json:"userUsername"`
	UserDisplayName string         `json:"userDisplayName,omitempty"`
	UserAvatar      string         `json:"userAvatar,omitempty"`
	CreationDate    schema.Instant `json:"creationDate"`
	// AuthorSuspended is set on likes by suspended users only.
	AuthorSuspended bool `json:"authorSuspended,omitempty"`
}

// LikeItemOf returns the stored form of a like.
func LikeItemOf(l domain.Like) LikeItem {
	return LikeItem{ID: l.ID(), Type: schema.TypeLike, PostID: l.PostID, UserID: l.UserID,
		UserUsername: l.Username, UserDisplayName: l.DisplayName, UserAvatar: l.Avatar,
		CreationDate: schema.Instant(l.Created)}
}

// Domain returns the like that the item stores.
func (i LikeItem) Domain() domain.Like {
	return domain.Like{PostID: i.PostID, UserID: i.UserID, Username: i.UserUsername, DisplayName: i.UserDisplayName,
		Avatar: i.UserAvatar, Created: time.Time(i.CreationDate), AuthorSuspended: i.AuthorSuspended}
}

// Likes is request Q5. It returns one page of a post's likes, the newest first. Likes by suspended users are left
// out, so a page may have fewer likes than usual.
func (p *Posts) Likes(ctx context.Context, postID string, page int) (domain.ListPage[domain.Like], error) {
	rows, err := client.Query[LikeItem](client.Reads("Q5").In(ctx), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'like'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.LikesPerPage, client.Parameters{"post": postID}))
	likes := client.Convert(rows, LikeItem.Domain)
	found := domain.Cut(likes, page, domain.LikesPerPage)
	found.Items = slices.DeleteFunc(found.Items, bySuspendedUser)
	return found, client.Translate(err)
}

// LatestLikes returns the newest likes of a post, at most most of them. Likes by suspended users are left out.
func (p *Posts) LatestLikes(ctx context.Context, postID string, most int) ([]domain.Like, error) {
	return p.latestLikes(client.Reads("latest-likes").In(ctx), "", client.Parameters{"post": postID, "limit": most})
}

// LikesOfDay returns the newest likes of a post within the day that begins at from, as LatestLikes does.
func (p *Posts) LikesOfDay(ctx context.Context, postID string, from time.Time, most int) ([]domain.Like, error) {
	return p.latestLikes(client.Reads("likes-of-day").In(ctx), "AND c.creationDate >= @from AND c.creationDate < @to",
		client.Parameters{"post": postID, "limit": most, "from": schema.Instant(from),
			"to": schema.Instant(from.AddDate(0, 0, 1))})
}

func (p *Posts) latestLikes(ctx context.Context, filter string, params client.Parameters) ([]domain.Like, error) {
	rows, err := client.Query[LikeItem](ctx, p.c, params["post"].(string),
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'like' `+filter+`
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET 0 LIMIT @limit`, params)
	likes := client.Convert(rows, LikeItem.Domain)
	return slices.DeleteFunc(likes, bySuspendedUser), client.Translate(err)
}

// bySuspendedUser reports whether a suspended user gave the like. Lists filter such likes here. They are too few to be
// worth a predicate, whose cost each query would pay.
func bySuspendedUser(l domain.Like) bool { return l.AuthorSuspended }

// Like is request C4. One transaction adds the like and updates the post's count. The like's id follows from the
// user's, so a second like changes nothing. Like returns the changed post.
func (p *Posts) Like(ctx context.Context, l domain.Like) (domain.Post, error) {
	body := client.Encode(LikeItemOf(l))
	return p.changeLike(ctx, l.PostID, http.StatusConflict, response{by: 1, condition: schema.IfOpen,
		write: func(b *azcosmos.TransactionalBatch) { b.CreateItem(body, nil) }})
}

// Unlike removes a user's like, if there is one. It returns the changed post. It requires only a live post, since the
// deletion of an account also removes likes from unpublished posts.
func (p *Posts) Unlike(ctx context.Context, postID, userID string) (domain.Post, error) {
	return p.changeLike(ctx, postID, http.StatusNotFound, response{by: -1, condition: schema.IfLive,
		write: func(b *azcosmos.TransactionalBatch) { b.DeleteItem(domain.LikeID(userID), nil) }})
}

// changeLike stores a response whose item fails with status done if there is nothing to change.
func (p *Posts) changeLike(ctx context.Context, postID string, done int, r response) (domain.Post, error) {
	if !domain.IsID(postID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	r.count = "/likeCount"
	r.failed = func(ctx context.Context, err error) (domain.Post, error) {
		switch {
		case client.FailedAt(err, 0, done):
			return p.live(ctx, postID)
		case client.FailedAt(err, 1, http.StatusPreconditionFailed):
			return domain.Post{}, schema.ErrNoPost()
		}
		return domain.Post{}, client.Translate(err)
	}
	return p.respond(ctx, liking, postID, r)
}

// Liked reports whether a user likes a post, with one point read.
func (p *Posts) Liked(ctx context.Context, postID, userID string) (bool, error) {
	_, err := client.Read[LikeItem](client.Reads("liked").In(ctx), p.c, postID, domain.LikeID(userID))
	if client.Missing(err) {
		return false, nil
	}
	return err == nil, client.Translate(err)
}
