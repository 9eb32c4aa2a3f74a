package cosmostest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) suspensions(t *testing.T) {
	author, other := s.MustUser(t), s.MustUser(t)
	ctx := t.Context()
	own, theirs := s.MustPost(t, author, 1), s.MustPost(t, other, 2)
	mine, _ := s.MustComment(t, author, own.ID, 1)
	s.MustComment(t, other, own.ID, 2)
	head, _ := s.MustComment(t, author, theirs.ID, 3)
	s.MustReply(t, other, head, 4)
	held, _ := s.MustComment(t, author, theirs.ID, 5)
	fixture.Must[domain.Post](t)(s.Posts.HoldComment(ctx, theirs.ID, held.ID, domain.HeldByAuthor))
	for _, u := range []domain.User{author, other} {
		fixture.Must[domain.Post](t)(s.Posts.Like(ctx, domain.NewLike(u, theirs.ID, fixture.At(6))))
	}
	kept := fixture.Must[domain.Bookmark](t)(s.Posts.Bookmark(ctx, theirs, author.ID, fixture.At(7)))
	propagate := func(t *testing.T, suspended bool, want int) {
		t.Helper()
		changed, more, err := s.Posts.PropagateSuspension(ctx, author.ID, suspended)
		if fixture.Check(t, err); changed != want || more {
			t.Errorf("the propagation changed %d items, more %t, want %d", changed, more, want)
		}
	}
	likers := func() (names []string) {
		for _, l := range fixture.Must[domain.ListPage[domain.Like]](t)(s.Posts.Likes(ctx, theirs.ID, 1)).Items {
			names = append(names, l.Username)
		}
		return names
	}
	fixture.Run(t, "a suspension hides the user's content and its end restores all of it", func(t *testing.T) {
		for range 2 {
			propagate(t, true, 5)
			if post := fixture.Must[domain.Post](t)(s.Posts.Latest(ctx, own.ID)); post.Listed() ||
				!post.AuthorSuspended ||
				!post.Withdrawn {
				t.Errorf("the post is %+v", post)
			}
			_, err := s.Posts.Get(ctx, own.ID)
			fixture.WantKind(t, err, domain.NotFound)
			s.wantCount(t, own.ID, 1)
			s.wantCount(t, theirs.ID, 1) // the reply
			if post := fixture.Must[domain.Post](t)(s.Posts.Get(ctx, theirs.ID)); post.LikeCount != 2 {
				t.Errorf("likes count %d, want 2 as ever", post.LikeCount)
			}
			if names := likers(); !slices.Equal(names, []string{other.Username}) {
				t.Errorf("the post is liked by %v", names)
			}
			if few := fixture.Must[[]domain.Like](t)(s.Posts.LatestLikes(ctx, theirs.ID, 3)); len(few) != 1 {
				t.Errorf("the latest likes are %v", few)
			}
			propagate(t, true, 0)
			propagate(t, false, 5)
			fixture.Must[domain.Post](t)(s.Posts.Get(ctx, own.ID))
			s.wantCount(t, own.ID, 2)
			s.wantCount(t, theirs.ID, 2) // hidden by the post's author
			if names := likers(); len(names) != 2 {
				t.Errorf("the post is liked by %v", names)
			}
		}
	})
	fixture.Run(t, "single items can be hidden, and missing items are no error", func(t *testing.T) {
		like := domain.LikeID(author.ID)
		for _, suspended := range []bool{true, true, false} {
			for _, item := range [][2]string{{own.ID, own.ID}, {own.ID, mine.ID}, {theirs.ID, like},
				{theirs.ID, held.ID}, {theirs.ID, domain.NewID()}, {domain.NewID(), like}} {
				fixture.Check(t, s.Posts.SetAuthorSuspended(ctx, item[0], item[1], suspended))
			}
			want := map[bool]int{true: 1, false: 2}[suspended]
			s.wantCount(t, own.ID, want)
			if post := fixture.Must[domain.Post](t)(s.Posts.Latest(ctx, own.ID)); post.AuthorSuspended != suspended {
				t.Errorf("the post is %+v", post)
			}
		}
		s.wantCount(t, theirs.ID, 2)
	})
	fixture.Run(t, "holds and suspensions are independent", func(t *testing.T) {
		fixture.Must[domain.Post](t)(s.Posts.Hold(ctx, own.ID, domain.HeldByModerator))
		propagate(t, true, 5)
		fixture.Must[domain.Post](t)(s.Posts.ReleaseComment(ctx, theirs.ID, held.ID, held.Edited))
		s.wantCount(t, theirs.ID, 1)
		propagate(t, false, 5)
		s.wantCount(t, theirs.ID, 3)
		if post := fixture.Must[domain.Post](t)(s.Posts.Latest(ctx, own.ID)); post.Held != domain.HeldByModerator ||
			post.Open() {
			t.Errorf("the post is %+v", post)
		}
		fixture.Must[domain.Post](t)(s.Posts.Release(ctx, own.ID, own.Revision))
	})
	fixture.Run(t, "bookmarks are private and stay", func(t *testing.T) {
		if b := fixture.Must[domain.Bookmark](t)(s.Posts.BookmarkOf(ctx, theirs.ID, author.ID)); b != kept {
			t.Errorf("the bookmark is %+v", b)
		}
	})
	fixture.Run(t, "many items on one post are changed in several transactions", func(t *testing.T) {
		chatty := s.MustUser(t)
		post := s.MustPost(t, other, 3)
		for i := range 120 {
			s.MustComment(t, chatty, post.ID, i)
		}
		changed, more, err := s.Posts.PropagateSuspension(ctx, chatty.ID, true)
		if fixture.Check(t, err); changed != 120 || more {
			t.Error(fmt.Sprint(changed, more))
		}
		s.wantCount(t, post.ID, 0)
	})
}

func (s *suite) blocks(t *testing.T) {
	user, bob, carol := s.MustUser(t), s.MustUser(t), s.MustUser(t)
	ctx := t.Context()
	blocked := func(t *testing.T) (names []string) {
		t.Helper()
		for _, b := range fixture.Must[domain.ListPage[domain.Block]](t)(s.Blocks.List(ctx, user.ID, 1)).Items {
			names = append(names, b.Blocked.Username)
		}
		return names
	}
	want := func(t *testing.T, other domain.User, want bool) {
		t.Helper()
		if got := fixture.Must[bool](t)(s.Blocks.Has(ctx, user.ID, other.ID)); got != want {
			t.Errorf("%s is blocked: %t, want %t", other.Username, got, want)
		}
	}
	fixture.Run(t, "blocking and unblocking are idempotent", func(t *testing.T) {
		for range 2 {
			fixture.Check(t, s.Blocks.Block(ctx, user.ID, bob.ID, fixture.At(1)))
			fixture.Check(t, s.Blocks.Block(ctx, user.ID, carol.ID, fixture.At(2)))
		}
		want(t, bob, true)
		if got := fixture.Must[bool](t)(s.Blocks.Has(ctx, bob.ID, user.ID)); got {
			t.Error("the block also applies to the blocking user")
		}
		if got := blocked(t); len(got) != 2 || got[0] != carol.Username || got[1] != bob.Username {
			t.Errorf("the list is %v", got)
		}
		for range 2 {
			fixture.Check(t, s.Blocks.Unblock(ctx, user.ID, carol.ID))
		}
		want(t, carol, false)
	})
	fixture.Run(t, "the list shows current names and omits deleted users", func(t *testing.T) {
		gone := s.MustUser(t)
		fixture.Check(t, s.Blocks.Block(ctx, user.ID, gone.ID, fixture.At(3)))
		name := fixture.FreshName()
		fixture.Must[domain.User](t)(s.Usernames.Rename(ctx, bob.ID, name))
		fixture.Check(t, s.AccountDeletions.Delete(ctx, gone.ID))
		if got := blocked(t); len(got) != 2 || got[0] != "" || got[1] != name {
			t.Errorf("the list is %v", got)
		}
	})
	fixture.Run(t, "a user cannot block themselves or an unknown user", func(t *testing.T) {
		fixture.WantKind(t, s.Blocks.Block(ctx, user.ID, user.ID, fixture.At(1)), domain.Invalid)
		fixture.WantKind(t, s.Blocks.Block(ctx, user.ID, domain.NewUserID(nil), fixture.At(1)), domain.NotFound)
		fixture.WantKind(t, s.Blocks.Block(ctx, user.ID, "credentials", fixture.At(1)), domain.NotFound)
	})
	fixture.Run(t, "blocks are deleted with the account", func(t *testing.T) {
		leaver := s.MustUser(t)
		fixture.Check(t, s.Blocks.Block(ctx, leaver.ID, bob.ID, fixture.At(1)))
		fixture.Check(t, s.AccountDeletions.Delete(ctx, leaver.ID))
		fixture.Check(t, s.AccountDeletions.FinishErasure(ctx, leaver.ID))
		if got := fixture.Must[bool](t)(s.Blocks.Has(ctx, leaver.ID, bob.ID)); got {
			t.Error("the block still exists")
		}
	})
	fixture.Run(t, "checking a block is a point read", func(t *testing.T) {
		if usage := s.Cost(t, func(ctx context.Context) error {
			_, err := s.Blocks.Has(ctx, user.ID, bob.ID)
			return err
		}); usage.Requests() != 1 || usage.Charge() > 1.1 {
			t.Errorf("%d requests, %.1f RU", usage.Requests(), usage.Charge())
		}
	})
}
