package cosmostest

import (
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// mustBookmark bookmarks a post and copies the bookmark to the reader's list, as the workers do.
func (s *suite) mustBookmark(t *testing.T, reader domain.User, postID string) domain.Bookmark {
	t.Helper()
	post := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), postID))
	b := fixture.Must[domain.Bookmark](t)(s.Posts.Bookmark(t.Context(), post, reader.ID, time.Now()))
	fixture.Check(t, s.UserCopies.ApplyBookmark(t.Context(), s.Markdown.BookmarkedPost(b, post)))
	return b
}

func (s *suite) mustUnbookmark(t *testing.T, reader domain.User, postID string) domain.Bookmark {
	t.Helper()
	b := fixture.Must[domain.Bookmark](t)(s.Posts.Unbookmark(t.Context(), postID, reader.ID))
	fixture.Check(t, s.UserCopies.ApplyBookmark(t.Context(), domain.BookmarkedPost{Bookmark: b}))
	return b
}

func (s *suite) saved(t *testing.T, reader domain.User) []domain.BookmarkedPost {
	t.Helper()
	return fixture.All(t, func(page int) (domain.ListPage[domain.BookmarkedPost], error) {
		return s.UserCopies.Bookmarks(t.Context(), reader.ID, page)
	})
}

func (s *suite) bookmarks(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "a bookmark exists once until it is removed", func(t *testing.T) {
		post, reader := s.MustPost(t, author, 1), s.MustUser(t)
		bookmarked := func() bool { return fixture.Must[bool](t)(s.Posts.Bookmarked(t.Context(), post.ID, reader.ID)) }
		if bookmarked() {
			t.Error("the post is bookmarked before the bookmark")
		}
		if b := fixture.Must[domain.Bookmark](t)(s.Posts.Unbookmark(t.Context(), post.ID,
			reader.ID)); b != (domain.Bookmark{}) {
			t.Errorf("removing a missing bookmark returns %+v", b)
		}
		first := s.mustBookmark(t, reader, post.ID)
		if again := s.mustBookmark(t, reader, post.ID); again != first || !bookmarked() {
			t.Errorf("the bookmark is %+v, then %+v", first, again)
		}
		gone := s.mustUnbookmark(t, reader, post.ID)
		if again := s.mustUnbookmark(t, reader, post.ID); again != gone || bookmarked() || gone.Deleted.IsZero() ||
			gone.Version <= first.Version {
			t.Errorf("the removed bookmark is %+v, then %+v", gone, again)
		}
		if anew := s.mustBookmark(t, reader, post.ID); anew.Version <= gone.Version || !bookmarked() ||
			!anew.Deleted.IsZero() {
			t.Errorf("the new bookmark is %+v, the removed one was %+v", anew, gone)
		}
		if n := len(s.saved(t, reader)); n != 1 {
			t.Errorf("the list has %d bookmarks", n)
		}
	})
	fixture.Run(t, "a bookmark changes no counter and no version of the post", func(t *testing.T) {
		post, reader := s.MustPost(t, author, 1), s.MustUser(t)
		s.mustBookmark(t, reader, post.ID)
		got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
		if got.Bookmarked != post.BookmarkDigest() {
			t.Errorf("the post records %q as bookmarked", got.Bookmarked)
		}
		got.Bookmarked = ""
		if got != post {
			t.Errorf("got %+v, want %+v", got, post)
		}
	})
	fixture.Run(t, "a reader who read the post before the first bookmark does not undo the workers' record",
		func(t *testing.T) {
			post := s.MustPost(t, author, 1)
			s.mustBookmark(t, s.MustUser(t), post.ID)
			first := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
			if !fixture.Must[bool](t)(s.Posts.SetBookmarked(t.Context(), first, "another state~")) {
				t.Fatal("the record is not made")
			}
			late := s.MustUser(t)
			fixture.Must[domain.Bookmark](t)(s.Posts.Bookmark(t.Context(), post, late.ID, time.Now()))
			got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
			if got.Bookmarked != "another state~" ||
				!fixture.Must[bool](t)(s.Posts.Bookmarked(t.Context(), post.ID, late.ID)) {
				t.Errorf("the record is %q", got.Bookmarked)
			}
		})
	fixture.Run(t, "an instance records nothing on a record that has changed, nor on a deleted post",
		func(t *testing.T) {
			post := s.MustPost(t, author, 1)
			s.mustBookmark(t, s.MustUser(t), post.ID)
			slow := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
			if !fixture.Must[bool](t)(s.Posts.SetBookmarked(t.Context(), slow, "another state~")) ||
				fixture.Must[bool](t)(s.Posts.SetBookmarked(t.Context(), slow, slow.BookmarkDigest())) {
				t.Error("the slow instance makes a record")
			}
			slow.Bookmarked = "another state~"
			fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
			if fixture.Must[bool](t)(s.Posts.SetBookmarked(t.Context(), slow, slow.BookmarkDigest())) {
				t.Error("a deleted post gets a record")
			}
		})
	fixture.Run(t, "a missing or deleted post cannot be bookmarked", func(t *testing.T) {
		post, reader := s.MustPost(t, author, 1), s.MustUser(t)
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		for _, p := range []domain.Post{post, {ID: domain.NewID()}, {ID: ".."}} {
			_, err := s.Posts.Bookmark(t.Context(), p, reader.ID, time.Now())
			fixture.WantKind(t, err, domain.NotFound)
		}
	})
}

func (s *suite) bookmarkLists(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "the list is paged, newest first, with summaries of the posts", func(t *testing.T) {
		reader := s.MustUser(t)
		var want []string
		for i := range domain.BookmarksPerPage + 2 {
			post := s.MustPost(t, author, i)
			b := fixture.Must[domain.Bookmark](t)(s.Posts.Bookmark(t.Context(), post, reader.ID, fixture.At(i)))
			fixture.Check(t, s.UserCopies.ApplyBookmark(t.Context(), s.Markdown.BookmarkedPost(b, post)))
			want = append(want, post.ID)
		}
		slices.Reverse(want)
		var got []string
		for _, saved := range s.saved(t, reader) {
			got = append(got, saved.PostID)
			post := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), saved.PostID))
			if saved.Post != s.Markdown.BookmarkedPost(saved.Bookmark, post).Post || saved.Post.Title == "" ||
				saved.Post.Text == "" {
				t.Errorf("the list shows %+v", saved.Post)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if page := fixture.Must[domain.ListPage[domain.BookmarkedPost]](t)(s.UserCopies.Bookmarks(t.Context(),
			reader.ID,
			1)); len(page.Items) != domain.BookmarksPerPage || !page.More {
			t.Errorf("the first page has %d bookmarks, more %t", len(page.Items), page.More)
		}
	})
	fixture.Run(t, "older versions of bookmark or post never replace a newer copy", func(t *testing.T) {
		reader := s.MustUser(t)
		old := s.MustPost(t, author, 1)
		edit := fixture.Must[domain.Edit](t)(domain.NewEdit(old.ID, 1, "New title", "New text", fixture.At(5)))
		edited := fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), edit, author.ID))
		first := fixture.Must[domain.Bookmark](t)(s.Posts.Bookmark(t.Context(), edited, reader.ID, fixture.At(6)))
		second := first
		second.Created, second.Version = fixture.At(7), first.Version+2
		gone := first
		gone.Deleted, gone.Version = fixture.At(6), first.Version+1
		// In any order, any number of times.
		states := []domain.BookmarkedPost{s.Markdown.BookmarkedPost(first, old),
			s.Markdown.BookmarkedPost(first, edited), {Bookmark: gone},
			s.Markdown.BookmarkedPost(second, old)}
		for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 3, 0, 2, 1}, {2, 3, 1, 0, 3}, {0, 3, 2, 1}} {
			reader = s.MustUser(t)
			for _, i := range order {
				state := states[i]
				state.UserID = reader.ID
				fixture.Check(t, s.UserCopies.ApplyBookmark(t.Context(), state))
			}
			// The edited post reaches the bookmarks of it.
			last := s.Markdown.BookmarkedPost(second, edited)
			last.UserID = reader.ID
			fixture.Check(t, s.UserCopies.ApplyBookmark(t.Context(), last))
			if list := s.saved(t, reader); len(list) != 1 || list[0] != last {
				t.Errorf("order %v: the list is %+v, want %+v", order, list, last)
			}
			gone := domain.Bookmark{PostID: old.ID, UserID: reader.ID, Version: second.Version + 1,
				Deleted: fixture.At(9)}
			fixture.Check(t, s.UserCopies.ApplyBookmark(t.Context(), domain.BookmarkedPost{Bookmark: gone}))
			fixture.Check(t, s.UserCopies.ApplyBookmark(t.Context(), last))
			if list := s.saved(t, reader); len(list) != 0 {
				t.Errorf("order %v: the list is %+v", order, list)
			}
		}
	})
	fixture.Run(t, "the copy of an unpublished post has neither title nor text", func(t *testing.T) {
		reader, post := s.MustUser(t), s.MustPost(t, author, 1)
		b := s.mustBookmark(t, reader, post.ID)
		post.Status, post.Version = domain.Unpublished, post.Version+1
		fixture.Check(t, s.UserCopies.ApplyBookmark(t.Context(), s.Markdown.BookmarkedPost(b, post)))
		if list := s.saved(t, reader); len(list) != 1 || list[0].Post.Status != domain.Unpublished ||
			list[0].Post.Title+list[0].Post.Text != "" {
			t.Errorf("the list is %+v", list)
		}
	})
	fixture.Run(t, "the bookmarks of a post are listed oldest first, from a position", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		var want []domain.Bookmark
		for i := range 4 {
			b := fixture.Must[domain.Bookmark](t)(s.Posts.Bookmark(t.Context(), post, s.MustUser(t).ID,
				fixture.At(i/2))) // two at each time
			want = append(want, b)
		}
		slices.SortFunc(want, func(a, b domain.Bookmark) int {
			if c := a.Created.Compare(b.Created); c != 0 {
				return c
			}
			return slices.Compare([]byte(a.UserID), []byte(b.UserID))
		})
		fixture.Must[domain.Bookmark](t)(s.Posts.Unbookmark(t.Context(), post.ID, want[2].UserID))
		want = slices.Delete(want, 2, 3)
		last := domain.Bookmark{}
		for i := range 4 {
			list := fixture.Must[[]domain.Bookmark](t)(s.Posts.BookmarksAfter(t.Context(), post.ID, last))
			if !slices.Equal(list, want[i:]) {
				t.Fatalf("after %d: %+v, want %+v", i, list, want[i:])
			}
			if len(list) > 0 {
				last = list[0]
			}
		}
	})
}

func (s *suite) deletedBookmarks(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "bookmarks are deleted with the post and the account, leaving a tombstone", func(t *testing.T) {
		reader, other, leaver := s.MustUser(t), s.MustUser(t), s.MustUser(t)
		post := s.MustPost(t, author, 1)
		for _, u := range []domain.User{reader, other, leaver} {
			s.mustBookmark(t, u, post.ID)
		}
		s.mustUnbookmark(t, other, post.ID)
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), leaver.ID))
		fixture.Must[domain.Step](t)(s.Posts.EraseAuthored(t.Context(), leaver.ID, 1000))
		if fixture.Must[bool](t)(s.Posts.Bookmarked(t.Context(), post.ID, leaver.ID)) ||
			!fixture.Must[bool](t)(s.Posts.Bookmarked(t.Context(), post.ID, reader.ID)) {
			t.Error("the account's bookmark still exists, or others were deleted")
		}
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		s.eraseAll(t, post.ID)
		for _, u := range []domain.User{reader, other, leaver} {
			if b := fixture.Must[domain.Bookmark](t)(s.Posts.BookmarkOf(t.Context(), post.ID,
				u.ID)); b.Deleted.IsZero() {
				t.Errorf("the bookmark is %+v", b)
			}
		}
	})
	fixture.Run(t, "many bookmarks are deleted in several steps", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		for range 1200 {
			post.Bookmarked = post.BookmarkDigest() // unchanged by the second call
			fixture.Must[domain.Bookmark](t)(s.Posts.Bookmark(t.Context(), post, domain.NewUserID(nil), fixture.At(1)))
		}
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		before := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)).Version
		if !fixture.Must[bool](t)(s.Posts.EraseResponses(t.Context(), post.ID)) {
			t.Error("the first step deleted all bookmarks")
		}
		if after := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)).Version; after == before {
			t.Error("the post does not appear in the change feed again")
		}
		s.eraseAll(t, post.ID)
		if list := fixture.Must[[]domain.Bookmark](t)(s.Posts.BookmarksAfter(t.Context(), post.ID,
			domain.Bookmark{})); len(list) != 0 {
			t.Errorf("%d bookmarks remain", len(list))
		}
	})
}
