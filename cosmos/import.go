package cosmos

import (
	"context"
	"net/http"

	"inkfeed/domain"
)

// Import writes a post with the comments and likes it came with, in as few
// transactions as there can be. Each transaction counts what it adds, so the
// counts are right whenever it stops. Importing the same again adds nothing,
// and finishes what an import that was cut off began, provided that comments
// and likes come in the same order.
func (p *Posts) Import(ctx context.Context, post domain.Post, comments []domain.Comment, likes []domain.Like) error {
	ctx = operation(ctx, "import")
	for first := true; first || len(comments)+len(likes) > 0; first = false {
		room := maxBatch - 1
		c, l := min(room, len(comments)), 0
		l = min(room-c, len(likes))

		batch := p.c.batch(post.ID)
		for _, comment := range comments[:c] {
			batch.CreateItem(encode(commentItemOf(comment)), nil)
		}
		for _, like := range likes[:l] {
			batch.CreateItem(encode(likeItemOf(like)), nil)
		}
		if first {
			item := postItemOf(post)
			item.CommentCount, item.LikeCount = c, l
			batch.CreateItem(encode(item), nil)
		} else {
			ops := counting("/commentCount", int64(c))
			ops.AppendIncrement("/likeCount", int64(l))
			batch.PatchItem(post.ID, ops, nil)
		}
		// A conflict on any item: this very transaction is there already.
		if _, err := p.c.execute(ctx, batch, false); err != nil && statusOf(err) != http.StatusConflict {
			return translate(err)
		}
		comments, likes = comments[c:], likes[l:]
	}
	return nil
}
