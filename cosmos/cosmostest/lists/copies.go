package lists

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) userPosts(t *testing.T) {
	list := func(t *testing.T, u domain.User) []domain.Summary {
		return fixture.All(t, func(page int) (domain.ListPage[domain.Summary], error) {
			return s.UserCopies.PostsOf(t.Context(), u.ID, page)
		})
	}
	fixture.Run(t, "a new user has no posts", func(t *testing.T) {
		if posts := list(t, s.MustUser(t)); len(posts) != 0 {
			t.Errorf("the list has %d posts", len(posts))
		}
	})
	fixture.Run(t, "the list is paged, newest first", func(t *testing.T) {
		user := s.MustUser(t)
		var want []domain.Summary
		for i := range domain.PostsPerPage + 3 {
			sum := fixture.Summary(user, i%5, 1+i%2) // some have equal dates
			fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), sum))
			want = append(want, sum)
		}
		slices.SortFunc(want, domain.NewestFirst)
		if got := list(t, user); !slices.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	})
	fixture.Run(t, "the list omits unlisted posts", func(t *testing.T) {
		user := s.MustUser(t)
		sum := fixture.Summary(user, 1, 1)
		for i, status := range []domain.Status{domain.Unlisted, domain.Published, domain.Unpublished,
			domain.Published} {
			sum.Status, sum.Version = status, i+1
			fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), sum))
			var want []domain.Summary
			if status.Listed() {
				want = append(want, sum)
			}
			if got := list(t, user); !slices.Equal(got, want) {
				t.Errorf("%q: got %+v", status, got)
			}
		}
	})
	fixture.Run(t, "a copy accepts newer versions only", func(t *testing.T) {
		user := s.MustUser(t)
		sum := fixture.Summary(user, 1, 5)
		fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), sum))
		newer := sum
		newer.Version, newer.LikeCount, newer.Title, newer.AuthorName = 9, 4, "Quotes \" and \\", "newname"
		older := sum
		older.Version, older.LikeCount = 6, 2
		first := sum
		first.Version = 1
		for _, v := range []domain.Summary{newer, older, first, newer} {
			fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), v))
		}
		if got := list(t, user); !slices.Equal(got, []domain.Summary{newer}) {
			t.Errorf("got %+v", got)
		}
	})
	fixture.Run(t, "concurrent writers leave the newest version", func(t *testing.T) {
		user := s.MustUser(t)
		sum := fixture.Summary(user, 1, 0)
		var group sync.WaitGroup
		for _, v := range rand.New(rand.NewPCG(1, 2)).Perm(20) {
			group.Go(func() {
				mine := sum
				mine.Version, mine.LikeCount = v+1, v+1
				if err := s.UserCopies.ApplySummary(t.Context(), mine); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if got := list(t, user); len(got) != 1 || got[0].Version != 20 || got[0].LikeCount != 20 {
			t.Errorf("got %+v", got)
		}
	})
}

func (s *suite) propagation(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	var posts []domain.Post
	for i := range 3 {
		p := s.MustPost(t, author, i)
		fixture.Must[domain.Post](t)(s.Posts.Like(t.Context(), domain.NewLike(author, p.ID, fixture.At(1))))
		fixture.Must[domain.Post](t)(s.Posts.Like(t.Context(), domain.NewLike(reader, p.ID, fixture.At(2))))
		posts = append(posts, p)
	}
	for i := range 110 { // more than fit in one transaction
		s.MustComment(t, author, posts[0].ID, i)
	}
	s.MustComment(t, reader, posts[0].ID, 200)
	name := fixture.FreshName()

	propagate := func(as domain.Author, want domain.Step) {
		t.Helper()
		done, err := s.Posts.PropagateName(t.Context(), author.ID, as, 1000)
		if fixture.Check(t, err); done != want {
			t.Errorf("the propagation of %+v: %+v, want %+v", as, done, want)
		}
	}
	all := domain.Step{Items: 3 + 3 + 110, Posts: 3}
	propagate(domain.Author{Name: name}, all)
	propagate(domain.Author{Name: name}, domain.Step{})
	for _, p := range posts {
		got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), p.ID))
		if got.AuthorName != name || got.Version <= p.Version || got.Revision != p.Revision {
			t.Errorf("post %+v", got)
		}
		for _, l := range fixture.All(t, func(page int) (domain.ListPage[domain.Like], error) {
			return s.Posts.Likes(t.Context(), p.ID, page)
		}) {
			if want := map[string]string{author.ID: name, reader.ID: reader.Username}[l.UserID]; l.Username != want {
				t.Errorf("like %+v, want the name %s", l, want)
			}
		}
	}
	for _, c := range fixture.All(t, func(page int) (domain.ListPage[domain.Comment], error) {
		return s.Posts.Comments(t.Context(), posts[0].ID, page)
	}) {
		if want := map[string]string{author.ID: name, reader.ID: reader.Username}[c.AuthorID]; c.AuthorName != want {
			t.Errorf("comment %+v, want the name %s", c, want)
		}
	}

	fixture.Run(t, "a display name propagates like a username when set, changed and removed", func(t *testing.T) {
		// A bookmark contains no name.
		fixture.Must[domain.Bookmark](t)(s.Posts.Bookmark(t.Context(), posts[0], author.ID, fixture.At(3)))
		for _, display := range []string{"Ada Lovelace", "東京 太郎", `A. "Quote" O'Hara \`, ""} {
			as := domain.Author{Name: name, DisplayName: display}
			propagate(as, all)
			propagate(as, domain.Step{})
			if got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(),
				posts[0].ID)); got.AuthorDisplayName != display ||
				got.AuthorName != name {
				t.Errorf("post %+v", got)
			}
			comments := fixture.Must[domain.ListPage[domain.Comment]](t)(s.Posts.Comments(t.Context(), posts[0].ID, 1))
			if got := comments.Items[0]; got.AuthorDisplayName != display || got.AuthorName != name {
				t.Errorf("comment %+v", got)
			}
		}
	})
	fixture.Run(t, "an avatar propagates like a name when set, changed and removed", func(t *testing.T) {
		for _, avatar := range []string{"one.jpg", "two.png", ""} {
			as := domain.Author{Name: name, Avatar: avatar}
			propagate(as, all)
			propagate(as, domain.Step{})
			post := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), posts[0].ID))
			comments := fixture.Must[domain.ListPage[domain.Comment]](t)(s.Posts.Comments(t.Context(), posts[0].ID, 1))
			if comment := comments.Items[0]; post.AuthorAvatar != avatar || comment.AuthorAvatar != avatar {
				t.Errorf("post %+v, comment %+v", post, comment)
			}
		}
	})
	fixture.Run(t, "a single item can be corrected", func(t *testing.T) {
		fixture.Check(t, s.Posts.SetAuthorName(t.Context(), posts[1].ID, domain.LikeID(reader.ID),
			domain.Author{Name: "corrected", DisplayName: "Correct Ed", Avatar: "ed.jpg"}))
		fixture.Check(t, s.Posts.SetAuthorName(t.Context(), posts[1].ID, domain.LikeID(domain.NewUserID(nil)),
			domain.Author{Name: "gone"}))
		page := fixture.Must[domain.ListPage[domain.Like]](t)(s.Posts.Likes(t.Context(), posts[1].ID, 1))
		if got := page.Items[0]; got.Username != "corrected" || got.DisplayName != "Correct Ed" ||
			got.Avatar != "ed.jpg" {
			t.Errorf("likes %+v", page.Items)
		}
	})
	fixture.Run(t, "a comment that became a placeholder keeps no name", func(t *testing.T) {
		c, _ := s.MustComment(t, reader, posts[2].ID, 3)
		s.MustReply(t, author, c, 4)
		fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), c.PostID, c.ID, reader.ID))
		fixture.Check(t, s.Posts.SetAuthorName(t.Context(), c.PostID, c.ID, domain.Author{Name: fixture.FreshName(),
			DisplayName: "Somebody", Avatar: "somebody.jpg"}))
		if now := fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), c.PostID, c.ID)); now.AuthorName+
			now.AuthorDisplayName+now.AuthorAvatar != "" {
			t.Errorf("placeholder %+v", now)
		}
	})
	fixture.Run(t, "a propagation of several steps reports that it is unfinished and resumes", func(t *testing.T) {
		busy, name := s.MustUser(t), fixture.FreshName()
		post := fixture.Must[domain.Post](t)(domain.NewPost(author, "Title", "Text", fixture.At(7)))
		var comments []domain.Comment
		for i := range 1050 {
			comments = append(comments, fixture.Must[domain.Comment](t)(domain.NewComment(busy, post.ID, "Hello",
				fixture.At(i))))
		}
		fixture.Check(t, s.Posts.Import(t.Context(), post, comments, nil))
		done, steps := 0, 0
		for more := true; more; steps++ {
			step, err := s.Posts.PropagateName(t.Context(), busy.ID, domain.Author{Name: name}, 1000)
			fixture.Check(t, err)
			done, more = done+step.Items, step.More
		}
		if done != 1050 || steps != 2 {
			t.Errorf("the propagation changed %d items in %d steps", done, steps)
		}
	})
	fixture.Run(t, "the propagated version never decreases", func(t *testing.T) {
		for _, v := range []int{4, 2} {
			fixture.Check(t, s.Users.MarkPropagated(t.Context(), author.ID, v))
		}
		if got := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), author.ID)); got.PropagatedVersion != 4 {
			t.Errorf("the propagated version is %d", got.PropagatedVersion)
		}
	})
}
