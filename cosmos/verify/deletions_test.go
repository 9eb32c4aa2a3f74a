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
		{ruleDeletions, "an unfinished deletion of a post", "it is not erased yet",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/erased", false))
			})},
		{ruleDeletions, "a marker with text", "it has text",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID,
					set("/content", "Some text."))
			})},
		{ruleDeletions, "a marker with mentions", "it has text",
			after(deletePost, mentions(adaPost, domain.Mention{Name: "ada", UserID: domain.NewUserID(nil)}))},
		{ruleDeletions, "a placeholder with mentions", "the placeholder has text or an author",
			after(replyToPlaceholder, mentions(bobComment,
				domain.Mention{Name: "ada", UserID: domain.NewUserID(nil)}))},
		{ruleDeletions, "a marker with the author's name", "it has text",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/userUsername", "ada"))
			})},
		{ruleDeletions, "a used address with a user", "it has more than the post's id",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, schema.UsedAddressID,
					set("/userId", w.ada.ID))
			})},
		{ruleExpiry, "a used address", "it expires in 60 seconds",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, schema.UsedAddressID, set("/ttl", 60))
			})},
		{ruleDeletions, "a marker of a post that does not expire", "its marker does not expire",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/ttl", -1))
			})},
		{ruleDeletions, "a remaining comment", "1 comments and 0 likes are left",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Create(ctx, w.post.ID, posts.CommentItemOf(w.comment))
			})},
		{ruleDeletions, "a remaining like", "0 comments and 1 likes are left",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Create(ctx, w.post.ID,
					posts.LikeItemOf(domain.NewLike(w.bob, w.post.ID, time.Now())))
			})},
		{ruleOrphans, "a copy of a deleted post", "in users: the post is deleted",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": w.post.ID, "type": "post", "postId": w.post.ID, "userId": w.ada.ID})
			})},
		{ruleDeletions, "an unfinished deletion of an account", "the account is not erased yet",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, set("/erased", false))
			})},
		{ruleDeletions, "remaining credentials", "there are credentials",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID,
					set("/deletionDate", schema.Instant(time.Now())))
			}},
		{ruleDeletions, "a marker of an account that does not expire", "its marker does not expire",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, set("/ttl", -1))
			})},
		{ruleDeletions, "a marker with a display name", "its marker has the display name Ada",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, set("/displayName", "Ada"))
			})},
		{ruleDeletions, "a marker with a username", "its marker has the username ada",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, set("/username", "ada"))
			})},
		{ruleDeletions, "a remaining post", "2 posts, comments and likes are left",
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
		{ruleDeletions, "a remaining copy of a post", "1 copies of posts are left",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": w.post.ID, "type": "post", "postId": w.post.ID, "userId": w.ada.ID})
			})},
	}
}
