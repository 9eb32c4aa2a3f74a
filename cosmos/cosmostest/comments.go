package cosmostest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"inkfeed/domain"
)

func (s *suite) mustReply(t *testing.T, author domain.User, to domain.Comment, minute int) domain.Comment {
	t.Helper()
	c := must[domain.Comment](t)(domain.NewReply(author, to, fmt.Sprint("Reply ", minute), at(minute)))
	must[domain.Post](t)(s.Posts.AddComment(t.Context(), c))
	return c
}

func (s *suite) allComments(t *testing.T, postID string) []domain.Comment {
	t.Helper()
	return all(t, func(page int) (domain.Page[domain.Comment], error) {
		return s.Posts.Comments(t.Context(), postID, page)
	})
}

// outline is the comments of a post in their order, a "-" before replies and "x" for a
// placeholder.
func (s *suite) outline(t *testing.T, postID string) string {
	t.Helper()
	var list []string
	for _, c := range s.allComments(t, postID) {
		text := c.Content
		if !c.Deleted.IsZero() {
			text = "x"
			if c.Content+c.AuthorID+c.AuthorName != "" || !c.Edited.IsZero() {
				t.Errorf("a placeholder says %+v", c)
			}
		}
		if c.ParentID != "" {
			text = "- " + text
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func (s *suite) wantOutline(t *testing.T, postID, want string) {
	t.Helper()
	if got := s.outline(t, postID); got != want {
		t.Errorf("the comments are %q, want %q", got, want)
	}
}

func (s *suite) replies(t *testing.T) {
	author, reader := s.mustUser(t), s.mustUser(t)
	t.Run("stand below their parents, and are counted there and on the post", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		first, _ := s.mustComment(t, reader, post.ID, 1)
		s.mustComment(t, reader, post.ID, 2)
		late := s.mustReply(t, author, first, 9)
		s.mustReply(t, reader, first, 8)
		s.mustReply(t, author, late, 10) // an answer to a reply stands beside it
		s.wantOutline(t, post.ID, "Comment 1, - Reply 8, - Reply 9, - Reply 10, Comment 2")
		s.wantCounts(t, post.ID, 5, 0)
		if got := must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, first.ID)).Replies; got != 3 {
			t.Errorf("%d replies", got)
		}
		if got := must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, late.ID)); got != late {
			t.Errorf("got %+v, want %+v", got, late)
		}
	})
	t.Run("sent twice are there once", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		first, _ := s.mustComment(t, reader, post.ID, 1)
		reply := s.mustReply(t, author, first, 2)
		must[domain.Post](t)(s.Posts.AddComment(t.Context(), reply))
		s.wantOutline(t, post.ID, "Comment 1, - Reply 2")
		s.wantReplyCounts(t, post.ID)
	})
	t.Run("to what is not there are a conflict", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		first, _ := s.mustComment(t, reader, post.ID, 1)
		reply := s.mustReply(t, author, first, 2)
		for name, parent := range map[string]string{"nothing": domain.NewID(), "the post": post.ID, "a reply": reply.ID,
			"no id": "x"} {
			c := must[domain.Comment](t)(domain.NewReply(author, first, name, at(3)))
			c.ParentID = parent
			_, err := s.Posts.AddComment(t.Context(), c)
			wantKind(t, err, domain.Conflict)
		}
		s.wantOutline(t, post.ID, "Comment 1, - Reply 2")
		s.wantCounts(t, post.ID, 2, 0)
	})
	t.Run("are listed page by page, each once, also read on from one", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		var want []string
		for i := range 30 {
			c, _ := s.mustComment(t, reader, post.ID, i)
			s.mustReply(t, author, c, 100+i)
			want = append(want, c.Content, fmt.Sprint("- Reply ", 100+i))
		}
		s.wantOutline(t, post.ID, strings.Join(want, ", "))
		for i, c := range s.allComments(t, post.ID) {
			if n := must[int](t)(s.Posts.CommentsBefore(t.Context(), post.ID, c.Place())); n != i {
				t.Errorf("%d rows before comment %d", n, i)
			}
		}
		if n := must[int](t)(s.Posts.CommentsBefore(t.Context(), post.ID, domain.PastAllComments)); n != 60 {
			t.Errorf("%d rows", n)
		}
		list := s.allComments(t, post.ID)
		rest := must[domain.Page[domain.Comment]](t)(s.Posts.CommentsAfter(t.Context(), post.ID, list[8].Place()))
		if len(rest.Items) != domain.CommentsPerPage || !rest.More || rest.Items[0] != list[9] {
			t.Errorf("%d comments, more %t, the first %+v", len(rest.Items), rest.More, rest.Items[0])
		}
		rest = must[domain.Page[domain.Comment]](t)(s.Posts.CommentsAfter(t.Context(), post.ID, list[9].Place()))
		if len(rest.Items) != domain.CommentsPerPage || rest.More {
			t.Errorf("%d comments, more %t", len(rest.Items), rest.More)
		}
	})
}

// wantReplyCounts compares each comment's count with the replies there are.
func (s *suite) wantReplyCounts(t *testing.T, postID string) {
	t.Helper()
	replies, live := make(map[string]int), 0
	list := s.allComments(t, postID)
	for _, c := range list {
		if c.ParentID != "" {
			replies[c.ParentID]++
		}
		if c.Deleted.IsZero() {
			live++
		}
	}
	for _, c := range list {
		if c.Replies != replies[c.ID] {
			t.Errorf("comment %q counts %d replies, there are %d", c.Content, c.Replies, replies[c.ID])
		}
		delete(replies, c.ID)
	}
	if len(replies) > 0 {
		t.Errorf("replies without parents: %v", replies)
	}
	post, err := s.Posts.Latest(t.Context(), postID)
	if err != nil || post.CommentCount != live {
		t.Errorf("%d comments counted, %d live (%v)", post.CommentCount, live, err)
	}
}

func (s *suite) editComment(t *testing.T) {
	author, reader := s.mustUser(t), s.mustUser(t)
	post := s.mustPost(t, author, 1)
	comment, _ := s.mustComment(t, reader, post.ID, 1)
	edit := func(c domain.Comment, text string, minute int) domain.CommentEdit {
		return must[domain.CommentEdit](t)(domain.NewCommentEdit(c, text, at(minute)))
	}
	t.Run("changes the text, and says when", func(t *testing.T) {
		e := edit(comment, "Better \"words\"", 5)
		got := must[domain.Comment](t)(s.Posts.EditComment(t.Context(), e, reader.ID))
		want := comment
		want.Content, want.Edited = "Better \"words\"", at(5)
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if read := must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, comment.ID)); read != want {
			t.Errorf("read %+v, want %+v", read, want)
		}
		if again := must[domain.Comment](t)(s.Posts.EditComment(t.Context(), e, reader.ID)); again != want {
			t.Errorf("sent again: %+v", again)
		}
	})
	t.Run("of what was changed meanwhile is a conflict", func(t *testing.T) {
		_, err := s.Posts.EditComment(t.Context(), edit(comment, "From another tab", 6), reader.ID)
		wantKind(t, err, domain.Conflict)
		current := must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, comment.ID))
		must[domain.Comment](t)(s.Posts.EditComment(t.Context(), edit(current, "Now", 6), reader.ID))
	})
	t.Run("twice in one moment are two versions", func(t *testing.T) {
		current := must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, comment.ID))
		must[domain.Comment](t)(s.Posts.EditComment(t.Context(), edit(current, "One", 6), reader.ID))
		_, err := s.Posts.EditComment(t.Context(), edit(current, "Two", 6), reader.ID)
		wantKind(t, err, domain.Conflict)
	})
	t.Run("nobody else can", func(t *testing.T) {
		current := must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, comment.ID))
		_, err := s.Posts.EditComment(t.Context(), edit(current, "Mine", 7), author.ID)
		wantKind(t, err, domain.Forbidden)
	})
	t.Run("a placeholder, a post and what is not there are no comments to edit", func(t *testing.T) {
		parent, _ := s.mustComment(t, reader, post.ID, 2)
		s.mustReply(t, author, parent, 3)
		must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), post.ID, parent.ID, reader.ID))
		for _, id := range []string{parent.ID, post.ID, domain.NewID(), "x"} {
			e := edit(parent, "Late", 8)
			e.ID = id
			_, err := s.Posts.EditComment(t.Context(), e, reader.ID)
			wantKind(t, err, domain.NotFound)
		}
		s.wantReplyCounts(t, post.ID)
	})
}

func (s *suite) deleteThread(t *testing.T) {
	author, reader := s.mustUser(t), s.mustUser(t)
	remove := func(t *testing.T, c domain.Comment) domain.CommentRemoval {
		t.Helper()
		r := must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), c.PostID, c.ID, c.AuthorID))
		s.wantReplyCounts(t, c.PostID)
		return r
	}
	t.Run("a comment with replies becomes a placeholder, which goes with the last of them", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		parent, _ := s.mustComment(t, reader, post.ID, 1)
		one, two := s.mustReply(t, author, parent, 2), s.mustReply(t, reader, parent, 3)
		if r := remove(t, parent); !r.Kept || r.Parent != "" || r.Post.CommentCount != 2 {
			t.Errorf("%+v", r)
		}
		s.wantOutline(t, post.ID, "x, - Reply 2, - Reply 3")
		if r := remove(t, parent); !r.Kept || r.Post.CommentCount != 2 { // again
			t.Errorf("%+v", r)
		}
		if r := remove(t, one); r.Kept || r.Parent != "" || r.Post.CommentCount != 1 {
			t.Errorf("%+v", r)
		}
		three := s.mustReply(t, author, two, 4) // the conversation goes on
		remove(t, two)
		s.wantOutline(t, post.ID, "x, - Reply 4")
		if r := remove(t, three); r.Kept || r.Parent != parent.ID || r.Post.CommentCount != 0 {
			t.Errorf("%+v", r)
		}
		s.wantOutline(t, post.ID, "")
		_, err := s.Posts.AddComment(t.Context(), must[domain.Comment](t)(domain.NewReply(author, parent, "Late",
			at(5))))
		wantKind(t, err, domain.Conflict)
	})
	t.Run("a reply goes, its parent stays", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		parent, _ := s.mustComment(t, reader, post.ID, 1)
		reply := s.mustReply(t, author, parent, 2)
		remove(t, reply)
		remove(t, reply) // again
		s.wantOutline(t, post.ID, "Comment 1")
		remove(t, parent)
		s.wantOutline(t, post.ID, "")
	})
	t.Run("replies that come while the parent goes lose neither count nor parent", func(t *testing.T) {
		for round := range 5 {
			post := s.mustPost(t, author, 1)
			parent, _ := s.mustComment(t, reader, post.ID, 1)
			var group sync.WaitGroup
			group.Go(func() {
				if _, err := s.Posts.DeleteComment(t.Context(), post.ID, parent.ID, reader.ID); err != nil {
					t.Error(err)
				}
			})
			for i := range 4 {
				group.Go(func() {
					reply, err := domain.NewReply(author, parent, fmt.Sprint(i), at(i+2))
					if err == nil {
						_, err = s.Posts.AddComment(t.Context(), reply)
					}
					if err == nil && i%2 == round%2 {
						_, err = s.Posts.DeleteComment(t.Context(), post.ID, reply.ID, author.ID)
					}
					if err != nil && !domain.Is(err, domain.Conflict) { // the parent was gone
						t.Error(err)
					}
				})
			}
			group.Wait()
			s.wantReplyCounts(t, post.ID)
			for _, c := range s.allComments(t, post.ID) { // to the last
				if c.Deleted.IsZero() {
					remove(t, c)
				}
			}
			s.wantOutline(t, post.ID, "")
		}
	})
	t.Run("an account's comments go, those with replies as placeholders", func(t *testing.T) {
		leaver := s.mustUser(t)
		post := s.mustPost(t, author, 1)
		answered, _ := s.mustComment(t, leaver, post.ID, 1)
		s.mustReply(t, reader, answered, 2)
		s.mustReply(t, leaver, answered, 3)
		alone, _ := s.mustComment(t, leaver, post.ID, 4)
		s.mustReply(t, leaver, alone, 5)
		kept, _ := s.mustComment(t, reader, post.ID, 6)
		s.mustReply(t, leaver, kept, 7)
		held, _ := s.mustComment(t, reader, post.ID, 8)
		s.mustReply(t, leaver, held, 9)
		remove(t, held)
		check(t, s.Users.Delete(t.Context(), leaver.ID))
		for must[bool](t)(s.Posts.EraseAuthored(t.Context(), leaver.ID)) {
		}
		s.wantOutline(t, post.ID, "x, - Reply 2, Comment 6")
		s.wantReplyCounts(t, post.ID)
		if must[bool](t)(s.Posts.EraseAuthored(t.Context(), leaver.ID)) {
			t.Error("there is always more to do")
		}
	})
	t.Run("all of it goes with the post", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		parent, _ := s.mustComment(t, reader, post.ID, 1)
		for i := range 120 { // more than one transaction holds
			s.mustReply(t, author, parent, i+2)
		}
		remove(t, parent)
		check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		_, err := s.Posts.DeleteComment(t.Context(), post.ID, s.allComments(t, post.ID)[1].ID, author.ID)
		wantKind(t, err, domain.NotFound)
		s.eraseAll(t, post.ID)
		s.wantCountsOf(t, must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)), 0, 0)
	})
	t.Run("also when an account's erasure and a post's meet", func(t *testing.T) {
		leaver := s.mustUser(t)
		post := s.mustPost(t, author, 1)
		for i := range 60 {
			c, _ := s.mustComment(t, reader, post.ID, i)
			s.mustReply(t, leaver, c, i)
		}
		check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		check(t, s.Users.Delete(t.Context(), leaver.ID))
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := s.Posts.EraseAuthored(t.Context(), leaver.ID); err != nil {
				t.Error(err)
			}
		})
		s.eraseAll(t, post.ID)
		group.Wait()
		s.wantCountsOf(t, must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)), 0, 0)
	})
}
