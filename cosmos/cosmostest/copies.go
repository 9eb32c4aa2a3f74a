package cosmostest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"inkfeed/domain"
)

func summary(author domain.User, minute, version int) domain.Summary {
	return domain.Summary{PostID: domain.NewID(), AuthorID: author.ID, AuthorName: author.Username,
		Title: fmt.Sprint("Post ", minute), Text: "Some text.", Created: at(minute), Version: version}
}

func (s *suite) userPosts(t *testing.T) {
	list := func(t *testing.T, u domain.User) []domain.Summary {
		return all(t, func(page int) (domain.Page[domain.Summary], error) {
			return s.Users.PostsOf(t.Context(), u.ID, page)
		})
	}
	t.Run("is empty for a new user", func(t *testing.T) {
		if posts := list(t, s.mustUser(t)); len(posts) != 0 {
			t.Errorf("%d posts", len(posts))
		}
	})
	t.Run("comes newest first, page by page", func(t *testing.T) {
		user := s.mustUser(t)
		var want []domain.Summary
		for i := range domain.PostsPerPage + 3 {
			sum := summary(user, i%5, 1+i%2) // some share a date
			check(t, s.Users.ApplySummary(t.Context(), sum))
			want = append(want, sum)
		}
		slices.SortFunc(want, domain.NewestFirst)
		if got := list(t, user); !slices.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	})
	t.Run("a copy takes on newer versions and never goes back", func(t *testing.T) {
		user := s.mustUser(t)
		sum := summary(user, 1, 5)
		check(t, s.Users.ApplySummary(t.Context(), sum))
		newer := sum
		newer.Version, newer.LikeCount, newer.Title, newer.AuthorName = 9, 4, "Quotes \" and \\", "newname"
		older := sum
		older.Version, older.LikeCount = 6, 2
		first := sum
		first.Version = 1
		for _, v := range []domain.Summary{newer, older, first, newer} {
			check(t, s.Users.ApplySummary(t.Context(), v))
		}
		if got := list(t, user); !slices.Equal(got, []domain.Summary{newer}) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("writers in any order leave the newest version", func(t *testing.T) {
		user := s.mustUser(t)
		sum := summary(user, 1, 0)
		var group sync.WaitGroup
		for _, v := range rand.New(rand.NewPCG(1, 2)).Perm(20) {
			group.Go(func() {
				mine := sum
				mine.Version, mine.LikeCount = v+1, v+1
				if err := s.Users.ApplySummary(t.Context(), mine); err != nil {
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

// feed is the only part that needs the feed for itself.
func (s *suite) feed(t *testing.T) {
	author := s.mustUser(t)
	front := func(t *testing.T) []domain.Summary {
		return all(t, func(page int) (domain.Page[domain.Summary], error) {
			return s.Feed.FrontPage(t.Context(), page)
		})
	}
	var posts []domain.Summary
	for i := range 250 {
		posts = append(posts, summary(author, i/2, 1))
	}
	newest := func(from []domain.Summary) []domain.Summary {
		sorted := slices.Clone(from)
		slices.SortFunc(sorted, domain.NewestFirst)
		return sorted[:min(len(sorted), domain.FeedLimit)]
	}
	t.Run("is empty at first", func(t *testing.T) {
		if got := front(t); len(got) != 0 {
			t.Fatalf("%d posts", len(got))
		}
	})
	t.Run("shows a post", func(t *testing.T) {
		check(t, s.Feed.Apply(t.Context(), posts[:1]))
		if got := front(t); !slices.Equal(got, posts[:1]) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("keeps the newest when many come at once", func(t *testing.T) {
		check(t, s.Feed.Apply(t.Context(), posts[:130]))
		if got := front(t); !slices.Equal(got, newest(posts[:130])) {
			t.Errorf("%d posts, not the newest of 130", len(got))
		}
	})
	t.Run("an older post does not come in", func(t *testing.T) {
		check(t, s.Feed.Apply(t.Context(), posts[:3]))
		if got := front(t); !slices.Equal(got, newest(posts[:130])) {
			t.Errorf("%d posts, not the newest of 130", len(got))
		}
	})
	t.Run("a copy takes on newer versions and never goes back", func(t *testing.T) {
		old := posts[129]
		posts[129].Version, posts[129].LikeCount = 5, 3
		check(t, s.Feed.Apply(t.Context(), posts[129:130]))
		check(t, s.Feed.Apply(t.Context(), []domain.Summary{old}))
		if got := front(t); !slices.Equal(got, newest(posts[:130])) {
			t.Errorf("the newest is %+v", got[0])
		}
	})
	t.Run("writers that race leave exactly the newest", func(t *testing.T) {
		var group sync.WaitGroup
		for part := range slices.Chunk(posts[130:], 15) {
			group.Go(func() {
				for _, p := range part {
					if err := s.Feed.Apply(t.Context(), []domain.Summary{p}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		group.Wait()
		if got := front(t); !slices.Equal(got, newest(posts)) {
			t.Errorf("%d posts, not the newest of all", len(got))
		}
	})
	t.Run("is paged", func(t *testing.T) {
		last := must[domain.Page[domain.Summary]](t)(s.Feed.FrontPage(t.Context(), domain.FeedLimit/domain.PostsPerPage))
		if len(last.Items) != domain.PostsPerPage || last.More {
			t.Errorf("the last page has %d posts, more %t", len(last.Items), last.More)
		}
		beyond := must[domain.Page[domain.Summary]](t)(s.Feed.FrontPage(t.Context(), 6))
		if len(beyond.Items) != 0 || beyond.More {
			t.Errorf("beyond the end there are %d posts", len(beyond.Items))
		}
	})
}

func (s *suite) spread(t *testing.T) {
	author, reader := s.mustUser(t), s.mustUser(t)
	var posts []domain.Post
	for i := range 3 {
		p := s.mustPost(t, author, i)
		must[domain.Post](t)(s.Posts.Like(t.Context(), domain.NewLike(author, p.ID, at(1))))
		must[domain.Post](t)(s.Posts.Like(t.Context(), domain.NewLike(reader, p.ID, at(2))))
		posts = append(posts, p)
	}
	for i := range 110 { // more than one transaction holds
		s.mustComment(t, author, posts[0].ID, i)
	}
	s.mustComment(t, reader, posts[0].ID, 200)
	name := freshName()

	if n := must[int](t)(s.Posts.SpreadName(t.Context(), author.ID, name)); n != 3+3+110 {
		t.Errorf("%d items changed", n)
	}
	if n := must[int](t)(s.Posts.SpreadName(t.Context(), author.ID, name)); n != 0 {
		t.Errorf("%d items changed the second time", n)
	}
	for _, p := range posts {
		got := must[domain.Post](t)(s.Posts.Get(t.Context(), p.ID))
		if got.AuthorName != name || got.Version <= p.Version || got.Revision != p.Revision {
			t.Errorf("post %+v", got)
		}
		for _, l := range all(t, func(page int) (domain.Page[domain.Like], error) {
			return s.Posts.Likes(t.Context(), p.ID, page)
		}) {
			if want := map[string]string{author.ID: name, reader.ID: reader.Username}[l.UserID]; l.Username != want {
				t.Errorf("like %+v, want the name %s", l, want)
			}
		}
	}
	for _, c := range all(t, func(page int) (domain.Page[domain.Comment], error) {
		return s.Posts.Comments(t.Context(), posts[0].ID, page)
	}) {
		if want := map[string]string{author.ID: name, reader.ID: reader.Username}[c.AuthorID]; c.AuthorName != want {
			t.Errorf("comment %+v, want the name %s", c, want)
		}
	}

	t.Run("one item can be corrected alone", func(t *testing.T) {
		check(t, s.Posts.SetAuthorName(t.Context(), posts[1].ID, domain.LikeID(reader.ID), "corrected"))
		check(t, s.Posts.SetAuthorName(t.Context(), posts[1].ID, domain.LikeID(domain.NewUserID(nil)), "gone"))
		page := must[domain.Page[domain.Like]](t)(s.Posts.Likes(t.Context(), posts[1].ID, 1))
		if page.Items[0].Username != "corrected" {
			t.Errorf("likes %+v", page.Items)
		}
	})
	t.Run("how far it has spread never goes back", func(t *testing.T) {
		for _, v := range []int{4, 2} {
			check(t, s.Users.MarkSpread(t.Context(), author.ID, v))
		}
		if got := must[domain.User](t)(s.Users.ByID(t.Context(), author.ID)); got.SpreadVersion != 4 {
			t.Errorf("spread version %d", got.SpreadVersion)
		}
	})
}
