package cosmostest

import (
	"context"
	"fmt"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) mustImport(t *testing.T, author domain.User, comments, likes int) domain.Post {
	t.Helper()
	post, cs, ls := imported(t, author, comments, likes)
	fixture.Check(t, s.Posts.Import(t.Context(), post, cs, ls))
	return post
}

// imported returns a post with comments and likes of other readers.
func imported(t *testing.T, author domain.User, comments, likes int) (domain.Post, []domain.Comment, []domain.Like) {
	t.Helper()
	post := fixture.Must[domain.Post](t)(domain.NewPost(author, "Imported", repeat("Some words of text. ", 60),
		fixture.At(0)))
	var cs []domain.Comment
	for i := range comments {
		cs = append(cs, fixture.Must[domain.Comment](t)(domain.NewComment(author, post.ID, fmt.Sprint("Comment ", i),
			fixture.At(i))))
	}
	var ls []domain.Like
	for i := range likes {
		ls = append(ls, domain.Like{PostID: post.ID, UserID: domain.NewUserID(nil), Username: fmt.Sprint("user", i),
			Created: fixture.At(i)})
	}
	return post, cs, ls
}

func (s *suite) imports(t *testing.T) {
	author := s.MustUser(t)
	for name, size := range map[string]struct{ comments, likes int }{
		"alone":                                {0, 0},
		"in one transaction":                   {25, 74},
		"in two":                               {25, 100},
		"in three, comments over one boundary": {110, 120},
	} {
		fixture.Run(t, name, func(t *testing.T) {
			post, comments, likes := imported(t, author, size.comments, size.likes)
			for range 2 { // the second call adds nothing
				fixture.Check(t, s.Posts.Import(t.Context(), post, comments, likes))
				s.WantCounts(t, post.ID, size.comments, size.likes)
			}
		})
	}
	fixture.Run(t, "an interrupted import is completed", func(t *testing.T) {
		post, comments, likes := imported(t, author, 25, 150)
		fixture.Check(t, s.Posts.Import(t.Context(), post, comments, likes[:74]))
		s.WantCounts(t, post.ID, 25, 74)
		fixture.Check(t, s.Posts.Import(t.Context(), post, comments, likes))
		s.WantCounts(t, post.ID, 25, 150)
	})
}

// costs checks the purpose of the data model: one partition serves each request.
func (s *suite) costs(t *testing.T) {
	user := s.MustUser(t)
	// The article's proportions: 25 posts a user, 20 comments and 50 likes a post.
	post := s.mustImport(t, user, 20, 50)
	for i := range 25 {
		fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), fixture.Summary(user, i, 1)))
	}
	comment := func() domain.Comment {
		return fixture.Must[domain.Comment](t)(domain.NewComment(user, post.ID, "Hello", fixture.At(2)))
	}
	painter := s.MustUser(t)
	for i := range 30 {
		s.MustImage(t, painter, i)
	}
	saved, first := s.MustDraft(t, user, "Saved"), s.MustDraft(t, user, "First")
	change := domain.DraftOf(s.MustPost(t, user, 1), fixture.At(1))
	change.Title = "Changed"
	change = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), change))
	entry, edited := domain.ScheduledItem{At: fixture.Soon()}, s.MustPost(t, user, 1)
	for _, c := range []struct {
		name     string
		requests int
		charge   float64 // maximum in RU: the article's figure for V3, with room for noise
		run      func(ctx context.Context) error
	}{
		{"C1", 5, 55, func(ctx context.Context) error {
			u, err := domain.NewUser(fixture.FreshName(), fixture.Epoch)
			if err != nil {
				return err
			}
			return s.Accounts.Create(ctx, u, "")
		}},
		{"Q1", 1, 1.5, func(ctx context.Context) error { _, err := s.Users.ByID(ctx, user.ID); return err }},
		{"Q1 by name", 2, 3,
			func(ctx context.Context) error { _, err := s.Users.ByName(ctx, user.Username); return err }},
		{"C2", 1, 13, func(ctx context.Context) error {
			p, err := domain.NewPost(user, "Title", "Text", fixture.Epoch)
			if err != nil {
				return err
			}
			return s.Posts.Create(ctx, p)
		}},
		{"C2 edit", 2, 30, func(ctx context.Context) error {
			_, err := s.Posts.Edit(ctx, domain.Edit{PostID: edited.ID, Revision: 1, Title: "Edited",
				Content: post.Content, At: fixture.At(9)}, user.ID)
			return err
		}},
		{"set-status", 1, 14, func(ctx context.Context) error {
			_, err := s.Posts.SetStatus(ctx, edited.ID, user.ID, domain.Unlisted)
			return err
		}},
		{"Q2", 1, 1.5, func(ctx context.Context) error { _, err := s.Posts.Get(ctx, post.ID); return err }},
		{"Q3", 1, 13, func(ctx context.Context) error { _, err := s.UserCopies.PostsOf(ctx, user.ID, 1); return err }},
		{"C3", 1, 25, func(ctx context.Context) error { _, err := s.Posts.AddComment(ctx, comment()); return err }},
		{"Q4", 1, 12, func(ctx context.Context) error { _, err := s.Posts.Comments(ctx, post.ID, 1); return err }},
		{"C4", 1, 25, func(ctx context.Context) error {
			_, err := s.Posts.Like(ctx, domain.NewLike(user, post.ID, fixture.Epoch))
			return err
		}},
		{"Q5", 1, 18, func(ctx context.Context) error { _, err := s.Posts.Likes(ctx, post.ID, 1); return err }},
		{"Q6", 1, 17, func(ctx context.Context) error { _, err := s.Feed.FrontPage(ctx, 1); return err }},
		{"comment-place", 1, 8, func(ctx context.Context) error {
			_, err := s.Posts.CommentsBefore(ctx, post.ID, comment().Place())
			return err
		}},
		{"C3 reply", 1, 32, func(ctx context.Context) error {
			list, err := s.Posts.Comments(t.Context(), post.ID, 1)
			if err != nil {
				return err
			}
			c, err := domain.NewReply(user, list.Items[0], "Hello", fixture.At(3))
			if err == nil {
				_, err = s.Posts.AddComment(ctx, c)
			}
			return err
		}},
		{"edit-comment", 1, 16, func(ctx context.Context) error {
			list, err := s.Posts.Comments(t.Context(), post.ID, 1)
			if err != nil {
				return err
			}
			e, err := domain.NewCommentEdit(list.Items[1], "Hello again", fixture.At(3))
			if err == nil {
				_, err = s.Posts.EditComment(ctx, e, user.ID)
			}
			return err
		}},
		{"latest-likes", 1, 8,
			func(ctx context.Context) error { _, err := s.Posts.LatestLikes(ctx, post.ID, 3); return err }},
		{"bookmark", 2, 26, func(ctx context.Context) error {
			_, err := s.Posts.Bookmark(ctx, post, user.ID, fixture.At(3))
			return err
		}},
		{"bookmark copy", 2, 12, func(ctx context.Context) error {
			return s.UserCopies.ApplyBookmark(ctx, s.Markdown.BookmarkedPost(domain.Bookmark{PostID: post.ID,
				UserID:  user.ID,
				Created: fixture.At(3), Version: 1}, post))
		}},
		{"bookmark, not the first", 2, 12, func(ctx context.Context) error {
			marked, err := s.Posts.Get(t.Context(), post.ID)
			if err == nil {
				_, err = s.Posts.Bookmark(ctx, marked, domain.NewUserID(nil), fixture.At(3))
			}
			return err
		}},
		{"unbookmark", 2, 16, func(ctx context.Context) error {
			_, err := s.Posts.Unbookmark(ctx, post.ID, user.ID)
			return err
		}},
		{"delete-comment", 2, 26, func(ctx context.Context) error { return s.deleteNth(t, ctx, post.ID, user.ID, 3) }},
		{"delete-comment with replies", 2, 30,
			func(ctx context.Context) error { return s.deleteNth(t, ctx, post.ID, user.ID, 0) }},
		{"delete-comment, the last reply", 3, 42,
			func(ctx context.Context) error { return s.deleteNth(t, ctx, post.ID, user.ID, 1) }},
		{"bookmarked", 1, 1.5,
			func(ctx context.Context) error { _, err := s.Posts.Bookmarked(ctx, post.ID, user.ID); return err }},
		{"bookmarks", 1, 13,
			func(ctx context.Context) error { _, err := s.UserCopies.Bookmarks(ctx, user.ID, 1); return err }},
		{"images", 1, 12, func(ctx context.Context) error { _, err := s.Images.Of(ctx, painter.ID, 1); return err }},
		{"upload", 2, 35, func(ctx context.Context) error {
			image, err := s.Images.Begin(ctx, fixture.AnImage(painter, 99))
			if err != nil {
				return err
			}
			return s.Images.Complete(ctx, painter.ID, image.Name)
		}},
		{"profile", 1, 13, func(ctx context.Context) error {
			return s.Profiles.SetProfile(ctx, painter.ID, domain.Profile{Bio: "Hello"})
		}},
		{"draft begun", 1, 25, func(ctx context.Context) error {
			d := fixture.UnsavedDraft(user, "Title")
			d.Content = post.Content
			_, err := s.Drafts.Save(ctx, d)
			return err
		}},
		{"draft saved", 1, 16, func(ctx context.Context) error {
			saved.Content += "A few words more. "
			d, err := s.Drafts.Save(ctx, saved)
			saved = d
			return err
		}},
		{"draft", 1, 1.5,
			func(ctx context.Context) error { _, err := s.Drafts.Get(ctx, user.ID, saved.PostID); return err }},
		{"open-draft", 2, 3,
			func(ctx context.Context) error { _, _, err := s.Drafts.Open(ctx, user.ID, change.PostID); return err }},
		{"drafts", 1, 8, func(ctx context.Context) error { _, err := s.Drafts.List(ctx, user.ID, 1); return err }},
		{"share-draft", 4, 26,
			func(ctx context.Context) error { _, err := s.Drafts.Share(ctx, user.ID, saved.PostID); return err }},
		{"preview", 3, 4, func(ctx context.Context) error {
			d, err := s.Drafts.Get(t.Context(), user.ID, saved.PostID)
			if err == nil {
				_, err = s.Drafts.Shared(ctx, d.Preview)
			}
			return err
		}},
		{"schedule", 3, 26, func(ctx context.Context) error {
			_, err := s.Drafts.Schedule(ctx, user.ID, saved.PostID, saved.Version, entry.At)
			return err
		}},
		{"schedule looked at", 1, 8, func(ctx context.Context) error {
			for _, err := range s.ScheduledPosts.Upcoming(ctx, fixture.At(0)) {
				return err
			}
			return nil
		}},
		{"publish-scheduled", 8, 69, func(ctx context.Context) error {
			entry.UserID, entry.PostID = user.ID, saved.PostID
			_, err := s.Drafts.PublishScheduled(ctx, entry)
			return err
		}},
		{"publish a draft", 4, 34, func(ctx context.Context) error {
			_, err := s.Drafts.Publish(ctx, user, first, fixture.At(5))
			return err
		}},
		{"publish a change", 4, 40, func(ctx context.Context) error {
			_, err := s.Drafts.Publish(ctx, user, change, fixture.At(5))
			return err
		}},
		{"versions", 1, 6,
			func(ctx context.Context) error { _, err := s.Posts.Versions(ctx, change.PostID, 1); return err }},
		{"version", 1, 1.5,
			func(ctx context.Context) error { _, err := s.Posts.Version(ctx, change.PostID, 1); return err }},
		{"unpublish", 4, 42,
			func(ctx context.Context) error { _, err := s.Drafts.Unpublish(ctx, user.ID, change.PostID); return err }},
		{"liked", 1, 1.5,
			func(ctx context.Context) error { _, err := s.Posts.Liked(ctx, post.ID, user.ID); return err }},
	} {
		usage := s.Cost(t, c.run)
		t.Logf("%-10s %d requests, %.2f RU", c.name, usage.Requests(), usage.Charge())
		if usage.Requests() != c.requests || usage.Charge() <= 0 || usage.Charge() > c.charge {
			t.Errorf("%s takes %d requests and %.2f RU, want %d and at most %.2f",
				c.name, usage.Requests(), usage.Charge(), c.requests, c.charge)
		}
	}
}

// deleteNth deletes the n-th comment of a post.
func (s *suite) deleteNth(t *testing.T, ctx context.Context, postID, userID string, n int) error {
	list, err := s.Posts.Comments(t.Context(), postID, 1) // its cost is not counted
	if err != nil {
		return err
	}
	_, err = s.Posts.DeleteComment(ctx, postID, list.Items[n].ID, userID)
	return err
}
