package cosmostest

import (
	"testing"

	"inkfeed/domain"
)

func (s *suite) deleteComment(t *testing.T) {
	author, reader := s.mustUser(t), s.mustUser(t)
	post := s.mustPost(t, author, 1)
	first, _ := s.mustComment(t, reader, post.ID, 1)
	second, _ := s.mustComment(t, reader, post.ID, 2)
	t.Run("only the author can delete a comment", func(t *testing.T) {
		_, err := s.Posts.DeleteComment(t.Context(), post.ID, first.ID, author.ID)
		wantKind(t, err, domain.Forbidden)
		s.wantCounts(t, post.ID, 2, 0)
	})
	t.Run("deleting a comment decrements the count", func(t *testing.T) {
		after := must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), post.ID, first.ID, reader.ID)).Post
		if after.CommentCount != 1 {
			t.Errorf("%d comments", after.CommentCount)
		}
		s.wantCounts(t, post.ID, 1, 0)
		if _, err := s.Posts.Comment(t.Context(), post.ID, first.ID); !domain.Is(err, domain.NotFound) {
			t.Errorf("error %v", err)
		}
		if got := must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, second.ID)); got != second {
			t.Errorf("got %+v, want %+v", got, second)
		}
	})
	t.Run("deleting a comment is idempotent", func(t *testing.T) {
		must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), post.ID, first.ID, reader.ID))
		s.wantCounts(t, post.ID, 1, 0)
	})
	t.Run("a post cannot be deleted as a comment", func(t *testing.T) {
		must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), post.ID, post.ID, author.ID))
		s.wantCounts(t, post.ID, 1, 0)
		_, err := s.Posts.Comment(t.Context(), post.ID, post.ID)
		wantKind(t, err, domain.NotFound)
	})
	t.Run("a comment of a missing post is not found", func(t *testing.T) {
		_, err := s.Posts.DeleteComment(t.Context(), domain.NewID(), first.ID, reader.ID)
		wantKind(t, err, domain.NotFound)
	})
}

// eraseAll runs all steps of a post's deletion.
func (s *suite) eraseAll(t *testing.T, postID string) (steps int) {
	t.Helper()
	for more := true; more; steps++ {
		more = must[bool](t)(s.Posts.EraseResponses(t.Context(), postID))
	}
	check(t, s.Posts.FinishErasure(t.Context(), postID))
	return steps
}

func (s *suite) deletePost(t *testing.T) {
	author, reader := s.mustUser(t), s.mustUser(t)
	post := s.mustPost(t, author, 1)
	comment, _ := s.mustComment(t, reader, post.ID, 1)
	must[domain.Post](t)(s.Posts.Like(t.Context(), domain.NewLike(reader, post.ID, at(1))))
	check(t, s.Users.ApplySummary(t.Context(),
		s.Markdown.Summarize(must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)))))
	t.Run("only the author can delete a post", func(t *testing.T) {
		wantKind(t, s.Posts.Delete(t.Context(), post.ID, reader.ID), domain.Forbidden)
		must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
	})
	t.Run("a missing post is not found", func(t *testing.T) {
		wantKind(t, s.Posts.Delete(t.Context(), domain.NewID(), author.ID), domain.NotFound)
	})
	before := must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
	check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
	marker := must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID))
	t.Run("the tombstone contains nothing of the post", func(t *testing.T) {
		if marker.Deleted.IsZero() || marker.Erased || marker.Title+marker.Content+marker.AuthorName != "" ||
			marker.Version <= before.Version {
			t.Errorf("%+v", marker)
		}
	})
	t.Run("deleting a post is idempotent", func(t *testing.T) {
		check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		if again := must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)); again != marker {
			t.Errorf("%+v, then %+v", marker, again)
		}
	})
	t.Run("a deleted post cannot be read or changed", func(t *testing.T) {
		_, err := s.Posts.Get(t.Context(), post.ID)
		wantKind(t, err, domain.NotFound)
		late := must[domain.Comment](t)(domain.NewComment(reader, post.ID, "Late", at(9)))
		_, err = s.Posts.AddComment(t.Context(), late)
		wantKind(t, err, domain.NotFound)
		_, err = s.Posts.DeleteComment(t.Context(), post.ID, comment.ID, reader.ID)
		wantKind(t, err, domain.NotFound)
		for _, u := range []domain.User{author, reader} { // without and with a like
			_, err = s.Posts.Like(t.Context(), domain.NewLike(u, post.ID, at(9)))
			wantKind(t, err, domain.NotFound)
			_, err = s.Posts.Unlike(t.Context(), post.ID, u.ID)
			wantKind(t, err, domain.NotFound)
		}
		edit := must[domain.Edit](t)(domain.NewEdit(post.ID, before.Revision, "New", "Text", at(9)))
		_, err = s.Posts.Edit(t.Context(), edit, author.ID)
		wantKind(t, err, domain.NotFound)
		wantKind(t, s.Posts.Create(t.Context(), post), domain.Conflict)
		if _, _, err := s.Posts.PropagateName(t.Context(), author.ID, domain.Author{Name: freshName()}); err != nil {
			t.Error(err)
		}
		if again := must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)); again != marker {
			t.Errorf("%+v, then %+v", marker, again)
		}
		s.wantCountsOf(t, marker, 1, 1)
	})
	t.Run("the copy is deleted, and a late worker does not restore it", func(t *testing.T) {
		check(t, s.Users.ApplySummary(t.Context(), s.Markdown.Summarize(marker)))
		check(t, s.Users.ApplySummary(t.Context(), s.Markdown.Summarize(before)))
		check(t, s.Users.ApplySummary(t.Context(), s.Markdown.Summarize(post)))
		if page := must[domain.Page[domain.Summary]](t)(s.Users.PostsOf(t.Context(), author.ID,
			1)); len(page.Items) != 0 {
			t.Errorf("%+v", page.Items)
		}
	})
	t.Run("a copy that never existed is not created", func(t *testing.T) {
		p := s.mustPost(t, author, 2)
		check(t, s.Posts.Delete(t.Context(), p.ID, author.ID))
		check(t, s.Users.ApplySummary(t.Context(),
			s.Markdown.Summarize(must[domain.Post](t)(s.Posts.Latest(t.Context(), p.ID)))))
		check(t, s.Users.ApplySummary(t.Context(), s.Markdown.Summarize(p)))
		if page := must[domain.Page[domain.Summary]](t)(s.Users.PostsOf(t.Context(), author.ID,
			1)); len(page.Items) != 0 {
			t.Errorf("%+v", page.Items)
		}
	})
	t.Run("comments, likes and their counts are deleted", func(t *testing.T) {
		if steps := s.eraseAll(t, post.ID); steps != 1 {
			t.Errorf("%d steps", steps)
		}
		erased := must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID))
		s.wantCountsOf(t, erased, 0, 0)
		if !erased.Erased {
			t.Errorf("%+v", erased)
		}
		s.eraseAll(t, post.ID) // a retry after a crash
		if again := must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)); again != erased {
			t.Errorf("%+v, then %+v", erased, again)
		}
	})
	t.Run("many comments are deleted in several steps with correct counts in between", func(t *testing.T) {
		p := must[domain.Post](t)(domain.NewPost(author, "Popular", "Text", at(3)))
		var likes []domain.Like
		for range 1200 {
			likes = append(likes, domain.Like{PostID: p.ID, UserID: domain.NewUserID(nil), Username: "x",
				Created: at(4)})
		}
		check(t, s.Posts.Import(t.Context(), p, nil, likes))
		check(t, s.Posts.Delete(t.Context(), p.ID, author.ID))
		if !must[bool](t)(s.Posts.EraseResponses(t.Context(), p.ID)) {
			t.Error("all went in one step")
		}
		half := must[domain.Post](t)(s.Posts.Latest(t.Context(), p.ID))
		if half.LikeCount == 0 || half.LikeCount == 1200 {
			t.Errorf("%d likes", half.LikeCount)
		}
		s.wantCountsOf(t, half, 0, half.LikeCount)
		s.eraseAll(t, p.ID)
		s.wantCountsOf(t, must[domain.Post](t)(s.Posts.Latest(t.Context(), p.ID)), 0, 0)
	})
}

// wantCountsOf is wantCounts for the remains of a deleted post.
func (s *suite) wantCountsOf(t *testing.T, p domain.Post, comments, likes int) {
	t.Helper()
	gotComments := len(all(t, func(page int) (domain.Page[domain.Comment], error) {
		return s.Posts.Comments(t.Context(), p.ID, page)
	}))
	gotLikes := len(all(t,
		func(page int) (domain.Page[domain.Like], error) { return s.Posts.Likes(t.Context(), p.ID, page) }))
	if p.CommentCount != comments || gotComments != comments || p.LikeCount != likes || gotLikes != likes {
		t.Errorf("%d comments and %d likes counted, %d and %d there, want %d and %d",
			p.CommentCount, p.LikeCount, gotComments, gotLikes, comments, likes)
	}
}

func (s *suite) deleteAccount(t *testing.T) {
	user, other := s.mustUser(t), s.mustUser(t)
	first := user.Username
	user = must[domain.User](t)(s.Users.Rename(t.Context(), user.ID, freshName()))
	own, others := s.mustPost(t, user, 1), s.mustPost(t, other, 2)
	s.mustComment(t, other, own.ID, 3)
	s.mustComment(t, user, own.ID, 4)
	for i := range 120 { // more than fit in one transaction
		s.mustComment(t, user, others.ID, i)
	}
	kept, _ := s.mustComment(t, other, others.ID, 200)
	for _, u := range []domain.User{user, other} {
		must[domain.Post](t)(s.Posts.Like(t.Context(), domain.NewLike(u, others.ID, at(1))))
	}
	t.Run("a missing account is not found", func(t *testing.T) {
		wantKind(t, s.Users.Delete(t.Context(), domain.NewUserID(nil)), domain.NotFound)
		wantKind(t, s.Users.Delete(t.Context(), "ada"), domain.NotFound)
	})
	check(t, s.Users.Delete(t.Context(), user.ID))
	check(t, s.Users.Delete(t.Context(), user.ID)) // idempotent
	t.Run("a deleted account cannot be found, log in or be renamed", func(t *testing.T) {
		_, err := s.Users.ByID(t.Context(), user.ID)
		wantKind(t, err, domain.NotFound)
		for _, name := range []string{first, user.Username} {
			_, err = s.Users.ByName(t.Context(), name)
			wantKind(t, err, domain.NotFound)
		}
		_, err = s.Users.PasswordHash(t.Context(), user.ID)
		wantKind(t, err, domain.NotFound)
		_, err = s.Users.Rename(t.Context(), user.ID, freshName())
		wantKind(t, err, domain.NotFound)
		if author := must[map[string]domain.Author](t)(s.Users.Authors(t.Context(),
			[]string{user.ID}))[user.ID]; !author.Deleted {
			t.Errorf("%+v", author)
		}
	})
	t.Run("its names stay reserved until the deletion is complete", func(t *testing.T) {
		for _, name := range []string{first, user.Username} {
			wantKind(t, s.Users.Create(t.Context(), must[domain.User](t)(domain.NewUser(name, epoch)), "hash"),
				domain.Invalid)
		}
	})
	t.Run("its own content is deleted and other users' content stays", func(t *testing.T) {
		for must[bool](t)(s.Posts.EraseAuthored(t.Context(), user.ID)) {
			check(t, s.Users.Again(t.Context(), user.ID))
		}
		_, err := s.Posts.Get(t.Context(), own.ID)
		wantKind(t, err, domain.NotFound)
		s.wantCounts(t, others.ID, 1, 1)
		must[domain.Comment](t)(s.Posts.Comment(t.Context(), others.ID, kept.ID))
		if must[bool](t)(s.Posts.EraseAuthored(t.Context(), user.ID)) {
			t.Error("there is always more to do")
		}
	})
	t.Run("its names are free at the end", func(t *testing.T) {
		check(t, s.Users.FinishErasure(t.Context(), user.ID))
		check(t, s.Users.FinishErasure(t.Context(), user.ID))
		for _, name := range []string{first, user.Username} {
			check(t, s.Users.Create(t.Context(), must[domain.User](t)(domain.NewUser(name, epoch)), "hash"))
		}
	})
	t.Run("a late worker does not reserve a name again", func(t *testing.T) {
		gone := s.mustUser(t)
		check(t, s.Users.Delete(t.Context(), gone.ID))
		check(t, s.Users.FinishErasure(t.Context(), gone.ID))
		must[bool](t)(s.Users.ConfirmName(t.Context(), gone))
		check(t, s.Users.Create(t.Context(), must[domain.User](t)(domain.NewUser(gone.Username, epoch)), "hash"))
	})
	t.Run("a deletion of several steps reports that it is unfinished and resumes", func(t *testing.T) {
		busy := s.mustUser(t)
		p := must[domain.Post](t)(domain.NewPost(other, "Title", "Text", at(5)))
		var comments []domain.Comment
		for i := range 1050 {
			comments = append(comments, must[domain.Comment](t)(domain.NewComment(busy, p.ID, "Hello", at(i))))
		}
		check(t, s.Posts.Import(t.Context(), p, comments, nil))
		check(t, s.Users.Delete(t.Context(), busy.ID))
		steps := 1
		for ; must[bool](t)(s.Posts.EraseAuthored(t.Context(), busy.ID)); steps++ {
			left := must[domain.Post](t)(s.Posts.Get(t.Context(), p.ID)).CommentCount
			s.wantCounts(t, p.ID, left, 0)
		}
		s.wantCounts(t, p.ID, 0, 0)
		if steps != 2 {
			t.Errorf("%d steps", steps)
		}
	})
}
