package verify

import (
	"context"
	"fmt"
	"hash/maphash"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

func brokenCopies() []brokenCase {
	different := func(c func(w *world) (*client.Container, string), path string, value any,
		where, says string) brokenCase {
		return brokenCase{ruleCopies, path + where, says, func(ctx context.Context, w *world) error {
			copies, partition := c(w)
			return copies.Patch(ctx, partition, w.post.ID, set(path, value))
		}}
	}
	users := func(w *world) (*client.Container, string) { return w.Container(schema.UsersContainer), w.ada.ID }
	feed := func(w *world) (*client.Container, string) { return w.Container(schema.FeedContainer), schema.TypePost }
	return []brokenCase{
		different(users, "/version", 7, "", "in users version is 7, should be 3"),
		different(users, "/likeCount", 7, "", "likeCount is 7, should be 1"),
		different(users, "/commentCount", 7, "", "commentCount is 7, should be 1"),
		different(users, "/userUsername", "countess", "", "username is countess, should be ada"),
		different(users, "/creationDate", "2026-01-01T00:00:00.000Z", "",
			"creationDate is 2026-01-01 00:00:00 +0000 UTC, should be "),
		different(users, "/title", "Another", "", "title differs"),
		different(users, "/slug", "another", "", "slug differs"),
		different(users, "/content", "The whole text.", "", "text differs"),
		different(users, "/tags", []string{"Go"}, "", "tags is Go, should be Go,Über uns"),
		different(users, "/revision", 7, "", "revision is 7, should be 1"),
		different(users, "/details", map[string]any{"editDate": "2026-01-01T00:00:00.000Z"}, "",
			"editDate is 2026-01-01 00:00:00 +0000 UTC, should be "),
		different(users, "/details", map[string]any{"language": "de"}, "",
			fmt.Sprintf("details is %v, should be %v", domain.Details{Language: "de"}, domain.Details{})),
		different(users, "/details", map[string]any{"words": 3}, "", "length is {3 0}, should be {2 0}"),
		different(users, "/details", map[string]any{"words": 2, "picture": map[string]any{"alt": "A cat"}}, "",
			"picture differs"),
		different(users, "/details", map[string]any{"words": 2, "seriesPlace": "go/0001"}, "", "seriesPlace differs"),
		different(users, "/type", schema.TypeUnlistedPost, "", `status is "unlisted", should be ""`),
		different(func(w *world) (*client.Container, string) { return w.Container(schema.TagsContainer), "go" },
			"/likeCount", 7, " in tags", "in tag go likeCount is 7, should be 1"),
		different(feed, "/content", "The whole text.", " in feed", "in feed text differs"),
		{ruleCopies, "a copy with another author", "author is ", func(ctx context.Context, w *world) error {
			copied, err := client.Read[anyItem](ctx, w.Container(schema.UsersContainer), w.ada.ID, w.post.ID)
			if err == nil {
				err = w.Container(schema.UsersContainer).Delete(ctx, w.ada.ID, w.post.ID)
			}
			if err != nil {
				return err
			}
			copied["userId"] = w.bob.ID
			return w.put(ctx, w.Container(schema.UsersContainer), copied)
		}},
		{ruleCopies, "a missing copy", "users has no copy", func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Delete(ctx, w.ada.ID, w.post.ID)
		}},
		{ruleOneCopy, "a second copy", "there are 2", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer),
				anyItem{"id": w.post.ID, "postId": w.post.ID, "type": "post", "userId": w.bob.ID})
		}},
		{ruleFeed, "a missing post", "it is missing", func(ctx context.Context, w *world) error {
			return w.Container(schema.FeedContainer).Delete(ctx, schema.TypePost, w.post.ID)
		}},
		{ruleFeed, "a post that does not exist", "post x: it is in the feed, but not among the newest posts",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.FeedContainer), anyItem{"id": "x", "postId": "x", "type": "post"})
			}},
		{ruleFeed, "a post that is too old", "it is in the feed, but not among the newest posts",
			after(fillFeed, func(ctx context.Context, w *world) error {
				return w.Container(schema.FeedContainer).Create(ctx, schema.TypePost, copies.PostCopyOf(w.summary))
			})},
		{ruleFeed, "an unlisted post", "it is in the feed, but not among the newest posts",
			after(withdraw(domain.Unlisted), func(ctx context.Context, w *world) error {
				return w.putItem(ctx, w.Container(schema.FeedContainer), schema.TypePost, copies.PostCopyOf(w.summary))
			})},
		{ruleTags, "a missing copy", "of its tags [go über-uns] 1 have a copy",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.TagsContainer).Delete(ctx, "go", w.post.ID)
			}},
		{ruleTags, "a copy without a post",
			"in tag rust: the post does not exist, is not listed or does not have the tag",
			func(ctx context.Context, w *world) error {
				item := copies.PostCopyOf(w.summary)
				item.Tag = "rust"
				return w.Container(schema.TagsContainer).Create(ctx, "rust", item)
			}},
		{ruleTags, "an unlisted post", "in tag go: the post does not exist",
			after(withdraw(domain.Unlisted), func(ctx context.Context, w *world) error {
				return w.putItem(ctx, w.Container(schema.TagsContainer), "go", copies.TagCopyOf("go", w.summary))
			})},
		{ruleStaleListings, "a withdrawal that is not finished", "withdrawn true, former tags []",
			after(withdraw(domain.Unpublished), func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/withdrawn", true))
			})},
		{ruleStaleListings, "former tags that are not cleared", "withdrawn false, former tags [Rust]",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID,
					set("/formerTags", []string{"Rust"}))
			}},
		{ruleTombstones, "a tombstone of a live post in tags", "in tag go: the post is live",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.TagsContainer), w.tagTombstone("go"))
			}},
		{ruleTombstones, "a tombstone with text in tags", "in tag rust: it has text",
			func(ctx context.Context, w *world) error {
				tombstone := w.tagTombstone("rust")
				tombstone["title"] = "Title"
				return w.put(ctx, w.Container(schema.TagsContainer), tombstone)
			}},
		{ruleTombstones, "a tombstone of a live post in users", "in users: the post is live",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": w.post.ID, "type": "deleted-post", "postId": w.post.ID, "userId": w.bob.ID,
						"deletionDate": schema.Instant(time.Now()), "ttl": 3600})
			}},
		{ruleFeed, "a tombstone of a live post in feed", "it is missing in the feed",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.FeedContainer), w.feedTombstone())
			}},
		{ruleTombstones, "a tombstone without a date in users", "it has no deletion date",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": w.post.ID, "type": "deleted-post", "postId": w.post.ID, "userId": w.ada.ID,
						"ttl": 3600})
			})},
		{ruleTombstones, "a tombstone in users that does not expire", "in users: it does not expire",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.post.ID, set("/ttl", -1))
			})},
		{ruleTombstones, "a tombstone with text in users", "in users: it has text",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.post.ID, set("/title", "Title"))
			})},
		{ruleTombstones, "a tombstone in feed that does not expire", "in feed: it does not expire",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.FeedContainer).Patch(ctx, schema.TypePost, w.post.ID, set("/ttl", -1))
			})},
		{ruleTombstones, "a tombstone with text in feed", "in feed: it has text",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.FeedContainer).Patch(ctx, schema.TypePost, w.post.ID,
					set("/content", "Some text."))
			})},
		{ruleTombstones, "a tombstone with a date in feed", "it has a date",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.FeedContainer).Patch(ctx, schema.TypePost, w.post.ID,
					set("/creationDate", schema.Instant(time.Now())))
			})},
		{ruleTombstones, "a tombstone whose place is not filled", "not filled yet",
			after(deletePost, func(ctx context.Context, w *world) error {
				tombstone := w.feedTombstone()
				delete(tombstone, "ttl")
				tombstone["refill"] = true
				return w.put(ctx, w.Container(schema.FeedContainer), tombstone)
			})},
	}
}

func TestCopiesOfBookmarksHaveNoPlaceInASeries(t *testing.T) {
	a := &audit{seed: maphash.MakeSeed()}
	post := a.shortForm(domain.Summary{PostID: "p", Details: domain.Details{Series: "Go"}})
	if got := a.bookmarkForm(post); got.seriesPlace != a.shortForm(domain.Summary{}).seriesPlace {
		t.Error("the copy of a bookmark must have the place of its post")
	}
}
