package verify

import (
	"context"
	"fmt"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// followAda makes bob follow ada and the tag of her post, and completes both.
func followAda(ctx context.Context, w *world) error {
	for _, source := range []domain.Source{domain.AuthorSource(w.ada.ID), domain.TagSource("go")} {
		f, err := w.Follows.Follow(ctx, w.bob.ID, source, time.Now())
		if err == nil {
			err = w.Follows.Complete(ctx, f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mergeAda merges ada into timelines when these are read.
func mergeAda(ctx context.Context, w *world) error {
	ada := domain.AuthorSource(w.ada.ID)
	if err := w.Follows.Merge(ctx, ada); err != nil {
		return err
	}
	return w.Follows.AddEntry(ctx, []string{w.bob.ID}, domain.TimelineEntry{Source: ada})
}

// tell records that the followers were told of the post at a time.
func tell(at func(*world) time.Time) worldStep {
	return func(ctx context.Context, w *world) error {
		return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID,
			set("/newsDate", schema.Instant(at(w))))
	}
}

func later(*world) time.Time { return time.Now().Add(time.Minute) }

func unfollowAda(ctx context.Context, w *world) error {
	return unfollow(ctx, w, domain.AuthorSource(w.ada.ID))
}

func unfollowTag(ctx context.Context, w *world) error {
	return unfollow(ctx, w, domain.TagSource("go"))
}

// unfollow makes bob cease to follow a source, and completes that.
func unfollow(ctx context.Context, w *world, source domain.Source) error {
	f, err := w.Follows.Get(ctx, w.bob.ID, source)
	if err == nil {
		err = w.Follows.Unfollow(ctx, w.bob.ID, source)
	}
	if err == nil {
		err = w.Follows.Complete(ctx, f)
	}
	return err
}

func soundFollows() []soundCase {
	return []soundCase{
		{"a follow of an author and a tag", followAda},
		{"a post of which followers were told", after(followAda, tell(later))},
		{"a timeline that was trimmed before its reader ceased to follow a tag",
			after(followAda, after(tell(later), after(removeEntry, unfollowTag)))},
		{"a post that was published before it was followed", after(followAda, after(tell(
			func(*world) time.Time { return time.Now().Add(-time.Hour) }), removeEntry))},
		{"an author whose posts are merged", after(followAda, mergeAda)},
		{"a follow that has ended", after(followAda, unfollowAda)},
		{"a post that is on its way to its followers", after(followAda, after(tell(later), after(removeEntry,
			func(ctx context.Context, w *world) error {
				e := domain.TimelineEntry{Source: domain.AuthorSource(w.ada.ID), PostID: w.post.ID,
					AuthorID: w.ada.ID, Created: w.post.Created}
				return w.Deliveries.Put(ctx, domain.NewsDelivery(e, 1, time.Now()))
			})))},
		{"a database from before there were timelines", func(ctx context.Context, w *world) error {
			_, err := w.Container(schema.TimelinesContainer).Client.Delete(ctx, nil)
			return err
		}},
	}
}

func removeEntry(ctx context.Context, w *world) error {
	return w.Container(schema.TimelinesContainer).Delete(ctx, w.bob.ID, w.post.ID)
}

func brokenFollows() []brokenCase {
	onFollow := func(path string, value any) worldStep {
		return after(followAda, func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, "follow."+w.ada.ID, set(path, value))
		})
	}
	onFollower := func(path string, value any) worldStep {
		return after(followAda, func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, "followers."+w.ada.ID, w.bob.ID, set(path, value))
		})
	}
	onCount := func(path string, value any) worldStep {
		return after(followAda, func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, "followers."+w.ada.ID, "followers", set(path, value))
		})
	}
	onEntry := func(path string, value any) worldStep {
		return after(followAda, func(ctx context.Context, w *world) error {
			return w.Container(schema.TimelinesContainer).Patch(ctx, w.bob.ID, w.post.ID, set(path, value))
		})
	}
	entry := func(properties func(*world) anyItem) worldStep {
		return func(ctx context.Context, w *world) error {
			item := anyItem{"id": w.post.ID, "type": "entry", "userId": w.bob.ID, "authorId": w.ada.ID,
				"postId": w.post.ID, "place": domain.PlaceOf(w.post.Created, w.post.ID), "ttl": 60}
			for name, value := range properties(w) {
				item[name] = value
			}
			return w.putItem(ctx, w.Container(schema.TimelinesContainer), fmt.Sprint(item["userId"]), item)
		}
	}
	return []brokenCase{
		{ruleShapes, "a user who follows themselves", "cannot be followed", after(followAda,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, "follow."+w.ada.ID,
					set("/authorId", w.bob.ID))
			})},
		{ruleIDs, "a follow with another id", "should be follow.", after(followAda,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, "follow."+w.ada.ID,
					set("/authorId", domain.NewUserID(nil)))
			})},
		{ruleFollows, "a follow that expires", "expires true", onFollow("/ttl", 60)},
		{ruleFollows, "a follow in another version than its copy", "with a copy", onFollow("/version", 7)},
		{ruleFollows, "a follower who expires", "expires true", onFollower("/ttl", 60)},
		{ruleFollows, "a follow without a copy", "with a copy: false", after(followAda,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, "followers."+w.ada.ID, w.bob.ID)
			})},
		{ruleFollows, "a follower who does not follow", "live false", after(followAda,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, w.bob.ID, "follow."+w.ada.ID)
			})},
		{ruleFollows, "a follower whom the author has blocked", "has blocked", after(followAda, block(adaOf))},
		{ruleFollows, "a follow of a deleted account", "there is no user", after(followAda, deleteAda)},
		{ruleCounts, "a wrong number of followers", "count 5, but 1 followers", onCount("/count", 5)},
		{ruleCounts, "a wrong number of follows", "followingCount 5, but 2 follows", after(followAda,
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, w.bob.ID, set("/followingCount", 5))
			})},
		{ruleIDs, "a number of followers elsewhere", "it is in the partition",
			func(ctx context.Context, w *world) error {
				return w.putItem(ctx, w.Container(schema.UsersContainer), w.ada.ID,
					anyItem{"id": "followers", "type": "followers", "userId": w.ada.ID, "count": 0})
			}},
		{ruleTimelines, "a timeline without a post that its reader was told of", "is missing",
			after(followAda, after(tell(later), removeEntry))},
		{ruleTimelines, "a post whose followers were not told", "have not been told", func(ctx context.Context,
			w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/news", true))
		}},
		{ruleTimelines, "a post of an author whom the reader does not follow", "does not follow",
			entry(func(*world) anyItem { return nil })},
		{ruleTimelines, "a post with a tag that the reader does not follow", "does not follow", after(followAda,
			entry(func(w *world) anyItem { return anyItem{"tag": "rust", "id": "x"} }))},
		{ruleTimelines, "a timeline of an unknown user", "there is no user",
			entry(func(*world) anyItem { return anyItem{"userId": domain.NewUserID(nil)} })},
		{ruleTypes, "a timeline with an unknown item", "type",
			entry(func(*world) anyItem { return anyItem{"type": "x"} })},
		{ruleTimelines, "a merged author who is not", "at the source: true", onCount("/merged", true)},
		{ruleTimelines, "an entry that stays", "no time to live", onEntry("/ttl", -1)},
		{ruleIDs, "an entry at another place", "it is for", onEntry("/place", "2026-01-01T00:00:00.000Z~x")},
	}
}
