package cosmostest

import (
	"fmt"
	"strings"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) allComments(t *testing.T, postID string) []domain.Comment {
	t.Helper()
	return fixture.All(t, func(page int) (domain.ListPage[domain.Comment], error) {
		return s.Posts.Comments(t.Context(), postID, page)
	})
}

// outline returns the comments of a post in order, with "-" before replies and "x" for a
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
	author, reader := s.MustUser(t), s.MustUser(t)
	fixture.Run(t, "replies follow their parents and count for parent and post", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		first, _ := s.MustComment(t, reader, post.ID, 1)
		s.MustComment(t, reader, post.ID, 2)
		late := s.MustReply(t, author, first, 9)
		s.MustReply(t, reader, first, 8)
		s.MustReply(t, author, late, 10) // a reply to a reply becomes its sibling
		s.wantOutline(t, post.ID, "Comment 1, - Reply 8, - Reply 9, - Reply 10, Comment 2")
		s.WantCounts(t, post.ID, 5, 0)
		if got := fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, first.ID)).Replies; got != 3 {
			t.Errorf("the parent counts %d replies", got)
		}
		if got := fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, late.ID)); got != late {
			t.Errorf("got %+v, want %+v", got, late)
		}
	})
	fixture.Run(t, "a repeated request creates one reply", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		first, _ := s.MustComment(t, reader, post.ID, 1)
		reply := s.MustReply(t, author, first, 2)
		fixture.Must[domain.Post](t)(s.Posts.AddComment(t.Context(), reply))
		s.wantOutline(t, post.ID, "Comment 1, - Reply 2")
		s.wantReplyCounts(t, post.ID)
	})
	fixture.Run(t, "a reply to a missing comment is a conflict", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		first, _ := s.MustComment(t, reader, post.ID, 1)
		reply := s.MustReply(t, author, first, 2)
		for name, parent := range map[string]string{"nothing": domain.NewID(), "the post": post.ID, "a reply": reply.ID,
			"no id": "x"} {
			c := fixture.Must[domain.Comment](t)(domain.NewReply(author, first, name, fixture.At(3)))
			c.ParentID = parent
			_, err := s.Posts.AddComment(t.Context(), c)
			fixture.WantKind(t, err, domain.Conflict)
		}
		s.wantOutline(t, post.ID, "Comment 1, - Reply 2")
		s.WantCounts(t, post.ID, 2, 0)
	})
	fixture.Run(t, "pages list each comment once, also when started from a comment", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		var want []string
		for i := range 30 {
			c, _ := s.MustComment(t, reader, post.ID, i)
			s.MustReply(t, author, c, 100+i)
			want = append(want, c.Content, fmt.Sprint("- Reply ", 100+i))
		}
		s.wantOutline(t, post.ID, strings.Join(want, ", "))
		for i, c := range s.allComments(t, post.ID) {
			if n := fixture.Must[int](t)(s.Posts.CommentsBefore(t.Context(), post.ID, c.Place())); n != i {
				t.Errorf("%d comments are listed before comment %d", n, i)
			}
		}
		if n := fixture.Must[int](t)(s.Posts.CommentsBefore(t.Context(), post.ID, domain.PastAllComments)); n != 60 {
			t.Errorf("%d comments are listed", n)
		}
		list := s.allComments(t, post.ID)
		rest := fixture.Must[domain.ListPage[domain.Comment]](t)(s.Posts.CommentsAfter(t.Context(), post.ID,
			list[8].Place()))
		if len(rest.Items) != domain.CommentsPerPage || !rest.More || rest.Items[0] != list[9] {
			t.Errorf("the page has %d comments, more %t, the first is %+v", len(rest.Items), rest.More, rest.Items[0])
		}
		rest = fixture.Must[domain.ListPage[domain.Comment]](t)(s.Posts.CommentsAfter(t.Context(), post.ID,
			list[9].Place()))
		if len(rest.Items) != domain.CommentsPerPage || rest.More {
			t.Errorf("the page has %d comments, more %t", len(rest.Items), rest.More)
		}
	})
}

// wantReplyCounts compares each comment's count with the number of its replies.
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
		t.Errorf("%d comments are counted, %d exist (%v)", post.CommentCount, live, err)
	}
}

func (s *suite) editComment(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	post := s.MustPost(t, author, 1)
	comment, _ := s.MustComment(t, reader, post.ID, 1)
	edit := func(c domain.Comment, text string, minute int) domain.CommentEdit {
		return fixture.Must[domain.CommentEdit](t)(domain.NewCommentEdit(c, text, fixture.At(minute)))
	}
	fixture.Run(t, "an edit changes the text and its date", func(t *testing.T) {
		e := edit(comment, "Better \"words\"", 5)
		got := fixture.Must[domain.Comment](t)(s.Posts.EditComment(t.Context(), e, reader.ID))
		want := comment
		want.Content, want.Edited = "Better \"words\"", fixture.At(5)
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if read := fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, comment.ID)); read != want {
			t.Errorf("read %+v, want %+v", read, want)
		}
		if again := fixture.Must[domain.Comment](t)(s.Posts.EditComment(t.Context(), e, reader.ID)); again != want {
			t.Errorf("the repeated edit returns %+v", again)
		}
		later := edit(comment, "Better \"words\"", 6) // the same form, sent a second time
		if again := fixture.Must[domain.Comment](t)(s.Posts.EditComment(t.Context(), later, reader.ID)); again != want {
			t.Errorf("the edit with the same text returns %+v", again)
		}
	})
	fixture.Run(t, "an edit of an outdated version is a conflict", func(t *testing.T) {
		_, err := s.Posts.EditComment(t.Context(), edit(comment, "From another tab", 6), reader.ID)
		fixture.WantKind(t, err, domain.Conflict)
		current := fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, comment.ID))
		fixture.Must[domain.Comment](t)(s.Posts.EditComment(t.Context(), edit(current, "Now", 6), reader.ID))
	})
	fixture.Run(t, "two edits at the same time are two versions", func(t *testing.T) {
		current := fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, comment.ID))
		fixture.Must[domain.Comment](t)(s.Posts.EditComment(t.Context(), edit(current, "One", 6), reader.ID))
		_, err := s.Posts.EditComment(t.Context(), edit(current, "Two", 6), reader.ID)
		fixture.WantKind(t, err, domain.Conflict)
	})
	fixture.Run(t, "only the author can edit", func(t *testing.T) {
		current := fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, comment.ID))
		_, err := s.Posts.EditComment(t.Context(), edit(current, "Mine", 7), author.ID)
		fixture.WantKind(t, err, domain.Forbidden)
	})
	fixture.Run(t, "placeholders, posts and missing comments cannot be edited", func(t *testing.T) {
		parent, _ := s.MustComment(t, reader, post.ID, 2)
		s.MustReply(t, author, parent, 3)
		fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), post.ID, parent.ID, reader.ID))
		for _, id := range []string{parent.ID, post.ID, domain.NewID(), "x"} {
			e := edit(parent, "Late", 8)
			e.ID = id
			_, err := s.Posts.EditComment(t.Context(), e, reader.ID)
			fixture.WantKind(t, err, domain.NotFound)
		}
		s.wantReplyCounts(t, post.ID)
	})
}

func (s *suite) closedComments(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	ctx := t.Context()
	fixture.Run(t, "a post with closed comments rejects new ones and keeps existing ones", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		head, _ := s.MustComment(t, reader, post.ID, 1)
		for range 2 {
			closed := fixture.Must[domain.Post](t)(s.Posts.CloseComments(ctx, post.ID, author.ID, true))
			if !closed.CommentsClosed || closed.Version != post.Version+1 || !closed.Listed() {
				t.Errorf("the post is %+v", closed)
			}
		}
		late := fixture.Must[domain.Comment](t)(domain.NewComment(reader, post.ID, "Late", fixture.At(2)))
		reply := fixture.Must[domain.Comment](t)(domain.NewReply(reader, head, "Late", fixture.At(2)))
		for _, c := range []domain.Comment{late, reply} {
			_, err := s.Posts.AddComment(ctx, c)
			fixture.WantKind(t, err, domain.Forbidden)
		}
		s.wantOutline(t, post.ID, "Comment 1")
		for range 2 {
			if open := fixture.Must[domain.Post](t)(s.Posts.CloseComments(ctx, post.ID, author.ID,
				false)); open.CommentsClosed {
				t.Errorf("the post is %+v", open)
			}
		}
		fixture.Must[domain.Post](t)(s.Posts.AddComment(ctx, late))
		s.wantCount(t, post.ID, 2)
	})
	fixture.Run(t, "only the author can close comments", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		_, err := s.Posts.CloseComments(ctx, post.ID, reader.ID, true)
		fixture.WantKind(t, err, domain.Forbidden)
		_, err = s.Posts.CloseComments(ctx, domain.NewID(), author.ID, true)
		fixture.WantKind(t, err, domain.NotFound)
	})
}
