package posts

import (
	"context"
	"net/http"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Import writes a post with its comments and likes in as few transactions as possible. Each transaction counts the
// items that it adds, so the counts are right after an interruption. Repeating an import adds nothing, and
// completes an interrupted import if the comments and likes come in the same order.
func (p *Posts) Import(ctx context.Context, post domain.Post, comments []domain.Comment, likes []domain.Like) error {
	ctx = importing.In(ctx)
	left, bodies := len(comments), make([][]byte, 0, len(comments)+len(likes))
	for _, comment := range comments {
		bodies = append(bodies, client.Encode(CommentItemOf(comment)))
	}
	for _, like := range likes {
		bodies = append(bodies, client.Encode(LikeItemOf(like)))
	}
	item := PostItemOf(post)
	for first := true; first || len(bodies) > 0; first = false {
		room := client.MaxBatchBytes
		if first {
			room -= len(client.Encode(item))
		}
		some := bodies[:client.FittingBodies(bodies, client.MaxBatch-1, room)]
		c := min(left, len(some))
		l := len(some) - c

		batch := p.c.Batch(post.ID)
		for _, body := range some {
			batch.CreateItem(body, nil)
		}
		if first {
			item.CommentCount, item.LikeCount = c, l
			batch.CreateItem(client.Encode(item), nil)
		} else {
			ops := countPatch(schema.IfOpen, "/commentCount", int64(c), len(some))
			ops.AppendIncrement("/likeCount", int64(l))
			batch.PatchItem(post.ID, ops, nil)
		}
		// A conflict on any item means that an earlier attempt committed this transaction.
		if _, err := p.c.Execute(ctx, batch, false); err != nil && client.StatusOf(err) != http.StatusConflict {
			return client.Translate(err)
		}
		bodies, left = bodies[len(some):], left-c
	}
	return nil
}

// ImportVersions writes past versions of an existing post, whose revision must be higher than theirs. Repeating an
// import adds nothing.
func (p *Posts) ImportVersions(ctx context.Context, postID string, versions []domain.PostVersion) error {
	bodies := make([][]byte, len(versions))
	for i, v := range versions {
		bodies[i] = client.Encode(VersionItemOf(v))
	}
	for len(bodies) > 0 {
		some := bodies[:client.FittingBodies(bodies, client.MaxBatch, client.MaxBatchBytes)]
		batch := p.c.Batch(postID)
		for _, body := range some {
			batch.UpsertItem(body, nil)
		}
		if _, err := p.c.Execute(importing.In(ctx), batch, false); err != nil {
			return client.Translate(err)
		}
		bodies = bodies[len(some):]
	}
	return nil
}

// AddVersion adds a past version that an imported post had on its former site. An existing version stays
// unchanged.
func (p *Posts) AddVersion(ctx context.Context, v domain.PostVersion) error {
	if !domain.IsTextID(v.PostID) || v.Revision < 1 {
		return schema.ErrNoPost()
	}
	err := p.c.Create(importing.In(ctx), v.PostID, VersionItemOf(v))
	if client.StatusOf(err) == http.StatusConflict {
		return nil
	}
	return client.Translate(err)
}
