package cosmostest

import (
	"fmt"
	"slices"
	"testing"

	"inkfeed/domain"
)

func (s *suite) suspensions(t *testing.T) {
	author, other := s.mustUser(t), s.mustUser(t)
	ctx := t.Context()
	own, theirs := s.mustPost(t, author, 1), s.mustPost(t, other, 2)
	mine, _ := s.mustComment(t, author, own.ID, 1)
	s.mustComment(t, other, own.ID, 2)
	head, _ := s.mustComment(t, author, theirs.ID, 3)
	s.mustReply(t, other, head, 4)
	held, _ := s.mustComment(t, author, theirs.ID, 5)
	must[domain.Post](t)(s.Posts.HoldComment(ctx, theirs.ID, held.ID, domain.HeldByAuthor))
	for _, u := range []domain.User{author, other} {
		must[domain.Post](t)(s.Posts.Like(ctx, domain.NewLike(u, theirs.ID, at(6))))
	}
	kept := must[domain.Bookmark](t)(s.Posts.Bookmark(ctx, theirs, author.ID, at(7)))
	spread := func(t *testing.T, suspended bool, want int) {
		t.Helper()
		changed, more, err := s.Posts.PropagateSuspension(ctx, author.ID, suspended)
		if check(t, err); changed != want || more {
			t.Errorf("%d items changed, more %t, want %d", changed, more, want)
		}
	}
	likers := func() (names []string) {
		for _, l := range must[domain.Page[domain.Like]](t)(s.Posts.Likes(ctx, theirs.ID, 1)).Items {
			names = append(names, l.Username)
		}
		return names
	}
	t.Run("hide what the user wrote, and all of it comes back", func(t *testing.T) {
		for range 2 {
			spread(t, true, 5)
			if post := must[domain.Post](t)(s.Posts.Latest(ctx, own.ID)); post.Listed() || !post.AuthorSuspended ||
				!post.Withdrawn {
				t.Errorf("the post is %+v", post)
			}
			_, err := s.Posts.Get(ctx, own.ID)
			wantKind(t, err, domain.NotFound)
			s.wantCount(t, own.ID, 1)
			s.wantCount(t, theirs.ID, 1) // the reply
			if post := must[domain.Post](t)(s.Posts.Get(ctx, theirs.ID)); post.LikeCount != 2 {
				t.Errorf("likes count %d, want 2 as ever", post.LikeCount)
			}
			if names := likers(); !slices.Equal(names, []string{other.Username}) {
				t.Errorf("it is liked by %v", names)
			}
			if few := must[[]domain.Like](t)(s.Posts.LatestLikes(ctx, theirs.ID, 3)); len(few) != 1 {
				t.Errorf("the latest likes are %v", few)
			}
			spread(t, true, 0)
			spread(t, false, 5)
			must[domain.Post](t)(s.Posts.Get(ctx, own.ID))
			s.wantCount(t, own.ID, 2)
			s.wantCount(t, theirs.ID, 2) // one is hidden by the post's author all the same
			if names := likers(); len(names) != 2 {
				t.Errorf("it is liked by %v", names)
			}
		}
	})
	t.Run("items come one by one as well, and what is gone is no error", func(t *testing.T) {
		like := domain.LikeID(author.ID)
		for _, suspended := range []bool{true, true, false} {
			for _, item := range [][2]string{{own.ID, own.ID}, {own.ID, mine.ID}, {theirs.ID, like},
				{theirs.ID, held.ID}, {theirs.ID, domain.NewID()}, {domain.NewID(), like}} {
				check(t, s.Posts.SetAuthorSuspended(ctx, item[0], item[1], suspended))
			}
			want := map[bool]int{true: 1, false: 2}[suspended]
			s.wantCount(t, own.ID, want)
			if post := must[domain.Post](t)(s.Posts.Latest(ctx, own.ID)); post.AuthorSuspended != suspended {
				t.Errorf("the post is %+v", post)
			}
		}
		s.wantCount(t, theirs.ID, 2)
	})
	t.Run("a hold and a suspension do not undo each other", func(t *testing.T) {
		must[domain.Post](t)(s.Posts.Hold(ctx, own.ID, domain.HeldByModerator))
		spread(t, true, 5)
		must[domain.Post](t)(s.Posts.ReleaseComment(ctx, theirs.ID, held.ID, held.Edited))
		s.wantCount(t, theirs.ID, 1)
		spread(t, false, 5)
		s.wantCount(t, theirs.ID, 3)
		if post := must[domain.Post](t)(s.Posts.Latest(ctx, own.ID)); post.Held != domain.HeldByModerator ||
			post.Open() {
			t.Errorf("the post is %+v", post)
		}
		must[domain.Post](t)(s.Posts.Release(ctx, own.ID, own.Revision))
	})
	t.Run("bookmarks are nobody's business, and stay", func(t *testing.T) {
		if b := must[domain.Bookmark](t)(s.Posts.BookmarkOf(ctx, theirs.ID, author.ID)); b != kept {
			t.Errorf("it is %+v", b)
		}
	})
	t.Run("many on one post are done in several transactions", func(t *testing.T) {
		chatty := s.mustUser(t)
		post := s.mustPost(t, other, 3)
		for i := range 120 {
			s.mustComment(t, chatty, post.ID, i)
		}
		changed, more, err := s.Posts.PropagateSuspension(ctx, chatty.ID, true)
		if check(t, err); changed != 120 || more {
			t.Error(fmt.Sprint(changed, more))
		}
		s.wantCount(t, post.ID, 0)
	})
}
