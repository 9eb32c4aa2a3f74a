package cosmostest

import (
	"fmt"
	"sync"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) posts(t *testing.T) {
	author := s.MustUser(t)
	edit := func(p domain.Post, revision int, title string) domain.Edit {
		return fixture.Must[domain.Edit](t)(domain.NewEdit(p.ID, revision, title, "New text with \"quotes\" and <b>.",
			fixture.At(9)))
	}
	fixture.Run(t, "a post is read as written", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		if got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)); got != post {
			t.Errorf("got %+v, want %+v", got, post)
		}
		if got := fixture.Must[domain.User](t)(s.Posts.Author(t.Context(), post.ID)); got.ID != author.ID ||
			got.Username != author.Username {
			t.Errorf("its author is %+v", got)
		}
		fixture.Check(t, s.Posts.Create(t.Context(), post)) // a retry after a lost response
	})
	fixture.Run(t, "a missing post is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "", "..", ".", "a/b", "x"} {
			_, err := s.Posts.Get(t.Context(), id)
			fixture.WantKind(t, err, domain.NotFound)
			_, err = s.Posts.Edit(t.Context(), domain.Edit{PostID: id, Revision: 1}, author.ID)
			fixture.WantKind(t, err, domain.NotFound)
		}
	})
	fixture.Run(t, "an edit changes the author's fields and no counter", func(t *testing.T) {
		post := s.MustPost(t, author, 2)
		s.MustComment(t, author, post.ID, 3)
		fixture.Must[domain.Post](t)(s.Posts.Like(t.Context(), domain.NewLike(author, post.ID, fixture.At(4))))
		got := fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), edit(post, 1, "New title"), author.ID))
		want := post
		want.Title, want.Content, want.Edited = "New title", "New text with \"quotes\" and <b>.", fixture.At(9)
		want.CommentCount, want.LikeCount, want.Revision, want.Version = 1, 1, 2, 4
		if got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
		if read := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)); read != want {
			t.Errorf("read %+v\nwant %+v", read, want)
		}
	})
	fixture.Run(t, "an edit of an old revision is a conflict and changes nothing", func(t *testing.T) {
		post := s.MustPost(t, author, 3)
		first := fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), edit(post, 1, "First"), author.ID))
		_, err := s.Posts.Edit(t.Context(), edit(post, 1, "Second"), author.ID)
		fixture.WantKind(t, err, domain.Conflict)
		if got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)); got != first {
			t.Errorf("the post is now %+v", got)
		}
	})
	fixture.Run(t, "a repeated edit is no conflict", func(t *testing.T) {
		post := s.MustPost(t, author, 3)
		for range 2 {
			got := fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), edit(post, 1, "Once"), author.ID))
			if got.Revision != 2 {
				t.Errorf("revision %d", got.Revision)
			}
		}
	})
	fixture.Run(t, "only the author can edit", func(t *testing.T) {
		post := s.MustPost(t, author, 5)
		_, err := s.Posts.Edit(t.Context(), edit(post, 1, "Mine"), s.MustUser(t).ID)
		fixture.WantKind(t, err, domain.Forbidden)
	})
	for name, unit := range map[string]string{"ASCII": "a", "Chinese": "漢", "emoji": "👩‍👩‍👧", "quotes": `"`,
		"lines": "x\n", "HTML": "<", "separators": "a\u2028"} {
		fixture.Run(t, "the largest post can be created, edited and published: "+name, func(t *testing.T) {
			text := func(first string) string {
				return first + repeat(unit, (domain.MaxContent-len(first)-1)/domain.StoredBytes(unit)) + "z"
			}
			title := repeat("<", domain.MaxTitle)
			large := fixture.Must[domain.Post](t)(domain.NewPost(author, title, text("1"), fixture.At(1)))
			fixture.Check(t, s.Posts.Create(t.Context(), large))
			if got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), large.ID)); got != large {
				t.Error("the post is read with another text")
			}
			e := fixture.Must[domain.Edit](t)(domain.NewEdit(large.ID, 1, title, text("2"), fixture.At(2)))
			edited := fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), e, author.ID))
			if v := fixture.Must[domain.PostVersion](t)(s.Posts.Version(t.Context(), large.ID,
				1)); v.Content != large.Content || edited.Content != e.Content {
				t.Error("the edited post or its past version has another text")
			}
			d := domain.DraftOf(edited, fixture.At(3))
			d.Content = text("3")
			saved := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
			published := fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, saved, fixture.At(4)))
			if published.Content != d.Content || published.Revision != 3 {
				t.Errorf("the published revision is %d", published.Revision)
			}
			e = fixture.Must[domain.Edit](t)(domain.NewEdit(large.ID, 3, title, published.Content, fixture.At(5)))
			e.Status = domain.Unpublished
			if gone := fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), e,
				author.ID)); gone.Content != published.Content || gone.Status != domain.Unpublished {
				t.Errorf("the unpublished post has the status %s and %d bytes", gone.Status, len(gone.Content))
			}
			large.ID = domain.NewID()
			fixture.Check(t, s.Posts.Import(t.Context(), large, nil, nil))
		})
	}
}

func repeat(s string, n int) string {
	b := make([]byte, 0, len(s)*n)
	for range n {
		b = append(b, s...)
	}
	return string(b)
}

func (s *suite) comments(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "a comment is counted in the same transaction and has its position", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		for i := range 3 {
			if _, place := s.MustComment(t, author, post.ID, 10+i); place != i+1 {
				t.Errorf("the comment has the position %d, want %d", place, i+1)
			}
		}
		s.WantCounts(t, post.ID, 3, 0)
	})
	fixture.Run(t, "a repeated comment is stored once", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		c, _ := s.MustComment(t, author, post.ID, 10)
		if place := fixture.Must[domain.Post](t)(s.Posts.AddComment(t.Context(), c)).CommentCount; place != 1 {
			t.Errorf("place %d", place)
		}
		s.WantCounts(t, post.ID, 1, 0)
	})
	fixture.Run(t, "a comment on a missing post is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "..", ""} {
			c := fixture.Must[domain.Comment](t)(domain.NewComment(author, id, "Hello", fixture.Epoch))
			_, err := s.Posts.AddComment(t.Context(), c)
			fixture.WantKind(t, err, domain.NotFound)
		}
	})
	fixture.Run(t, "Q4 lists them oldest first, page by page", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		const n = domain.CommentsPerPage + 2
		for i := range n {
			s.MustComment(t, author, post.ID, (i*7)%n) // in an order other than by date
		}
		first := fixture.Must[domain.ListPage[domain.Comment]](t)(s.Posts.Comments(t.Context(), post.ID, 1))
		if len(first.Items) != domain.CommentsPerPage || !first.More {
			t.Errorf("the first page has %d comments, more %t", len(first.Items), first.More)
		}
		list := fixture.All(t, func(page int) (domain.ListPage[domain.Comment], error) {
			return s.Posts.Comments(t.Context(), post.ID, page)
		})
		for i, c := range list {
			if c.Content != fmt.Sprint("Comment ", i) || c.PostID != post.ID || c.AuthorName != author.Username {
				t.Fatalf("comment %d is %+v", i, c)
			}
		}
		if len(list) != n {
			t.Errorf("the list has %d comments", len(list))
		}
	})
}

func (s *suite) likes(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "a like counts once however often it is sent", func(t *testing.T) {
		post, user := s.MustPost(t, author, 1), s.MustUser(t)
		if fixture.Must[bool](t)(s.Posts.Liked(t.Context(), post.ID, user.ID)) {
			t.Error("the post is liked before the like")
		}
		for range 3 {
			if n := fixture.Must[domain.Post](t)(s.Posts.Like(t.Context(),
				domain.NewLike(user, post.ID, fixture.At(2)))).LikeCount; n != 1 {
				t.Errorf("count %d", n)
			}
		}
		if !fixture.Must[bool](t)(s.Posts.Liked(t.Context(), post.ID, user.ID)) {
			t.Error("the post is not liked after the like")
		}
		s.WantCounts(t, post.ID, 0, 1)
		for range 2 {
			if n := fixture.Must[domain.Post](t)(s.Posts.Unlike(t.Context(), post.ID, user.ID)).LikeCount; n != 0 {
				t.Errorf("count %d", n)
			}
		}
		s.WantCounts(t, post.ID, 0, 0)
	})
	fixture.Run(t, "a like of a missing post is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), ".."} {
			_, err := s.Posts.Like(t.Context(), domain.NewLike(author, id, fixture.Epoch))
			fixture.WantKind(t, err, domain.NotFound)
			_, err = s.Posts.Unlike(t.Context(), id, author.ID)
			fixture.WantKind(t, err, domain.NotFound)
		}
	})
	fixture.Run(t, "Q5 lists them newest first", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		for i := range 3 {
			like := domain.Like{PostID: post.ID, UserID: domain.NewUserID(nil), Username: fmt.Sprint("user", i),
				Created: fixture.At(i)}
			fixture.Must[domain.Post](t)(s.Posts.Like(t.Context(), like))
		}
		page := fixture.Must[domain.ListPage[domain.Like]](t)(s.Posts.Likes(t.Context(), post.ID, 1))
		for i, l := range page.Items {
			if l.Username != fmt.Sprint("user", 2-i) {
				t.Errorf("like %d is %+v", i, l)
			}
		}
	})
	fixture.Run(t, "counts and items agree after many concurrent changes", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		users := make([]domain.User, 12)
		for i := range users {
			users[i] = domain.User{ID: domain.NewUserID(nil), Username: fmt.Sprint("user", i)}
		}
		var group sync.WaitGroup
		for i, u := range users {
			for range 3 {
				group.Go(func() {
					if _, err := s.Posts.Like(t.Context(), domain.NewLike(u, post.ID, fixture.At(i))); err != nil {
						t.Error(err)
					}
					if i%3 == 0 {
						if _, err := s.Posts.Unlike(t.Context(), post.ID, u.ID); err != nil {
							t.Error(err)
						}
					}
					c, err := domain.NewComment(u, post.ID, "Hello", fixture.At(i))
					if err == nil {
						_, err = s.Posts.AddComment(t.Context(), c)
					}
					if err != nil {
						t.Error(err)
					}
				})
			}
		}
		group.Wait()
		likes := fixture.All(t, func(page int) (domain.ListPage[domain.Like], error) {
			return s.Posts.Likes(t.Context(), post.ID, page)
		})
		if len(likes) != 8 {
			t.Errorf("%d likes remain, want those of the 8 users who kept theirs", len(likes))
		}
		s.WantCounts(t, post.ID, 3*len(users), len(likes))
	})
}
