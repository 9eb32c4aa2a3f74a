package verify

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/names"
)

func brokenNames() []brokenCase {
	return []brokenCase{
		{ruleAuthors, "a comment of an unknown user", "there is no user", func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.comment.ID,
				set("/userId", domain.NewUserID(nil)))
		}},
		{ruleAuthors, "a post of a user who has only credentials", "there is no user",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, w.ada.ID, w.ada.ID)
			}},
		{ruleAuthors, "a comment of a deleted account", "is deleted", func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID,
				set("/deletionDate", schema.Instant(time.Now())))
		}},
		{ruleCurrentNames, "an old name on a post", `post `, func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/userUsername", "countess"))
		}},
		{ruleCurrentNames, "an old name on a comment", `comment `, func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.comment.ID, set("/userUsername", "bob"))
		}},
		{ruleCurrentNames, "an old name on a like", `like `, func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, domain.LikeID(w.bob.ID),
				set("/userUsername", "robert"))
		}},
		{ruleCurrentNames, "an old name on a copy in users", `in users: the name is "countess", the user's is "ada"`,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.post.ID,
					set("/userUsername", "countess"))
			}},
		{ruleCurrentNames, "an old name on a copy in feed", `in feed: the name is "countess", the user's is "ada"`,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.FeedContainer).Patch(ctx, schema.TypePost, w.post.ID,
					set("/userUsername", "countess"))
			}},
		{ruleCurrentNames, "an old display name on a comment", `the display name is "", the user's is "Robert"`,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID, set("/displayName", "Robert"))
			}},
		{ruleCurrentNames, "an old display name on a copy in feed",
			`in feed: the display name is "Countess", the user's is ""`, func(ctx context.Context, w *world) error {
				return w.Container(schema.FeedContainer).Patch(ctx, schema.TypePost, w.post.ID,
					set("/userDisplayName", "Countess"))
			}},
		{ruleCurrentNames, "an old avatar on a comment", `the avatar is "", the user's is "bob.jpg"`,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID, set("/avatar", "bob.jpg"))
			}},
		{ruleCurrentNames, "an old avatar on a post", `the avatar is "old.jpg", the user's is ""`,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID,
					set("/userAvatar", "old.jpg"))
			}},
		{ruleCurrentNames, "an old avatar on a copy in feed",
			`in feed: the avatar is "old.jpg", the user's is ""`, func(ctx context.Context, w *world) error {
				return w.Container(schema.FeedContainer).Patch(ctx, schema.TypePost, w.post.ID,
					set("/details", map[string]any{"avatar": "old.jpg"}))
			}},
		{rulePropagated, "a name that is not propagated", "version 1 of the name is propagated, it is at 2",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID, set("/nameVersion", 2))
			}},
		{ruleUniqueNames, "two users of one name", "username ada: the name belongs to u.",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID, set("/username", "ADA"))
			}},
		{ruleReservedNames, "a name without a reservation", "there is no reservation",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, "bob", "bob")
			}},
		{ruleReservedNames, "a name of an earlier release without the present key",
			"the key ipek of the name is not reserved",
			func(ctx context.Context, w *world) error { return w.addUser(ctx, "İpek", "i\u0307pek") }},
		{ruleReservedNames, "a reservation that expires", "the reservation expires",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, "bob", "bob", set("/ttl", 300))
			}},
		{ruleReservedNames, "a reservation of another user", "the name belongs to u.",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, "bob", "bob", set("/ownerId", w.ada.ID))
			}},
		{ruleReservedNames, "a skeleton without a reservation", "the skeleton of the name is not reserved",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, schema.SkeletonID("bob"),
					schema.SkeletonID("bob"))
			}},
		{ruleReservedNames, "a reservation of a skeleton that expires", "the reservation of the skeleton expires",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, schema.SkeletonID("bob"), schema.SkeletonID("bob"),
					set("/ttl", 300))
			}},
		{ruleIDs, "a skeleton with another id", "a skeleton's id and partition are its digest",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, schema.SkeletonID("bob"), schema.SkeletonID("bob"),
					set("/skeleton", "b0b"))
			}},
		{ruleNameOwners, "a skeleton of an unknown user", "skeleton carol: there is no user nobody",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": schema.SkeletonID("carol"), "type": "skeleton", "userId": schema.SkeletonID("carol"),
						"ownerId": "nobody", "skeleton": "carol", "ttl": -1})
			}},
		{ruleNameOwners, "a skeleton of a deleted account", "skeleton ada: the account",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": schema.SkeletonID("ada"), "type": "skeleton", "userId": schema.SkeletonID("ada"),
						"ownerId": w.ada.ID, "skeleton": "ada", "ttl": -1})
			})},
		{ruleNameOwners, "a username of an unknown user", "username carol: there is no user nobody",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "carol", "type": "username", "userId": "carol", "ownerId": "nobody", "ttl": -1})
			}},
		{ruleNameOwners, "a username of a deleted account", "username ada: the account",
			after(deleteAda, func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "ada", "type": "username", "userId": "ada", "ownerId": w.ada.ID, "ttl": -1})
			})},
		{ruleCredentials, "a user without credentials", "the user has none", func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Delete(ctx, w.bob.ID, schema.CredentialsID)
		}},
	}
}

// addUser adds a user whose name is reserved under some keys only.
func (w *world) addUser(ctx context.Context, name string, keys ...string) error {
	u, err := domain.NewUser(name, time.Now())
	if err != nil {
		return err
	}
	if err := w.Accounts.Create(ctx, u, "hash"); err != nil {
		return err
	}
	for _, key := range names.NameKeys(name) {
		if !slices.Contains(keys, key) {
			if err := w.Container(schema.UsersContainer).Delete(ctx, key, key); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestUsersWhoseNamesHaveBecomeEqualAreNoted(t *testing.T) {
	w := newWorld(t)
	w.must(t, w.addUser(t.Context(), "İpek", "i\u0307pek"))
	w.must(t, w.addUser(t.Context(), "ipek", "ipek"))
	w.must(t, listAccounts(t.Context(), w))
	var notes []Violation
	counts, err := Verify(t.Context(), w.Database, markdown.New(), func(int) {},
		func(v Violation) { notes = append(notes, v) }, "posts", "users")
	w.must(t, err)
	if counts.Violations != 0 || len(notes) != 1 || notes[0].Rule != Note || notes[0].Subject != "username ipek" ||
		!strings.Contains(notes[0].Detail, "İpek (u.") || !strings.Contains(notes[0].Detail, "ipek (u.") {
		t.Errorf("%d violations, and %v", counts.Violations, notes)
	}
}
