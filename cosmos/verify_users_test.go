package cosmos

import (
	"context"
	"time"

	"inkfeed/domain"
)

func brokenNames() []brokenCase {
	return []brokenCase{
		{ruleAuthors, "of a comment", "there is no user", func(ctx context.Context, w *world) error {
			return w.Posts.c.patch(ctx, w.post.ID, w.comment.ID, set("/userId", domain.NewUserID(nil)))
		}},
		{ruleAuthors, "of a post, who has credentials and no more", "there is no user", func(ctx context.Context, w *world) error {
			return w.Users.c.delete(ctx, w.ada.ID, w.ada.ID)
		}},
		{ruleAuthors, "who deleted the account", "is deleted", func(ctx context.Context, w *world) error {
			return w.Users.c.patch(ctx, w.bob.ID, w.bob.ID, set("/deletionDate", instant(time.Now())))
		}},
		{ruleCurrentNames, "on a post", `post `, func(ctx context.Context, w *world) error {
			return w.Posts.c.patch(ctx, w.post.ID, w.post.ID, set("/userUsername", "countess"))
		}},
		{ruleCurrentNames, "on a comment", `comment `, func(ctx context.Context, w *world) error {
			return w.Posts.c.patch(ctx, w.post.ID, w.comment.ID, set("/userUsername", "bob"))
		}},
		{ruleCurrentNames, "on a like", `like `, func(ctx context.Context, w *world) error {
			return w.Posts.c.patch(ctx, w.post.ID, domain.LikeID(w.bob.ID), set("/userUsername", "robert"))
		}},
		{ruleCurrentNames, "on a copy in users", `in users: says "countess", the user is "ada"`, func(ctx context.Context, w *world) error {
			return w.Users.c.patch(ctx, w.ada.ID, w.post.ID, set("/userUsername", "countess"))
		}},
		{ruleCurrentNames, "on a copy in feed", `in feed: says "countess", the user is "ada"`, func(ctx context.Context, w *world) error {
			return w.Feed.c.patch(ctx, typePost, w.post.ID, set("/userUsername", "countess"))
		}},
		{ruleSpread, "one is not", "version 1 of the name is spread, it is at 2", func(ctx context.Context, w *world) error {
			return w.Users.c.patch(ctx, w.bob.ID, w.bob.ID, set("/nameVersion", 2))
		}},
		{ruleUniqueNames, "in any case", "username ada: it is the name of u.", func(ctx context.Context, w *world) error {
			return w.Users.c.patch(ctx, w.bob.ID, w.bob.ID, set("/username", "ADA"))
		}},
		{ruleReservedNames, "one is not", "there is no reservation", func(ctx context.Context, w *world) error {
			return w.Users.c.delete(ctx, "bob", "bob")
		}},
		{ruleReservedNames, "for good", "the reservation would expire", func(ctx context.Context, w *world) error {
			return w.Users.c.patch(ctx, "bob", "bob", set("/ttl", 300))
		}},
		{ruleReservedNames, "for their user", "the name belongs to u.", func(ctx context.Context, w *world) error {
			return w.Users.c.patch(ctx, "bob", "bob", set("/ownerId", w.ada.ID))
		}},
		{ruleNameOwners, "who exists", "username carol: there is no user nobody", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Users.c, anyItem{"id": "carol", "type": "username", "userId": "carol", "ownerId": "nobody", "ttl": -1})
		}},
		{ruleNameOwners, "who did not delete the account", "username ada: the account", after(deleteAda, func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Users.c, anyItem{"id": "ada", "type": "username", "userId": "ada", "ownerId": w.ada.ID, "ttl": -1})
		})},
		{ruleCredentials, "somebody has none", "there are none", func(ctx context.Context, w *world) error {
			return w.Users.c.delete(ctx, w.bob.ID, credentialsID)
		}},
	}
}
