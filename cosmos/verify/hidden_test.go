package verify

import (
	"context"
	"errors"
	"testing"
	"time"

	"inkfeed/cosmos/client"
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

// trash moves the post to the trash, as the posts projector shows it.
func trash(ctx context.Context, w *world) error {
	post, err := w.Posts.Trash(ctx, w.post.ID, w.ada.ID, time.Now())
	if err == nil {
		err = w.Purges.PutNew(ctx, post.Purge())
	}
	if err == nil {
		err = projectHidden(ctx, w)
	}
	return err
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
		{"a post in the trash", trash},
		{"a post in the trash that was held for review", inOrder(func(ctx context.Context, w *world) error {
			_, err := w.Posts.Hold(ctx, w.post.ID, domain.HeldForReview)
			return err
		}, trash)},
		{"a restored post", inOrder(trash, func(ctx context.Context, w *world) error {
			_, err := w.Posts.Restore(ctx, w.post.ID, w.ada.ID)
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
	// inPurge changes the entry that deletes the post from the trash.
	inPurge := func(change func(ctx context.Context, w *world, id string) error) worldStep {
		return after(trash, func(ctx context.Context, w *world) error {
			for e, err := range w.Purges.Upcoming(ctx, time.Now().AddDate(1, 0, 0)) {
				if err != nil {
					return err
				}
				return change(ctx, w, schema.ScheduledPostID(e.UserID, e.PostID, e.At))
			}
			return errors.New("there is no entry")
		})
	}
	setInPurge := func(path string, value any) worldStep {
		return inPurge(func(ctx context.Context, w *world, id string) error {
			return w.Container(schema.ScheduleContainer).Patch(ctx, schema.TypePurge, id, set(path, value))
		})
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
		{ruleShapes, "a date in the trash that is a text", `"yesterday" is not a date`,
			patch(post, "/trashedDate", "yesterday")},
		{ruleFeed, "a post in the trash", "it is in the feed, but not among the newest posts",
			patch(post, "/trashedDate", schema.Instant(time.Now()))},
		{ruleTags, "a post in the trash", "in tag go: the post does not exist",
			patch(post, "/trashedDate", schema.Instant(time.Now()))},
		{ruleCopies, "a listed copy of a post in the trash", `status is "", should be "trashed"`,
			patch(post, "/trashedDate", schema.Instant(time.Now()))},
		{ruleCopies, "a copy with another date in the trash", "savedDate is",
			after(trash, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.post.ID,
					set("/savedDate", schema.Instant(time.Now().Add(time.Hour))))
			})},
		{ruleShapes, "a post that is held as in the trash, and is not there", `it is held as "trash"`,
			patch(post, "/held", schema.HeldInTrash)},
		{ruleTrash, "a post without an entry", "no entry deletes it from the trash",
			inPurge(func(ctx context.Context, w *world, id string) error {
				return w.Container(schema.ScheduleContainer).Delete(ctx, schema.TypePurge, id)
			})},
		{ruleTrash, "an entry at another time", "no entry deletes it from the trash",
			after(trash, patch(post, "/trashedDate", schema.Instant(time.Now().Add(-time.Hour))))},
		{ruleIDs, "an entry of another post", "it is of post x by ", setInPurge("/postId", "x")},
		{ruleIDs, "an entry at another time", "it is of post ",
			setInPurge("/continuationDate", schema.Instant(time.Now()))},
		{ruleExpiry, "an entry of the trash", "schedule item", setInPurge("/ttl", 3600)},
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

// Instances of earlier releases do not know posts in the trash, but hide held ones.
func TestAPostInTheTrashIsHeld(t *testing.T) {
	ctx, w := t.Context(), newWorld(t)
	held := func() any {
		item, err := client.Read[anyItem](ctx, w.Container(schema.PostsContainer), w.post.ID, w.post.ID)
		w.must(t, err)
		return item["held"]
	}
	w.must(t, trash(ctx, w))
	if got := held(); got != string(schema.HeldInTrash) {
		t.Errorf("in the trash it is held as %v", got)
	}
	_, err := w.Posts.Restore(ctx, w.post.ID, w.ada.ID)
	w.must(t, err)
	if got := held(); got != nil {
		t.Errorf("restored it is held as %v", got)
	}
}
