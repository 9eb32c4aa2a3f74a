package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

func brokenDeletions() []brokenCase {
	return []brokenCase{
		{ruleDeletions, "of posts", "it is not erased yet",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/erased", false))
			})},
		{ruleDeletions, "and their text is gone", "it has text",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID,
					set("/content", "Some text."))
			})},
		{ruleDeletions, "and their author's name", "it has text",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/userUsername", "ada"))
			})},
		{ruleDeletions, "and their markers expire", "its marker does not expire",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/ttl", -1))
			})},
		{ruleDeletions, "and their comments are gone", "1 comments and 0 likes are left",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Create(ctx, w.post.ID, posts.CommentItemOf(w.comment))
			})},
		{ruleDeletions, "and their likes", "0 comments and 1 likes are left",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Create(ctx, w.post.ID,
					posts.LikeItemOf(domain.NewLike(w.bob, w.post.ID, time.Now())))
			})},
		{ruleOrphans, "and their copies", "in users: the post is deleted",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": w.post.ID, "type": "post", "postId": w.post.ID, "userId": w.ada.ID})
			})},
		{ruleDeletions, "of accounts", "the account is not erased yet",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, set("/erased", false))
			})},
		{ruleDeletions, "whose credentials are gone at once", "there are credentials",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID,
					set("/deletionDate", schema.Instant(time.Now())))
			}},
		{ruleDeletions, "whose markers expire", "its marker does not expire",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, set("/ttl", -1))
			})},
		{ruleDeletions, "whose markers have no display name", "its marker has the display name Ada",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, set("/displayName", "Ada"))
			})},
		{ruleDeletions, "whose markers have no name", "its marker has the username ada",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, set("/username", "ada"))
			})},
		{ruleDeletions, "whose posts are gone", "2 posts, comments and likes are left",
			after(deleteAda, func(ctx context.Context, w *world) error {
				post := posts.PostItemOf(w.post)
				post.ID, post.PostID = "x", "x"
				like := posts.LikeItemOf(domain.NewLike(w.ada, "x", time.Now()))
				return inTurn(ctx, w, func(ctx context.Context, w *world) error {
					return w.Container(schema.PostsContainer).Create(ctx, "x", post)
				},
					func(ctx context.Context, w *world) error {
						return w.Container(schema.PostsContainer).Create(ctx, "x", like)
					})
			})},
		{ruleDeletions, "whose copies are gone", "1 copies of posts are left",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": w.post.ID, "type": "post", "postId": w.post.ID, "userId": w.ada.ID})
			})},
	}
}
