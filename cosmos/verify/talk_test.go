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

// bookmark makes bob bookmark the post.
func bookmark(ctx context.Context, w *world) error {
	post, err := w.Posts.Get(ctx, w.post.ID)
	if err != nil {
		return err
	}
	b, err := w.Posts.Bookmark(ctx, post, w.bob.ID, time.Now())
	if err == nil {
		err = w.UserCopies.ApplyBookmark(ctx, markdown.New().BookmarkedPost(b, post))
	}
	return err
}

func unbookmark(ctx context.Context, w *world) error {
	b, err := w.Posts.Unbookmark(ctx, w.post.ID, w.bob.ID)
	if err == nil {
		err = w.UserCopies.ApplyBookmark(ctx, domain.BookmarkedPost{Bookmark: b})
	}
	return err
}

func soundTalk() []soundCase {
	return []soundCase{
		{"a reply", reply},
		{"a placeholder that holds a reply", replyToPlaceholder},
		{"a comment that mentions an account that was deleted", func(ctx context.Context, w *world) error {
			m := domain.Mention{Name: "ada", UserID: domain.NewUserID(nil)}
			e, err := domain.NewCommentEdit(w.comment, "Hello @ada", time.Now())
			if err != nil {
				return err
			}
			e.Mentions = domain.MentionsOf([]domain.Mention{m})
			_, err = w.Posts.EditComment(ctx, e, w.bob.ID)
			return err
		}},
		{"a comment that was edited", func(ctx context.Context, w *world) error {
			e, err := domain.NewCommentEdit(w.comment, "Hello again", time.Now())
			if err == nil {
				_, err = w.Posts.EditComment(ctx, e, w.bob.ID)
			}
			return err
		}},
		{"a deleted comment", deleteComment},
		{"a bookmark", bookmark},
		{"a removed bookmark", after(bookmark, unbookmark)},
	}
}

func brokenTalk() []brokenCase {
	patchReply := func(path string, value any) worldStep {
		return after(reply, func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.reply.ID, set(path, value))
		})
	}
	patchCopy := func(path string, value any) worldStep {
		return after(bookmark, func(ctx context.Context, w *world) error {
			return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, schema.BookmarkCopyID(w.post.ID),
				set(path, value))
		})
	}
	return []brokenCase{
		{ruleCounts, "a missing reply", "replyCount is 1, there are 0",
			after(reply, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, w.reply.ID)
			})},
		{ruleThreads, "a reply without a parent", "it does not exist or has no replyCount, and has 1 replies",
			after(reply, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, w.comment.ID)
			})},
		{ruleThreads, "a reply at another position", `its place is "x", should be "`, patchReply("/place", "x")},
		{ruleThreads, "a reply with another date of its parent", "its replies have another date for it",
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
		{ruleThreads, "a placeholder without replies", "it is a placeholder, and has no replies",
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
		{ruleCounts, "a placeholder that is counted", "commentCount is 2, there are 1",
			after(reply, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.comment.ID,
					set("/deletionDate", schema.Instant(time.Now())))
			})},
		{ruleBookmarks, "a bookmark without a copy", "its reader has no copy",
			after(bookmark, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, w.bob.ID, schema.BookmarkCopyID(w.post.ID))
			})},
		{ruleBookmarks, "a copy without a bookmark", "the reader has a copy, but the bookmark does not exist",
			after(bookmark, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, domain.BookmarkID(w.bob.ID))
			})},
		{ruleBookmarks, "a copy of a removed bookmark", "the reader has a copy, but the bookmark does not exist",
			after(bookmark, func(ctx context.Context, w *world) error {
				_, err := w.Posts.Unbookmark(ctx, w.post.ID, w.bob.ID)
				return err
			})},
		{ruleBookmarks, "a bookmark of a missing post", "the post is deleted or does not exist",
			after(bookmark, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, w.post.ID)
			})},
		{ruleBookmarks, "a copy of an old version", "the copy is version 1 of", patchCopy("/version", 1)},
		{ruleBookmarks, "a copy with an old title", "in the copy title differs", patchCopy("/title", "Old")},
		{ruleBookmarks, "a copy with an old name", "in the copy username is countess, should be ada",
			patchCopy("/userUsername", "countess")},
		{ruleBookmarks, "a copy with another status", `in the copy status is "unlisted", should be ""`,
			patchCopy("/status", "unlisted")},
		{ruleBookmarks, "a post without the bookmarked property", "the bookmarked property of the post is not current",
			after(bookmark, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, set("/bookmarked", "x~"))
			})},
		{ruleIDs, "a bookmark with another id", "should be bookmark-", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.PostsContainer),
				anyItem{"id": "x", "type": "bookmark", "postId": w.post.ID, "userId": w.bob.ID})
		}},
		{ruleIDs, "a bookmark's copy with another id", "should be bookmark.",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "x", "type": "bookmark", "postId": w.post.ID, "userId": w.bob.ID})
			}},
		{ruleIDs, "a bookmark's tombstone with another id", "should be bookmark.",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "x", "type": "deleted-bookmark", "postId": w.post.ID, "userId": w.bob.ID})
			}},
		{ruleAuthors, "a bookmark of an unknown user", "there is no user u.nobody",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.PostsContainer),
					anyItem{"id": "bookmark-u.nobody", "type": "bookmark", "postId": w.post.ID, "userId": "u.nobody"})
			}},
		{ruleAuthors, "a bookmark of a deleted account", "is deleted",
			after(bookmark, func(ctx context.Context, w *world) error {
				return w.AccountDeletions.Delete(ctx, w.bob.ID)
			})},
		{ruleExpiry, "a bookmark", "in 3600 seconds", after(bookmark, func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, domain.BookmarkID(w.bob.ID),
				set("/ttl", 3600))
		})},
		{ruleExpiry, "a bookmark's copy", "in 3600 seconds", patchCopy("/ttl", 3600)},
		{ruleTombstones, "a tombstone of a bookmark that does not expire", "it does not expire",
			inOrder(bookmark, unbookmark, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, schema.BookmarkCopyID(w.post.ID),
					set("/ttl", -1))
			})},
		{ruleTombstones, "a tombstone of a bookmark with text", "it has text",
			inOrder(bookmark, unbookmark, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.bob.ID, schema.BookmarkCopyID(w.post.ID),
					set("/title", "Title"))
			})},
		{ruleTombstones, "a marker of a bookmark that does not expire", "the marker does not expire",
			inOrder(bookmark, unbookmark, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, domain.BookmarkID(w.bob.ID),
					set("/ttl", -1))
			})},
	}
}

func inOrder(steps ...worldStep) worldStep {
	return func(ctx context.Context, w *world) error { return inTurn(ctx, w, steps...) }
}
