package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// projectHidden is projectWorld for a hidden post, whose stale listings it deletes.
func projectHidden(ctx context.Context, w *world) error {
	post, err := w.Posts.Latest(ctx, w.post.ID)
	if err != nil {
		return err
	}
	s := markdown.New().Summarize(post)
	if err := w.UserCopies.ApplySummary(ctx, s); err != nil {
		return err
	}
	for _, key := range post.Tags.Keys() {
		if err := w.Tags.ApplySummary(ctx, key, s); err != nil {
			return err
		}
	}
	if err := w.Feed.Apply(ctx, []domain.Summary{s}); err != nil {
		return err
	}
	return w.Posts.ClearStaleListings(ctx, post.ID, post.Version)
}

func hold(hold domain.Hold) worldStep {
	return after(func(ctx context.Context, w *world) error {
		_, err := w.Posts.Hold(ctx, w.post.ID, hold)
		return err
	}, projectHidden)
}

func holdComment(ctx context.Context, w *world) error {
	_, err := w.Posts.HoldComment(ctx, w.post.ID, w.comment.ID, domain.HeldByAuthor)
	if err == nil {
		err = projectWorld(ctx, w)
	}
	return err
}

// suspend suspends a user of the world, and hides the user's posts, comments and likes.
func suspend(who func(*world) domain.User) worldStep {
	return func(ctx context.Context, w *world) error {
		user := who(w)
		if err := w.Container(schema.UsersContainer).Patch(ctx, user.ID, user.ID,
			set("/suspensionDate", schema.Instant(time.Now()))); err != nil {
			return err
		}
		if _, _, err := w.Posts.PropagateSuspension(ctx, user.ID, true); err != nil {
			return err
		}
		return projectHidden(ctx, w)
	}
}

func adaOf(w *world) domain.User { return w.ada }
func bobOf(w *world) domain.User { return w.bob }

// block makes one user of the world block the other.
func block(who func(*world) domain.User) worldStep {
	return func(ctx context.Context, w *world) error {
		other := w.bob
		if who(w).ID == w.bob.ID {
			other = w.ada
		}
		return w.Blocks.Block(ctx, who(w).ID, other.ID, time.Now())
	}
}

// listed adds the held post to the review queue.
func listed(ctx context.Context, w *world) error {
	return w.Reviews.Put(ctx, domain.Review{Target: domain.Target{PostID: w.post.ID}, AuthorID: w.ada.ID,
		At: time.Now()})
}

func soundHidden() []soundCase {
	return []soundCase{
		{"a post that a moderator hid", hold(domain.HeldByModerator)},
		{"a post that waits for review", after(hold(domain.HeldForReview), listed)},
		{"a post that was hidden and released",
			inOrder(hold(domain.HeldByModerator), func(ctx context.Context, w *world) error {
				_, err := w.Posts.Release(ctx, w.post.ID, w.post.Revision)
				return err
			}, projectHidden)},
		{"a hidden comment", holdComment},
		{"a hidden comment with a reply", after(reply, holdComment)},
		{"a hidden reply", after(reply, func(ctx context.Context, w *world) error {
			_, err := w.Posts.HoldComment(ctx, w.post.ID, w.reply.ID, domain.HeldByModerator)
			if err == nil {
				err = projectWorld(ctx, w)
			}
			return err
		})},
		{"a suspended author", suspend(adaOf)},
		{"a suspended reader", suspend(bobOf)},
		{"a block", block(adaOf)},
		{"a post without more comments", func(ctx context.Context, w *world) error {
			_, err := w.Posts.CloseComments(ctx, w.post.ID, w.ada.ID, true)
			return err
		}},
	}
}

func brokenHidden() []brokenCase {
	patch := func(id func(*world) string, path string, value any) worldStep {
		return func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, id(w), set(path, value))
		}
	}
	post := func(w *world) string { return w.post.ID }
	comment := func(w *world) string { return w.comment.ID }
	like := func(w *world) string { return domain.LikeID(w.bob.ID) }
	return []brokenCase{
		{ruleShapes, "an unknown hold of a post", `it is held as "secret"`, patch(post, "/held", "secret")},
		{ruleShapes, "a hold of a post that only comments can have", `it is held as "author"`,
			patch(post, "/held", "author")},
		{ruleShapes, "an unknown hold of a comment", `it is held as "secret"`, patch(comment, "/held", "secret")},
		{ruleShapes, "commentsClosed that is a text", "commentsClosed", patch(post, "/commentsClosed", "yes")},
		{ruleCounts, "a hidden comment that is counted", "commentCount is 1, there are 0",
			patch(comment, "/held", "moderator")},
		{ruleCounts, "a suspended user's comment that is counted", "commentCount is 1, there are 0",
			patch(comment, "/authorSuspended", true)},
		{ruleFeed, "a hidden post", "it is in the feed, but not among the newest posts",
			patch(post, "/held", "review")},
		{ruleTags, "a hidden post", "in tag go: the post does not exist", patch(post, "/held", "moderator")},
		{ruleCopies, "a listed copy of a hidden post", `status is "", should be "hidden"`,
			patch(post, "/held", "moderator")},
		{ruleReviews, "a held post without an entry", "the review queue has no entry for", hold(domain.HeldForReview)},
		{ruleReviews, "a held comment without an entry", "the review queue has no entry for",
			func(ctx context.Context, w *world) error {
				_, err := w.Posts.HoldComment(ctx, w.post.ID, w.comment.ID, domain.HeldForReview)
				if err == nil {
					err = projectWorld(ctx, w)
				}
				return err
			}},
		{ruleStaleListings, "a hidden post whose withdrawal is not finished", "withdrawn true, former tags []",
			after(hold(domain.HeldByModerator), patch(post, "/withdrawn", true))},
		{ruleSuspended, "a post of a user who is not suspended", "authorSuspended is true, of the user it is false",
			patch(post, "/authorSuspended", true)},
		{ruleSuspended, "a comment of a user who is not suspended", "authorSuspended is true, of the user it is false",
			patch(comment, "/authorSuspended", true)},
		{ruleSuspended, "a like of a user who is not suspended", "authorSuspended is true, of the user it is false",
			patch(like, "/authorSuspended", true)},
		{ruleIDs, "a block with another id", "should be block.",
			after(block(adaOf), func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, schema.BlockID(w.bob.ID),
					set("/blockedId", w.ada.ID))
			})},
		{ruleShapes, "a user who blocks themselves", "cannot be blocked", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer),
				anyItem{"id": schema.BlockID(w.ada.ID), "type": "block", "userId": w.ada.ID, "blockedId": w.ada.ID,
					"creationDate": schema.Instant(time.Now())})
		}},
		{ruleOrphans, "a block by an unknown user", "1 blocks by", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer),
				anyItem{"id": schema.BlockID(w.ada.ID), "type": "block", "userId": domain.NewUserID(nil),
					"blockedId": w.ada.ID, "creationDate": schema.Instant(time.Now())})
		}},
		{ruleDeletions, "a remaining block", "it still blocks 1 users", after(block(adaOf), deleteAda)},
		{ruleExpiry, "a block", "in 3600 seconds", after(block(adaOf), func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, schema.BlockID(w.bob.ID), set("/ttl", 3600))
		})},
		{ruleSuspended, "a post of a suspended user", "authorSuspended is false, of the user it is true",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID,
					set("/suspensionDate", schema.Instant(time.Now())))
			}},
	}
}
