package projection

import (
	"context"
	"errors"
	"testing"
	"time"

	"inkfeed/domain"
)

// reviewJournal records calls for the review queue.
type reviewJournal struct{ *journal }

func (j reviewJournal) Put(_ context.Context, r domain.Review) error {
	return j.log("put %s by %s since %s", r.ID(), r.AuthorID, r.At.Format("15:04"))
}

func (j reviewJournal) Done(_ context.Context, target domain.Target) error {
	return j.log("done %s", target.ID())
}

func TestHeldTextsAreListedForReview(t *testing.T) {
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	post := domain.Post{ID: "p", AuthorID: "u", Created: noon, Held: domain.HeldForReview}
	comment := domain.Comment{ID: "c", PostID: "p", AuthorID: "u", Created: noon, Edited: noon.Add(time.Hour),
		Held: domain.HeldForReview}
	j := func() *journal {
		return &journal{sources: map[string]domain.Post{"p": post}, comments: map[string]domain.Comment{"c": comment}}
	}
	list := func(j *journal, changes ...domain.PostChange) error {
		return (&PostsProjector{Posts: j, Reviews: reviewJournal{j}}).listWaiting(t.Context(), changes)
	}
	t.Run("lists posts and comments with the time of their last edit", func(t *testing.T) {
		j := j()
		if err := list(j, domain.PostChange{Post: &post}, domain.PostChange{Comment: &comment},
			domain.PostChange{Post: &post}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "put p by u since 12:00", "put p~c by u since 13:00")
	})
	t.Run("ignores texts that are hidden for another reason, deleted or released", func(t *testing.T) {
		hidden, deleted, gone := post, post, comment
		hidden.Held, deleted.Deleted, gone.Deleted = domain.HeldByModerator, noon, noon
		released := comment
		released.Held = domain.NotHeld
		j := j()
		for _, page := range [][]domain.PostChange{{{Post: &hidden}}, {{Post: &deleted}}, {{Comment: &gone}},
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
		if err := list(j, domain.PostChange{Post: &post}, domain.PostChange{Comment: &comment}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "put p by u since 12:00", "put p~c by u since 13:00", "done p", "done p~c")
	})
	t.Run("returns the error of a failed write", func(t *testing.T) {
		j := j()
		j.fail = errors.New("no")
		if err := list(j, domain.PostChange{Post: &post}); err == nil {
			t.Error("no error")
		}
	})
}
