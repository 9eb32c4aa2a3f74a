package verify

import (
	"context"
	"time"

	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// reply adds a reply to the world's comment.
func reply(ctx context.Context, w *world) error {
	c, err := domain.NewReply(w.ada, w.comment, "Yes", time.Now())
	if err == nil {
		w.reply = c
		_, err = w.Posts.AddComment(ctx, c)
	}
	if err == nil {
		err = projectWorld(ctx, w)
	}
	return err
}

// replyToPlaceholder turns a comment with a reply into a placeholder.
func replyToPlaceholder(ctx context.Context, w *world) error {
	return inTurn(ctx, w, reply, func(ctx context.Context, w *world) error {
		_, err := w.Posts.DeleteComment(ctx, w.post.ID, w.comment.ID, w.bob.ID)
		return err
	}, projectWorld)
}

// keep makes bob bookmark the post.
func keep(ctx context.Context, w *world) error {
	post, err := w.Posts.Get(ctx, w.post.ID)
	if err != nil {
		return err
	}
	b, err := w.Posts.Bookmark(ctx, post, w.bob.ID, time.Now())
	if err == nil {
		err = w.Users.ApplyBookmark(ctx, markdown.New().Save(b, post))
	}
	return err
}

func unkeep(ctx context.Context, w *world) error {
	b, err := w.Posts.Unbookmark(ctx, w.post.ID, w.bob.ID)
	if err == nil {
		err = w.Users.ApplyBookmark(ctx, domain.Saved{Bookmark: b})
	}
	return err
}

func soundTalk() []soundCase {
	return []soundCase{
		{"a reply", reply},
		{"a placeholder that holds a reply", replyToPlaceholder},
		{"a comment that was edited", func(ctx context.Context, w *world) error {
			e, err := domain.NewCommentEdit(w.comment, "Hello again", time.Now())
			if err == nil {
				_, err = w.Posts.EditComment(ctx, e, w.bob.ID)
			}
			return err
		}},
		{"a bookmark", keep},
		{"a bookmark that was taken back", after(keep, unkeep)},
	}
}

func brokenTalk() []brokenCase {
	patchReply := func(path string, value any) worldStep {
		return after(reply, func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.reply.ID, set(path, value))
		})
	}
	patchCopy := func(path string, value any) worldStep {
		return after(keep, func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, schema.SavedID(w.post.ID), set(path, value))
		})
	}
	return []brokenCase{
		{ruleCounts, "a reply less", "replyCount is 1, there are 0",
			after(reply, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, w.reply.ID)
			})},
		{ruleThreads, "a parent less", "it does not exist or has no replyCount, and has 1 replies",
			after(reply, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, w.comment.ID)
			})},
		{ruleThreads, "a reply elsewhere", `its place is "x", should be "`, patchReply("/place", "x")},
		{ruleThreads, "a reply of another time", "its replies have another date for it",
			patchReply("/parentDate", "2026-01-01T00:00:00.000Z")},
		{ruleThreads, "a reply to a reply", "it is a reply, and has 1 replies",
			after(reply, func(ctx context.Context, w *world) error {
				to := w.reply
				to.ParentID, to.ParentCreated = "", time.Time{}
				c, err := domain.NewReply(w.bob, to, "No", time.Now())
				if err == nil {
					err = w.Container(schema.PostsContainer).Create(ctx, w.post.ID, posts.CommentItemOf(c))
				}
				if err == nil {
					err = w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.reply.ID, set("/replyCount", 1))
				}
				return err
			})},
		{ruleThreads, "a placeholder for nothing", "it is a placeholder, and has no replies",
			after(replyToPlaceholder, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, w.reply.ID)
			})},
		{ruleDeletions, "a placeholder with text", "the placeholder has text or an author",
			after(replyToPlaceholder, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.comment.ID, set("/content", "Hello"))
			})},
		{ruleDeletions, "a placeholder with an author", "the placeholder has text or an author",
			after(replyToPlaceholder, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.comment.ID, set("/userId", w.bob.ID))
			})},
		{ruleCounts, "a placeholder counts as none", "commentCount is 2, there are 1",
			after(reply, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.comment.ID,
					set("/deletionDate", schema.Instant(time.Now())))
			})},
		{ruleBookmarks, "without a copy", "its reader has no copy",
			after(keep, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, w.bob.ID, schema.SavedID(w.post.ID))
			})},
		{ruleBookmarks, "without the bookmark", "the reader has a copy, but the bookmark does not exist",
			after(keep, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, domain.BookmarkID(w.bob.ID))
			})},
		{ruleBookmarks, "that was taken back", "the reader has a copy, but the bookmark does not exist",
			after(keep, func(ctx context.Context, w *world) error {
				_, err := w.Posts.Unbookmark(ctx, w.post.ID, w.bob.ID)
				return err
			})},
		{ruleBookmarks, "without a post", "the post is deleted or does not exist",
			after(keep, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, w.post.ID)
			})},
		{ruleBookmarks, "of an old version", "the copy is version 1 of", patchCopy("/version", 1)},
		{ruleBookmarks, "with an old title", "in the copy title differs", patchCopy("/title", "Old")},
		{ruleBookmarks, "with an old name", "in the copy username is countess, should be ada",
			patchCopy("/userUsername", "countess")},
		{ruleBookmarks, "with another status", `in the copy status is "unlisted", should be ""`,
			patchCopy("/status", "unlisted")},
		{ruleBookmarks, "of a post that says nothing", "the bookmarked property of the post is not current",
			after(keep, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/bookmarked", "x~"))
			})},
		{ruleIDs, "of bookmarks", "should be bookmark-", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.PostsContainer),
				anyItem{"id": "x", "type": "bookmark", "postId": w.post.ID, "userId": w.bob.ID})
		}},
		{ruleIDs, "of bookmarks' copies", "should be bookmark.", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer),
				anyItem{"id": "x", "type": "bookmark", "postId": w.post.ID, "userId": w.bob.ID})
		}},
		{ruleIDs, "of their tombstones", "should be bookmark.", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer),
				anyItem{"id": "x", "type": "deleted-bookmark", "postId": w.post.ID, "userId": w.bob.ID})
		}},
		{ruleAuthors, "of bookmarks", "there is no user u.nobody", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.PostsContainer),
				anyItem{"id": "bookmark-u.nobody", "type": "bookmark", "postId": w.post.ID, "userId": "u.nobody"})
		}},
		{ruleAuthors, "of bookmarks, who have an account", "is deleted",
			after(keep, func(ctx context.Context, w *world) error {
				return w.Users.Delete(ctx, w.bob.ID)
			})},
		{ruleExpiry, "a bookmark", "in 3600 seconds", after(keep, func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, domain.BookmarkID(w.bob.ID),
				set("/ttl", 3600))
		})},
		{ruleExpiry, "a bookmark's copy", "in 3600 seconds", patchCopy("/ttl", 3600)},
		{ruleTombstones, "of bookmarks", "it does not expire",
			inOrder(keep, unkeep, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, schema.SavedID(w.post.ID),
					set("/ttl", -1))
			})},
		{ruleTombstones, "of bookmarks, have no text", "it has text",
			inOrder(keep, unkeep, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, schema.SavedID(w.post.ID),
					set("/title", "Title"))
			})},
		{ruleTombstones, "and markers of bookmarks", "the marker does not expire",
			inOrder(keep, unkeep, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, domain.BookmarkID(w.bob.ID),
					set("/ttl", -1))
			})},
	}
}

func inOrder(steps ...worldStep) worldStep {
	return func(ctx context.Context, w *world) error { return inTurn(ctx, w, steps...) }
}
