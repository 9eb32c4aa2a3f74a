package cosmostest

import (
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) deleteComment(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	post := s.MustPost(t, author, 1)
	first, _ := s.MustComment(t, reader, post.ID, 1)
	second, _ := s.MustComment(t, reader, post.ID, 2)
	fixture.Run(t, "only the author can delete a comment", func(t *testing.T) {
		_, err := s.Posts.DeleteComment(t.Context(), post.ID, first.ID, author.ID)
		fixture.WantKind(t, err, domain.Forbidden)
		s.WantCounts(t, post.ID, 2, 0)
	})
	fixture.Run(t, "deleting a comment decrements the count", func(t *testing.T) {
		after := fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), post.ID, first.ID,
			reader.ID)).Post
		if after.CommentCount != 1 {
			t.Errorf("%d comments are counted", after.CommentCount)
		}
		s.WantCounts(t, post.ID, 1, 0)
		if _, err := s.Posts.Comment(t.Context(), post.ID, first.ID); !domain.Is(err, domain.NotFound) {
			t.Errorf("error %v", err)
		}
		if got := fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, second.ID)); got != second {
			t.Errorf("got %+v, want %+v", got, second)
		}
	})
	fixture.Run(t, "deleting a comment is idempotent", func(t *testing.T) {
		fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), post.ID, first.ID, reader.ID))
		s.WantCounts(t, post.ID, 1, 0)
	})
	fixture.Run(t, "a post cannot be deleted as a comment", func(t *testing.T) {
		fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), post.ID, post.ID, author.ID))
		s.WantCounts(t, post.ID, 1, 0)
		_, err := s.Posts.Comment(t.Context(), post.ID, post.ID)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "a comment of a missing post is not found", func(t *testing.T) {
		_, err := s.Posts.DeleteComment(t.Context(), domain.NewID(), first.ID, reader.ID)
		fixture.WantKind(t, err, domain.NotFound)
	})
}

// eraseAll runs all steps of a post's deletion.
func (s *suite) eraseAll(t *testing.T, postID string) (steps int) {
	t.Helper()
	for more := true; more; steps++ {
		more = fixture.Must[bool](t)(s.Posts.EraseResponses(t.Context(), postID))
	}
	fixture.Check(t, s.Posts.FinishErasure(t.Context(), postID))
	return steps
}

func (s *suite) deletePost(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	post := s.MustPost(t, author, 1)
	comment, _ := s.MustComment(t, reader, post.ID, 1)
	fixture.Must[domain.Post](t)(s.Posts.Like(t.Context(), domain.NewLike(reader, post.ID, fixture.At(1))))
	fixture.Check(t, s.UserCopies.ApplySummary(t.Context(),
		s.Markdown.Summarize(fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)))))
	fixture.Run(t, "only the author can delete a post", func(t *testing.T) {
		fixture.WantKind(t, s.Posts.Delete(t.Context(), post.ID, reader.ID), domain.Forbidden)
		fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
	})
	fixture.Run(t, "a missing post is not found", func(t *testing.T) {
		fixture.WantKind(t, s.Posts.Delete(t.Context(), domain.NewID(), author.ID), domain.NotFound)
	})
	before := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
	fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
	marker := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID))
	fixture.Run(t, "the tombstone contains nothing of the post", func(t *testing.T) {
		if marker.Deleted.IsZero() || marker.Erased || marker.Title+marker.Content+marker.AuthorName != "" ||
			marker.Version <= before.Version {
			t.Errorf("the tombstone is %+v", marker)
		}
	})
	fixture.Run(t, "deleting a post is idempotent", func(t *testing.T) {
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		if again := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)); again != marker {
			t.Errorf("the tombstone is %+v, after another deletion %+v", marker, again)
		}
	})
	fixture.Run(t, "a deleted post cannot be read or changed", func(t *testing.T) {
		_, err := s.Posts.Get(t.Context(), post.ID)
		fixture.WantKind(t, err, domain.NotFound)
		late := fixture.Must[domain.Comment](t)(domain.NewComment(reader, post.ID, "Late", fixture.At(9)))
		_, err = s.Posts.AddComment(t.Context(), late)
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Posts.DeleteComment(t.Context(), post.ID, comment.ID, reader.ID)
		fixture.WantKind(t, err, domain.NotFound)
		for _, u := range []domain.User{author, reader} { // without and with a like
			_, err = s.Posts.Like(t.Context(), domain.NewLike(u, post.ID, fixture.At(9)))
			fixture.WantKind(t, err, domain.NotFound)
			_, err = s.Posts.Unlike(t.Context(), post.ID, u.ID)
			fixture.WantKind(t, err, domain.NotFound)
		}
		edit := fixture.Must[domain.Edit](t)(domain.NewEdit(post.ID, before.Revision, "New", "Text", fixture.At(9)))
		_, err = s.Posts.Edit(t.Context(), edit, author.ID)
		fixture.WantKind(t, err, domain.NotFound)
		fixture.WantKind(t, s.Posts.Create(t.Context(), post), domain.Conflict)
		if _, err := s.Posts.PropagateName(t.Context(), author.ID,
			domain.Author{Name: fixture.FreshName()}, 1000); err != nil {
			t.Error(err)
		}
		if again := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)); again != marker {
			t.Errorf("the tombstone was %+v and is now %+v", marker, again)
		}
		s.wantCountsOf(t, marker, 1, 1)
	})
	fixture.Run(t, "the copy is deleted, and a late worker does not restore it", func(t *testing.T) {
		fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), s.Markdown.Summarize(marker)))
		fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), s.Markdown.Summarize(before)))
		fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), s.Markdown.Summarize(post)))
		if page := fixture.Must[domain.ListPage[domain.Summary]](t)(s.UserCopies.PostsOf(t.Context(), author.ID,
			1)); len(page.Items) != 0 {
			t.Errorf("the list has %+v, want no posts", page.Items)
		}
	})
	fixture.Run(t, "a copy that never existed is not created", func(t *testing.T) {
		p := s.MustPost(t, author, 2)
		fixture.Check(t, s.Posts.Delete(t.Context(), p.ID, author.ID))
		fixture.Check(t, s.UserCopies.ApplySummary(t.Context(),
			s.Markdown.Summarize(fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), p.ID)))))
		fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), s.Markdown.Summarize(p)))
		if page := fixture.Must[domain.ListPage[domain.Summary]](t)(s.UserCopies.PostsOf(t.Context(), author.ID,
			1)); len(page.Items) != 0 {
			t.Errorf("the list has %+v, want no posts", page.Items)
		}
	})
	fixture.Run(t, "comments, likes and their counts are deleted", func(t *testing.T) {
		if steps := s.eraseAll(t, post.ID); steps != 1 {
			t.Errorf("the deletion took %d steps", steps)
		}
		erased := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID))
		s.wantCountsOf(t, erased, 0, 0)
		if !erased.Erased {
			t.Errorf("the erased post is %+v", erased)
		}
		s.eraseAll(t, post.ID) // a retry after a crash
		if again := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)); again != erased {
			t.Errorf("the erased post was %+v and is now %+v", erased, again)
		}
	})
	fixture.Run(t, "many comments are deleted in several steps with correct counts in between", func(t *testing.T) {
		p := fixture.Must[domain.Post](t)(domain.NewPost(author, "Popular", "Text", fixture.At(3)))
		var likes []domain.Like
		for range 1200 {
			likes = append(likes, domain.Like{PostID: p.ID, UserID: domain.NewUserID(nil), Username: "x",
				Created: fixture.At(4)})
		}
		fixture.Check(t, s.Posts.Import(t.Context(), p, nil, likes))
		fixture.Check(t, s.Posts.Delete(t.Context(), p.ID, author.ID))
		if !fixture.Must[bool](t)(s.Posts.EraseResponses(t.Context(), p.ID)) {
			t.Error("the first step deleted everything")
		}
		half := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), p.ID))
		if half.LikeCount == 0 || half.LikeCount == 1200 {
			t.Errorf("%d likes are counted after the first step", half.LikeCount)
		}
		s.wantCountsOf(t, half, 0, half.LikeCount)
		s.eraseAll(t, p.ID)
		s.wantCountsOf(t, fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), p.ID)), 0, 0)
	})
}

// wantCountsOf is wantCounts for the remains of a deleted post.
func (s *suite) wantCountsOf(t *testing.T, p domain.Post, comments, likes int) {
	t.Helper()
	gotComments := len(fixture.All(t, func(page int) (domain.ListPage[domain.Comment], error) {
		return s.Posts.Comments(t.Context(), p.ID, page)
	}))
	gotLikes := len(fixture.All(t,
		func(page int) (domain.ListPage[domain.Like], error) { return s.Posts.Likes(t.Context(), p.ID, page) }))
	if p.CommentCount != comments || gotComments != comments || p.LikeCount != likes || gotLikes != likes {
		t.Errorf("%d comments and %d likes are counted, %d and %d exist, want %d and %d",
			p.CommentCount, p.LikeCount, gotComments, gotLikes, comments, likes)
	}
}

func (s *suite) deleteAccount(t *testing.T) {
	user, other := s.MustUser(t), s.MustUser(t)
	first := user.Username
	user = fixture.Must[domain.User](t)(s.Usernames.Rename(t.Context(), user.ID, fixture.FreshName()))
	own, others := s.MustPost(t, user, 1), s.MustPost(t, other, 2)
	s.MustComment(t, other, own.ID, 3)
	s.MustComment(t, user, own.ID, 4)
	for i := range 120 { // more than fit in one transaction
		s.MustComment(t, user, others.ID, i)
	}
	kept, _ := s.MustComment(t, other, others.ID, 200)
	for _, u := range []domain.User{user, other} {
		fixture.Must[domain.Post](t)(s.Posts.Like(t.Context(), domain.NewLike(u, others.ID, fixture.At(1))))
	}
	fixture.Run(t, "a missing account is not found", func(t *testing.T) {
		fixture.WantKind(t, s.AccountDeletions.Delete(t.Context(), domain.NewUserID(nil)), domain.NotFound)
		fixture.WantKind(t, s.AccountDeletions.Delete(t.Context(), "ada"), domain.NotFound)
	})
	fixture.Check(t, s.AccountDeletions.Delete(t.Context(), user.ID))
	fixture.Check(t, s.AccountDeletions.Delete(t.Context(), user.ID)) // idempotent
	fixture.Run(t, "a deleted account cannot be found, log in or be renamed", func(t *testing.T) {
		_, err := s.Users.ByID(t.Context(), user.ID)
		fixture.WantKind(t, err, domain.NotFound)
		for _, name := range []string{first, user.Username} {
			_, err = s.Users.ByName(t.Context(), name)
			fixture.WantKind(t, err, domain.NotFound)
		}
		_, err = s.Credentials.PasswordHash(t.Context(), user.ID)
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Usernames.Rename(t.Context(), user.ID, fixture.FreshName())
		fixture.WantKind(t, err, domain.NotFound)
		if author := fixture.Must[map[string]domain.Author](t)(s.Users.Authors(t.Context(),
			[]string{user.ID}))[user.ID]; !author.Deleted {
			t.Errorf("the deleted author is %+v", author)
		}
	})
	fixture.Run(t, "its names stay reserved until the deletion is complete", func(t *testing.T) {
		for _, name := range []string{first, user.Username} {
			fixture.WantKind(t, s.Accounts.Create(t.Context(), fixture.Must[domain.User](t)(domain.NewUser(name,
				fixture.Epoch)), "hash"),
				domain.Invalid)
		}
	})
	fixture.Run(t, "its own content is deleted and other users' content stays", func(t *testing.T) {
		for fixture.Must[domain.Step](t)(s.Posts.EraseAuthored(t.Context(), user.ID, 1000)).More {
			fixture.Check(t, s.Users.Touch(t.Context(), user.ID))
		}
		_, err := s.Posts.Get(t.Context(), own.ID)
		fixture.WantKind(t, err, domain.NotFound)
		s.WantCounts(t, others.ID, 1, 1)
		fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), others.ID, kept.ID))
		if fixture.Must[domain.Step](t)(s.Posts.EraseAuthored(t.Context(), user.ID, 1000)).More {
			t.Error("deleting the content does not end")
		}
	})
	fixture.Run(t, "its names are free at the end", func(t *testing.T) {
		fixture.Check(t, s.AccountDeletions.FinishErasure(t.Context(), user.ID))
		fixture.Check(t, s.AccountDeletions.FinishErasure(t.Context(), user.ID))
		for _, name := range []string{first, user.Username} {
			fixture.Check(t, s.Accounts.Create(t.Context(), fixture.Must[domain.User](t)(domain.NewUser(name,
				fixture.Epoch)), "hash"))
		}
	})
	fixture.Run(t, "a late worker does not reserve a name again", func(t *testing.T) {
		gone := s.MustUser(t)
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), gone.ID))
		fixture.Check(t, s.AccountDeletions.FinishErasure(t.Context(), gone.ID))
		fixture.Must[bool](t)(s.Usernames.ConfirmName(t.Context(), gone))
		fixture.Check(t, s.Accounts.Create(t.Context(), fixture.Must[domain.User](t)(domain.NewUser(gone.Username,
			fixture.Epoch)), "hash"))
	})
	fixture.Run(t, "a deletion of several steps reports that it is unfinished and resumes", func(t *testing.T) {
		busy := s.MustUser(t)
		p := fixture.Must[domain.Post](t)(domain.NewPost(other, "Title", "Text", fixture.At(5)))
		var comments []domain.Comment
		for i := range 1050 {
			comments = append(comments, fixture.Must[domain.Comment](t)(domain.NewComment(busy, p.ID, "Hello",
				fixture.At(i))))
		}
		fixture.Check(t, s.Posts.Import(t.Context(), p, comments, nil))
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), busy.ID))
		steps := 1
		for ; fixture.Must[domain.Step](t)(s.Posts.EraseAuthored(t.Context(), busy.ID, 1000)).More; steps++ {
			left := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), p.ID)).CommentCount
			s.WantCounts(t, p.ID, left, 0)
		}
		s.WantCounts(t, p.ID, 0, 0)
		if steps != 2 {
			t.Errorf("the deletion took %d steps", steps)
		}
	})
}
