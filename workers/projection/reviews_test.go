package projection

import (
	"context"
	"errors"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// reviewJournal records calls for the review queue.
type reviewJournal struct{ *journal }

func (j reviewJournal) Put(_ context.Context, r domain.Review) error {
	return j.log("put %s by %s since %s", r.ID(), r.AuthorID, r.At.Format("15:04"))
}

func (j reviewJournal) Done(_ context.Context, target domain.Target) error {
	return j.log("done %s", target.ID())
}

func (j reviewJournal) OfPost(context.Context, string) ([]domain.Review, error) { return j.listed, nil }

func (j reviewJournal) All(context.Context) ([]domain.Review, error) { return j.listed, nil }

func TestHeldTextsAreListedForReview(t *testing.T) {
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	post := domain.Post{ID: "p", AuthorID: "u", Created: noon, Held: domain.HeldForReview}
	comment := domain.Comment{ID: "c", PostID: "p", AuthorID: "u", Created: noon, Edited: noon.Add(time.Hour),
		Held: domain.HeldForReview}
	j := func() *journal {
		return &journal{sources: map[string]domain.Post{"p": post}, comments: map[string]domain.Comment{"c": comment}}
	}
	list := func(j *journal, changes ...feeds.PostChange) error {
		return (&PostsProjector{Posts: j, Reviews: reviewJournal{j}}).listWaiting(t.Context(), changes)
	}
	t.Run("lists posts and comments with the time of their last edit", func(t *testing.T) {
		j := j()
		if err := list(j, feeds.PostChange{Post: &post}, feeds.PostChange{Comment: &comment},
			feeds.PostChange{Post: &post}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "put p by u since 12:00", "put p~c by u since 13:00")
	})
	t.Run("ignores texts that are hidden for another reason, in the trash, deleted or released", func(t *testing.T) {
		hidden, trashed, deleted, gone := post, post, post, comment
		hidden.Held, trashed.Trashed, deleted.Deleted, gone.Deleted = domain.HeldByModerator, noon, noon, noon
		released := comment
		released.Held = domain.NotHeld
		j := j()
		for _, page := range [][]feeds.PostChange{{{Post: &hidden}}, {{Post: &trashed}}, {{Post: &deleted}},
			{{Comment: &gone}},
			{{Comment: &comment}, {Comment: &released}},
			{{Like: &domain.Like{}}, {Bookmark: &domain.Bookmark{}}}} {
			if err := list(j, page...); err != nil {
				t.Fatal(err)
			}
		}
		j.is(t)
	})
	t.Run("removes a text that was decided or deleted before its change came", func(t *testing.T) {
		j := j()
		released := post
		released.Held = domain.NotHeld
		j.sources["p"] = released
		delete(j.comments, "c")
		if err := list(j, feeds.PostChange{Post: &post}, feeds.PostChange{Comment: &comment}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "put p by u since 12:00", "put p~c by u since 13:00", "done p", "done p~c")
	})
	t.Run("returns the error of a failed write", func(t *testing.T) {
		j := j()
		j.fail = errors.New("no")
		if err := list(j, feeds.PostChange{Post: &post}); err == nil {
			t.Error("no error")
		}
	})
}

func TestEndedReviewsLeaveTheQueue(t *testing.T) {
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	of := func(comment string) domain.Review {
		return domain.Review{Target: domain.Target{PostID: "p", CommentID: comment}, AuthorID: "u"}
	}
	begin := func(post domain.Post) (*journal, func() error) {
		j := &journal{sources: map[string]domain.Post{"p": post}, authors: map[string]domain.Author{"u": {Name: "ada"}},
			comments: map[string]domain.Comment{"c": {ID: "c", PostID: "p", Held: domain.HeldForReview}},
			listed:   []domain.Review{of(""), of("c"), of("gone")}}
		p := &PostsProjector{UserCopies: j, Feed: j, Tags: tagJournal{j}, Posts: j, Drafts: j,
			Reviews: reviewJournal{j}, AuthorCorrector: AuthorCorrector{Authors: j, Items: j}, Markdown: markdown.New(),
			Thumbnails: noThumbnails{}, Purges: scheduleJournal{j}}
		return j, func() error { return p.Project(t.Context(), []feeds.PostChange{{Post: &post}}) }
	}
	t.Run("after their author has withdrawn them", func(t *testing.T) {
		j, project := begin(domain.Post{ID: "p", AuthorID: "u", AuthorName: "ada", Version: 3, Withdrawn: true})
		if err := project(); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users copy of p version 3 likes 0", "feed copies of p", "done p", "done p~gone",
			"clear stale listings of p at version 3")
	})
	t.Run("after their author has moved the post to the trash", func(t *testing.T) {
		post := domain.Post{ID: "p", AuthorID: "u", AuthorName: "ada", Version: 3, Withdrawn: true, Trashed: noon,
			Held: domain.HeldForReview}
		j, project := begin(post)
		if err := project(); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users copy of p version 3 likes 0", "feed copies of p", "done p", "done p~gone",
			"clear stale listings of p at version 3", "schedule p of u at 2026-04-03T12:00:00Z")
	})
	t.Run("in a rebuild, also if they have been gone for long", func(t *testing.T) {
		j, _ := begin(domain.Post{ID: "p", AuthorID: "u", Version: 3})
		if err := (&PostsProjector{Posts: j, Reviews: reviewJournal{j}}).RemoveEndedReviews(t.Context()); err != nil {
			t.Fatal(err)
		}
		j.is(t, "done p", "done p~gone")
	})
	t.Run("before the deletion of their post ends", func(t *testing.T) {
		j, project := begin(domain.Post{ID: "p", AuthorID: "u", Version: 3, Deleted: noon})
		delete(j.comments, "c") // erased with the post
		if err := project(); err != nil {
			t.Fatal(err)
		}
		j.is(t, "users tombstone of p", "feed copies of p", "erase responses of p", "done p", "done p~c", "done p~gone",
			"erase draft p of u of a deleted post: true", "finish erasure of p")
		if last := j.lines[len(j.lines)-1]; last != "finish erasure of p" {
			t.Errorf("the last step is %q", last)
		}
	})
}
