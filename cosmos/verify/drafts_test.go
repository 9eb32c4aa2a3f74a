package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// draftOfPost saves a draft of ada's post.
func draftOfPost(ctx context.Context, w *world) error {
	d := domain.DraftOf(w.post, time.Now())
	d.Title = "Another title"
	_, err := w.Drafts.Save(ctx, d)
	return err
}

func scheduleDraft(ctx context.Context, w *world) error {
	_, err := w.Drafts.Schedule(ctx, w.ada.ID, w.post.ID, 1, time.Now().Add(time.Hour))
	return err
}

func shareDraft(ctx context.Context, w *world) error {
	_, err := w.Drafts.Share(ctx, w.ada.ID, w.post.ID)
	return err
}

func editPost(ctx context.Context, w *world) error {
	_, err := w.Posts.Edit(ctx, domain.Edit{PostID: w.post.ID, Revision: 1, Title: "Edited",
		Content: "Text.", Tags: w.post.Tags, At: time.Now()}, w.ada.ID)
	if err != nil {
		return err
	}
	return projectWorld(ctx, w)
}

func unpublishPost(ctx context.Context, w *world) error {
	_, err := w.Drafts.Unpublish(ctx, w.ada.ID, w.post.ID)
	return err
}

// putDraft stores a draft that was written while its author's account was being deleted.
func putDraft(authorID func(*world) string) worldStep {
	return func(ctx context.Context, w *world) error {
		return w.put(ctx, w.Container(schema.UsersContainer), anyItem{"id": schema.DraftID(w.post.ID), "type": "draft",
			"userId": authorID(w), "postId": w.post.ID, "revision": 1, "version": 1,
			"creationDate": schema.Instant(w.ada.Created), "savedDate": schema.Instant(w.ada.Created)})
	}
}

func setDraft(path string, value any) worldStep {
	return func(ctx context.Context, w *world) error {
		return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, schema.DraftID(w.post.ID), set(path, value))
	}
}

func setVersion(path string, value any) worldStep {
	return func(ctx context.Context, w *world) error {
		return w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, schema.VersionID(1), set(path, value))
	}
}

// changeEntry changes the one entry of the schedule.
func changeEntry(path string, value any) worldStep {
	return func(ctx context.Context, w *world) error {
		for e, err := range w.ScheduledPosts.Upcoming(ctx, time.Now().Add(11*365*24*time.Hour)) {
			if err != nil {
				return err
			}
			return w.Container(schema.ScheduleContainer).Patch(ctx, schema.TypeScheduledPost,
				schema.ScheduledPostID(e.UserID, e.PostID, e.At), set(path, value))
		}
		return errors.New("there is none")
	}
}

func soundDrafts() []soundCase {
	return []soundCase{
		{"a draft", draftOfPost},
		{"a draft of an earlier release, which is not counted", putDraft(func(w *world) string { return w.ada.ID })},
		{"a draft of an earlier release, once it is counted",
			after(putDraft(func(w *world) string { return w.ada.ID }), func(ctx context.Context, w *world) error {
				err := errors.Join(w.Drafts.Count(ctx, w.ada.ID, w.post.ID), w.Drafts.Count(ctx, w.ada.ID, w.post.ID))
				u, readErr := w.Users.ByID(ctx, w.ada.ID)
				if readErr == nil && (u.DraftCount != 1 || u.DraftBytes != 16384) {
					return fmt.Errorf("%d drafts of %d bytes are counted", u.DraftCount, u.DraftBytes)
				}
				return err
			})},
		{"a scheduled draft", after(draftOfPost, scheduleDraft)},
		{"a draft that is no longer scheduled",
			after(after(draftOfPost, scheduleDraft), func(ctx context.Context, w *world) error {
				_, err := w.Drafts.Unschedule(ctx, w.ada.ID, w.post.ID)
				return err
			})},
		{"a scheduled draft that was discarded",
			after(after(draftOfPost, scheduleDraft), func(ctx context.Context, w *world) error {
				return w.Drafts.Discard(ctx, w.ada.ID, w.post.ID, 1)
			})},
		{"drafts of one post by two users, one of whom has invented the id",
			after(draftOfPost, func(ctx context.Context, w *world) error {
				d := domain.DraftOf(w.post, time.Now())
				d.AuthorID, d.Revision = w.bob.ID, 7
				if _, err := w.Drafts.Save(ctx, d); err != nil {
					return err
				}
				at := time.Now().Add(time.Hour)
				_, err := w.Drafts.Schedule(ctx, w.ada.ID, w.post.ID, 1, at)
				if err == nil {
					_, err = w.Drafts.Schedule(ctx, w.bob.ID, w.post.ID, 1, at)
				}
				return err
			})},
		{"a shared draft", after(draftOfPost, shareDraft)},
		{"a shared draft that was published",
			after(after(draftOfPost, shareDraft), func(ctx context.Context, w *world) error {
				d, err := w.Drafts.Get(ctx, w.ada.ID, w.post.ID)
				if err == nil {
					_, err = w.Drafts.Publish(ctx, w.ada, d, time.Now())
				}
				if err != nil {
					return err
				}
				return projectWorld(ctx, w)
			})},
		{"a draft of a post that was deleted", after(deletePost, draftOfPost)},
		{"a post with a past version", editPost},
		{"a database without a schedule", func(ctx context.Context, w *world) error {
			_, err := w.Container(schema.ScheduleContainer).Client.Delete(ctx, nil)
			return err
		}},
	}
}

func brokenDrafts() []brokenCase {
	return []brokenCase{
		{ruleIDs, "a draft with the id of another post", "it is a draft of post x",
			after(draftOfPost, setDraft("/postId", "x"))},
		{ruleIDs, "a version with the id of another revision", "it is of revision 7",
			after(editPost, setVersion("/revision", 7))},
		{ruleIDs, "a preview link in another partition", "its partition", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer),
				anyItem{"id": "x", "userId": "y", "type": "preview", "ownerId": w.ada.ID, "postId": w.post.ID})
		}},
		{ruleIDs, "a schedule entry with the id of another post", "it is of post x by u.",
			after(after(draftOfPost, scheduleDraft),
				changeEntry("/postId", "x"))},
		{ruleTypes, "an unknown type in the schedule", `type "y"`, func(ctx context.Context, w *world) error {
			return w.Container(schema.ScheduleContainer).Create(ctx, "y", anyItem{"id": "x", "type": "y"})
		}},
		{ruleExpiry, "a draft", "draft of post", after(draftOfPost, setDraft("/ttl", 3600))},
		{ruleExpiry, "a version", "version version-000001", after(editPost, setVersion("/ttl", 3600))},
		{ruleExpiry, "a schedule entry", "schedule item",
			after(after(draftOfPost, scheduleDraft), changeEntry("/ttl", 3600))},
		{ruleShapes, "a draft with a malformed date", "users item draft.",
			after(draftOfPost, setDraft("/savedDate", "yesterday"))},
		{ruleDrafts, "a draft of version 0", "it is version 0 of revision 1",
			after(draftOfPost, setDraft("/version", 0))},
		{ruleDrafts, "a draft in publication without a time", "it is being published, but has no time",
			after(draftOfPost, setDraft("/publishing", true))},
		{ruleDrafts, "a draft of an unknown user", "there is no user",
			putDraft(func(*world) string { return domain.NewUserID(nil) })},
		{ruleDrafts, "a draft of a deleted account", "is deleted",
			after(deleteAda, putDraft(func(w *world) string { return w.ada.ID }))},
		{ruleCounts, "a draft that is not counted", "0 drafts of 0 bytes are counted, there are 1 of 16384",
			after(putDraft(func(w *world) string { return w.ada.ID }), setDraft("/bytes", 16384))},
		{ruleCounts, "a wrong count of drafts", "2 drafts of 16384 bytes are counted, there are 1 of 16384",
			after(draftOfPost, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, set("/draftCount", 2))
			})},
		{ruleCounts, "a draft that counts too little", "it counts 16384 bytes, its text has 20000",
			after(draftOfPost, func(ctx context.Context, w *world) error {
				return setDraft("/content", strings.Repeat("c", 20000-len("Another title")))(ctx, w)
			})},
		{ruleCounts, "a draft that counts too much", "it counts 32768 bytes, its text has ",
			after(draftOfPost, setDraft("/bytes", 32768))},
		{ruleScheduled, "a scheduled draft without an entry", "no entry publishes it at ",
			after(draftOfPost, setDraft("/publishDate", schema.Instant(time.Now())))},
		{ruleScheduled, "an entry without a time", "the entry has no time", func(ctx context.Context, w *world) error {
			return w.Container(schema.ScheduleContainer).Create(ctx, schema.TypeScheduledPost,
				anyItem{"id": "x", "type": "scheduled", "postId": "x"})
		}},
		{ruleWithdrawn, "an unpublished post without a draft", "has no draft",
			after(unpublishPost, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, w.ada.ID, schema.DraftID(w.post.ID))
			})},
		{rulePreviews, "a preview link without a draft", "no draft of post", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer),
				anyItem{"id": "x", "userId": "x", "type": "preview", "ownerId": w.ada.ID, "postId": w.post.ID})
		}},
		{rulePreviews, "a preview link of an unknown user", "there is no user y",
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.UsersContainer),
					anyItem{"id": "x", "userId": "x", "type": "preview", "ownerId": "y", "ttl": 3600})
			}},
		{ruleVersions, "a past version with the current revision", "the newest is 1, the post is at 1",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Create(ctx, w.post.ID,
					posts.VersionItemOf(w.post.PastVersion()))
			}},
		{ruleVersions, "a version of revision 0", "there is no revision 0", func(ctx context.Context, w *world) error {
			return w.Container(schema.PostsContainer).Create(ctx, w.post.ID,
				posts.VersionItemOf(domain.PostVersion{PostID: w.post.ID}))
		}},
		{ruleOrphans, "versions of an unknown post", "versions of post x: there is no such post",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Create(ctx, "x",
					posts.VersionItemOf(domain.PostVersion{PostID: "x", Revision: 1}))
			}},
		{ruleDeletions, "a remaining version", "versions are left",
			after(deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Create(ctx, w.post.ID,
					posts.VersionItemOf(w.post.PastVersion()))
			})},
	}
}
