package cosmostest

import (
	"testing"

	"inkfeed/domain"
)

func (s *suite) closedComments(t *testing.T) {
	author, reader := s.mustUser(t), s.mustUser(t)
	ctx := t.Context()
	t.Run("a post takes no comments until it does again; those that are there stay", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		head, _ := s.mustComment(t, reader, post.ID, 1)
		for range 2 {
			closed := must[domain.Post](t)(s.Posts.CloseComments(ctx, post.ID, author.ID, true))
			if !closed.CommentsClosed || closed.Version != post.Version+1 || !closed.Listed() {
				t.Errorf("it is %+v", closed)
			}
		}
		late := must[domain.Comment](t)(domain.NewComment(reader, post.ID, "Late", at(2)))
		reply := must[domain.Comment](t)(domain.NewReply(reader, head, "Late", at(2)))
		for _, c := range []domain.Comment{late, reply} {
			_, err := s.Posts.AddComment(ctx, c)
			wantKind(t, err, domain.Forbidden)
		}
		s.wantOutline(t, post.ID, "Comment 1")
		for range 2 {
			if open := must[domain.Post](t)(s.Posts.CloseComments(ctx, post.ID, author.ID,
				false)); open.CommentsClosed {
				t.Errorf("it is %+v", open)
			}
		}
		must[domain.Post](t)(s.Posts.AddComment(ctx, late))
		s.wantCount(t, post.ID, 2)
	})
	t.Run("only its author closes them", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		_, err := s.Posts.CloseComments(ctx, post.ID, reader.ID, true)
		wantKind(t, err, domain.Forbidden)
		_, err = s.Posts.CloseComments(ctx, domain.NewID(), author.ID, true)
		wantKind(t, err, domain.NotFound)
	})
}
