package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

func brokenNames() []brokenCase {
	return []brokenCase{
		{ruleAuthors, "of a comment", "there is no user", func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.comment.ID,
				set("/userId", domain.NewUserID(nil)))
		}},
		{ruleAuthors, "of a post, who has credentials and no more", "there is no user",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, w.ada.ID, w.ada.ID)
			}},
		{ruleAuthors, "who deleted the account", "is deleted", func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID,
				set("/deletionDate", schema.Instant(time.Now())))
		}},
		{ruleCurrentNames, "on a post", `post `, func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/userUsername", "countess"))
		}},
		{ruleCurrentNames, "on a comment", `comment `, func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.comment.ID, set("/userUsername", "bob"))
		}},
		{ruleCurrentNames, "on a like", `like `, func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, domain.LikeID(w.bob.ID),
				set("/userUsername", "robert"))
		}},
		{ruleCurrentNames, "on a copy in users", `in users: says "countess", the user is "ada"`,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.post.ID,
					set("/userUsername", "countess"))
			}},
		{ruleCurrentNames, "on a copy in feed", `in feed: says "countess", the user is "ada"`,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.FeedContainer).Patch(ctx, schema.TypePost, w.post.ID,
					set("/userUsername", "countess"))
			}},
		{ruleCurrentNames, "display names too, on a comment", `says "", the user's display name is "Robert"`,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID, set("/displayName", "Robert"))
			}},
		{ruleCurrentNames, "display names too, on a copy in feed",
			`in feed: says "Countess", the user's display name is ""`, func(ctx context.Context, w *world) error {
				return w.Container(schema.FeedContainer).Patch(ctx, schema.TypePost, w.post.ID,
					set("/userDisplayName", "Countess"))
			}},
		{rulePropagated, "one is not", "version 1 of the name is propagated, it is at 2",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID, set("/nameVersion", 2))
			}},
		{ruleUniqueNames, "in any case", "username ada: it is the name of u.",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID, set("/username", "ADA"))
			}},
		{ruleReservedNames, "one is not", "there is no reservation", func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Delete(ctx, "bob", "bob")
		}},
		{ruleReservedNames, "for good", "the reservation expires", func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, "bob", "bob", set("/ttl", 300))
		}},
		{ruleReservedNames, "for their user", "the name belongs to u.", func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, "bob", "bob", set("/ownerId", w.ada.ID))
		}},
		{ruleReservedNames, "and so is how it looks", "the skeleton of the name is not reserved",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, schema.SkeletonID("bob"),
					schema.SkeletonID("bob"))
			}},
		{ruleReservedNames, "and that for good", "the reservation of the skeleton expires",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, schema.SkeletonID("bob"), schema.SkeletonID("bob"),
					set("/ttl", 300))
			}},
		{ruleIDs, "of a skeleton", "a skeleton's id and partition are its digest",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, schema.SkeletonID("bob"), schema.SkeletonID("bob"),
					set("/skeleton", "b0b"))
			}},
		{ruleNameOwners, "of how it looks, who exists", "skeleton carol: there is no user nobody",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": schema.SkeletonID("carol"), "type": "skeleton", "userId": schema.SkeletonID("carol"),
						"ownerId": "nobody", "skeleton": "carol", "ttl": -1})
			}},
		{ruleNameOwners, "of how it looks, who did not delete the account", "skeleton ada: the account",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": schema.SkeletonID("ada"), "type": "skeleton", "userId": schema.SkeletonID("ada"),
						"ownerId": w.ada.ID, "skeleton": "ada", "ttl": -1})
			})},
		{ruleNameOwners, "who exists", "username carol: there is no user nobody",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "carol", "type": "username", "userId": "carol", "ownerId": "nobody", "ttl": -1})
			}},
		{ruleNameOwners, "who did not delete the account", "username ada: the account",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "ada", "type": "username", "userId": "ada", "ownerId": w.ada.ID, "ttl": -1})
			})},
		{ruleCredentials, "somebody has none", "there are none", func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Delete(ctx, w.bob.ID, schema.CredentialsID)
		}},
	}
}
