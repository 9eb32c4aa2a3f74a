package cosmostest

import (
	"fmt"
	"sync"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) deleteThread(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	remove := func(t *testing.T, c domain.Comment) domain.CommentRemoval {
		t.Helper()
		r := fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), c.PostID, c.ID, c.AuthorID))
		s.wantReplyCounts(t, c.PostID)
		return r
	}
	fixture.Run(t, "a comment with replies becomes a placeholder until its last reply is deleted", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		parent, _ := s.MustComment(t, reader, post.ID, 1)
		one, two := s.MustReply(t, author, parent, 2), s.MustReply(t, reader, parent, 3)
		if r := remove(t, parent); !r.Placeholder || r.Parent != "" || r.Post.CommentCount != 2 {
			t.Errorf("the removal is %+v", r)
		}
		s.wantOutline(t, post.ID, "x, - Reply 2, - Reply 3")
		if r := remove(t, parent); !r.Placeholder || r.Post.CommentCount != 2 { // again
			t.Errorf("the removal is %+v", r)
		}
		if r := remove(t, one); r.Placeholder || r.Parent != "" || r.Post.CommentCount != 1 {
			t.Errorf("the removal is %+v", r)
		}
		three := s.MustReply(t, author, two, 4) // the thread continues
		remove(t, two)
		s.wantOutline(t, post.ID, "x, - Reply 4")
		if r := remove(t, three); r.Placeholder || r.Parent != parent.ID || r.Post.CommentCount != 0 {
			t.Errorf("the removal is %+v", r)
		}
		s.wantOutline(t, post.ID, "")
		_, err := s.Posts.AddComment(t.Context(), fixture.Must[domain.Comment](t)(domain.NewReply(author, parent,
			"Late",
			fixture.At(5))))
		fixture.WantKind(t, err, domain.Conflict)
	})
	fixture.Run(t, "deleting a reply keeps its parent", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		parent, _ := s.MustComment(t, reader, post.ID, 1)
		reply := s.MustReply(t, author, parent, 2)
		remove(t, reply)
		remove(t, reply) // again
		s.wantOutline(t, post.ID, "Comment 1")
		remove(t, parent)
		s.wantOutline(t, post.ID, "")
	})
	fixture.Run(t, "replies added during the deletion of the parent keep counts and parent correct",
		func(t *testing.T) {
			for round := range 5 {
				post := s.MustPost(t, author, 1)
				parent, _ := s.MustComment(t, reader, post.ID, 1)
				var group sync.WaitGroup
				group.Go(func() {
					if _, err := s.Posts.DeleteComment(t.Context(), post.ID, parent.ID, reader.ID); err != nil {
						t.Error(err)
					}
				})
				for i := range 4 {
					group.Go(func() {
						reply, err := domain.NewReply(author, parent, fmt.Sprint(i), fixture.At(i+2))
						if err == nil {
							_, err = s.Posts.AddComment(t.Context(), reply)
						}
						if err == nil && i%2 == round%2 {
							_, err = s.Posts.DeleteComment(t.Context(), post.ID, reply.ID, author.ID)
						}
						if err != nil && !domain.Is(err, domain.Conflict) { // the parent was deleted
							t.Error(err)
						}
					})
				}
				group.Wait()
				s.wantReplyCounts(t, post.ID)
				for _, c := range s.allComments(t, post.ID) { // delete all comments
					if c.Deleted.IsZero() {
						remove(t, c)
					}
				}
				s.wantOutline(t, post.ID, "")
			}
		})
	fixture.Run(t, "deleting an account deletes its comments and leaves placeholders above replies",
		func(t *testing.T) {
			leaver := s.MustUser(t)
			post := s.MustPost(t, author, 1)
			answered, _ := s.MustComment(t, leaver, post.ID, 1)
			s.MustReply(t, reader, answered, 2)
			s.MustReply(t, leaver, answered, 3)
			alone, _ := s.MustComment(t, leaver, post.ID, 4)
			s.MustReply(t, leaver, alone, 5)
			kept, _ := s.MustComment(t, reader, post.ID, 6)
			s.MustReply(t, leaver, kept, 7)
			held, _ := s.MustComment(t, reader, post.ID, 8)
			s.MustReply(t, leaver, held, 9)
			remove(t, held)
			fixture.Check(t, s.AccountDeletions.Delete(t.Context(), leaver.ID))
			for fixture.Must[domain.Step](t)(s.Posts.EraseAuthored(t.Context(), leaver.ID, 1000)).More {
			}
			s.wantOutline(t, post.ID, "x, - Reply 2, Comment 6")
			s.wantReplyCounts(t, post.ID)
			if fixture.Must[domain.Step](t)(s.Posts.EraseAuthored(t.Context(), leaver.ID, 1000)).More {
				t.Error("deleting all comments does not end")
			}
		})
	fixture.Run(t, "deleting the post deletes the whole thread", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		parent, _ := s.MustComment(t, reader, post.ID, 1)
		for i := range 120 { // more than fit in one transaction
			s.MustReply(t, author, parent, i+2)
		}
		remove(t, parent)
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		_, err := s.Posts.DeleteComment(t.Context(), post.ID, s.allComments(t, post.ID)[1].ID, author.ID)
		fixture.WantKind(t, err, domain.NotFound)
		s.eraseAll(t, post.ID)
		s.wantCountsOf(t, fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)), 0, 0)
	})
	fixture.Run(t, "concurrent deletions of account and post delete everything", func(t *testing.T) {
		leaver := s.MustUser(t)
		post := s.MustPost(t, author, 1)
		for i := range 60 {
			c, _ := s.MustComment(t, reader, post.ID, i)
			s.MustReply(t, leaver, c, i)
		}
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), leaver.ID))
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := s.Posts.EraseAuthored(t.Context(), leaver.ID, 1000); err != nil {
				t.Error(err)
			}
		})
		s.eraseAll(t, post.ID)
		group.Wait()
		s.wantCountsOf(t, fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)), 0, 0)
	})
}
