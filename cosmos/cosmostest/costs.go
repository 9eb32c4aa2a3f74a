package cosmostest

import (
	"context"
	"fmt"
	"testing"

	"inkfeed/domain"
)

func (s *suite) mustImport(t *testing.T, author domain.User, comments, likes int) domain.Post {
	t.Helper()
	post, cs, ls := imported(t, author, comments, likes)
	check(t, s.Posts.Import(t.Context(), post, cs, ls))
	return post
}

// imported makes a post with what readers left under it.
func imported(t *testing.T, author domain.User, comments, likes int) (domain.Post, []domain.Comment, []domain.Like) {
	t.Helper()
	post := must[domain.Post](t)(domain.NewPost(author, "Imported", repeat("Some words of text. ", 60), at(0)))
	var cs []domain.Comment
	for i := range comments {
		cs = append(cs, must[domain.Comment](t)(domain.NewComment(author, post.ID, fmt.Sprint("Comment ", i), at(i))))
	}
	var ls []domain.Like
	for i := range likes {
		ls = append(ls, domain.Like{PostID: post.ID, UserID: domain.NewUserID(nil), Username: fmt.Sprint("user", i), Created: at(i)})
	}
	return post, cs, ls
}

func (s *suite) imports(t *testing.T) {
	author := s.mustUser(t)
	for name, size := range map[string]struct{ comments, likes int }{
		"alone":                                {0, 0},
		"in one transaction":                   {25, 74},
		"in two":                               {25, 100},
		"in three, comments over one boundary": {110, 120},
	} {
		t.Run(name, func(t *testing.T) {
			post, comments, likes := imported(t, author, size.comments, size.likes)
			for range 2 { // the second time adds nothing
				check(t, s.Posts.Import(t.Context(), post, comments, likes))
				s.wantCounts(t, post.ID, size.comments, size.likes)
			}
		})
	}
	t.Run("is finished after it was cut off", func(t *testing.T) {
		post, comments, likes := imported(t, author, 25, 150)
		check(t, s.Posts.Import(t.Context(), post, comments, likes[:74]))
		s.wantCounts(t, post.ID, 25, 74)
		check(t, s.Posts.Import(t.Context(), post, comments, likes))
		s.wantCounts(t, post.ID, 25, 150)
	})
}

// costs holds what the model is for: each request is served by one partition.
func (s *suite) costs(t *testing.T) {
	user := s.mustUser(t)
	// The article's proportions: 25 posts a user, 20 comments and 50 likes a post.
	post := s.mustImport(t, user, 20, 50)
	for i := range 25 {
		check(t, s.Users.ApplySummary(t.Context(), summary(user, i, 1)))
	}
	comment := func() domain.Comment {
		return must[domain.Comment](t)(domain.NewComment(user, post.ID, "Hello", at(2)))
	}
	for _, c := range []struct {
		name     string
		requests int
		charge   float64 // at most, in RU: the article's figure for V3 with room for noise
		run      func(ctx context.Context) error
	}{
		{"C1", 3, 40, func(ctx context.Context) error {
			u, err := domain.NewUser(freshName(), epoch)
			if err != nil {
				return err
			}
			return s.Users.Create(ctx, u, "")
		}},
		{"Q1", 1, 1.5, func(ctx context.Context) error { _, err := s.Users.ByID(ctx, user.ID); return err }},
		{"Q1 by name", 2, 3, func(ctx context.Context) error { _, err := s.Users.ByName(ctx, user.Username); return err }},
		{"C2", 1, 13, func(ctx context.Context) error {
			p, err := domain.NewPost(user, "Title", "Text", epoch)
			if err != nil {
				return err
			}
			return s.Posts.Create(ctx, p)
		}},
		{"Q2", 1, 1.5, func(ctx context.Context) error { _, err := s.Posts.Get(ctx, post.ID); return err }},
		{"Q3", 1, 13, func(ctx context.Context) error { _, err := s.Users.PostsOf(ctx, user.ID, 1); return err }},
		{"C3", 1, 25, func(ctx context.Context) error { _, err := s.Posts.AddComment(ctx, comment()); return err }},
		{"Q4", 1, 12, func(ctx context.Context) error { _, err := s.Posts.Comments(ctx, post.ID, 1); return err }},
		{"C4", 1, 25, func(ctx context.Context) error {
			_, err := s.Posts.Like(ctx, domain.NewLike(user, post.ID, epoch))
			return err
		}},
		{"Q5", 1, 18, func(ctx context.Context) error { _, err := s.Posts.Likes(ctx, post.ID, 1); return err }},
		{"Q6", 1, 17, func(ctx context.Context) error { _, err := s.Feed.FrontPage(ctx, 1); return err }},
		{"liked", 1, 1.5, func(ctx context.Context) error { _, err := s.Posts.Liked(ctx, post.ID, user.ID); return err }},
	} {
		usage := cost(t, c.run)
		t.Logf("%-10s %d requests, %.2f RU", c.name, usage.Requests(), usage.Charge())
		if usage.Requests() != c.requests || usage.Charge() <= 0 || usage.Charge() > c.charge {
			t.Errorf("%s takes %d requests and %.2f RU, want %d and at most %.2f",
				c.name, usage.Requests(), usage.Charge(), c.requests, c.charge)
		}
	}
}
