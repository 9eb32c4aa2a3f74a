package lists

import (
	"context"
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// commentRows tests rows in a time of their own, since all comments of the database are in one list.
func (s *suite) commentRows(t *testing.T) {
	ctx, began := context.WithoutCancel(t.Context()), fixture.At(1_000_000)
	post, author := domain.NewID(), domain.NewUserID(nil)
	row := func(n int) domain.CommentRow {
		return domain.CommentRow{Target: domain.Target{PostID: post, CommentID: domain.NewID()}, AuthorID: author,
			AuthorName: "ada", Text: "Very \"good\"", Created: began.Add(time.Duration(n/2) * time.Minute)} // in pairs
	}
	write := func(t *testing.T, r domain.CommentRow, err error) {
		t.Helper()
		fixture.Check(t, s.CommentRows.Rewrite(ctx, r.Target,
			func(context.Context) (domain.CommentRow, error) { return r, err }))
	}
	list := func(t *testing.T, state domain.CommentState) (all []domain.CommentRow, pages int) {
		t.Helper()
		for before := ""; ; {
			rows, next, err := s.CommentRows.List(ctx, state, before)
			fixture.Check(t, err)
			for _, r := range rows {
				if r.PostID == post {
					all = append(all, r)
				}
			}
			pages++
			if before = next; next == "" {
				return all, pages
			}
		}
	}
	var want []domain.CommentRow
	for n := range domain.CommentRowsPerPage + 5 {
		r := row(n)
		switch n {
		case 3:
			r.Held = domain.HeldForReview
		case 4:
			r.Held, r.Edited, r.AuthorDisplayName = domain.HeldByAuthor, began, "Ada L."
		case 5:
			r.AuthorSuspended = true
		}
		write(t, r, nil)
		want = append(want, r)
	}
	gone := domain.NewError(domain.NotFound, "")
	t.Cleanup(func() {
		for _, r := range want {
			write(t, r, gone)
		}
	})
	newestFirst := func(rows []domain.CommentRow) []domain.CommentRow {
		rows = slices.Clone(rows)
		slices.SortFunc(rows, func(a, b domain.CommentRow) int {
			if a.Place() > b.Place() {
				return -1
			}
			return 1
		})
		return rows
	}
	fixture.Run(t, "are listed newest first, each on one page", func(t *testing.T) {
		if got, pages := list(t, domain.CommentShown); !slices.Equal(got, newestFirst(want)) || pages < 2 {
			t.Errorf("got %d rows on %d pages: %+v", len(got), pages, got)
		}
	})
	fixture.Run(t, "are listed by state", func(t *testing.T) {
		if got, _ := list(t, domain.CommentInReview); !slices.Equal(got, want[3:4]) {
			t.Errorf("in review: %+v", got)
		}
		if got, _ := list(t, domain.CommentHidden); !slices.Equal(got, newestFirst(want[4:6])) {
			t.Errorf("hidden: %+v", got)
		}
	})
	fixture.Run(t, "show the present state of their comments", func(t *testing.T) {
		want[0].Text, want[0].AuthorName, want[0].Edited = "Better", "grace", began
		write(t, want[0], nil)
		write(t, want[1], gone)
		write(t, want[1], gone)
		want = slices.Delete(want, 1, 2)
		if got, _ := list(t, domain.CommentShown); !slices.Equal(got, newestFirst(want)) {
			t.Errorf("got %+v", got)
		}
	})
	fixture.Run(t, "keep a state that another process writes meanwhile", func(t *testing.T) {
		older, newer, attempts := want[0], want[0], 0
		older.Text, newer.Text = "Older", "The newest"
		fixture.Check(t, s.CommentRows.Rewrite(ctx, newer.Target, func(context.Context) (domain.CommentRow, error) {
			if attempts++; attempts == 1 {
				write(t, newer, nil)
				return older, nil
			}
			return newer, nil
		}))
		if want[0] = newer; attempts != 2 {
			t.Errorf("the comment was read %d times", attempts)
		}
		if got, _ := list(t, domain.CommentShown); !slices.Contains(got, newer) {
			t.Errorf("the row is not %+v", newer)
		}
	})
	fixture.Run(t, "do not come back by a process that read their comment before it was deleted", func(t *testing.T) {
		deleted, late := row(1_000), false
		fixture.Check(t, s.CommentRows.Rewrite(ctx, deleted.Target, func(context.Context) (domain.CommentRow, error) {
			if late {
				return domain.CommentRow{}, gone
			}
			late = true
			write(t, deleted, gone) // another process finds no row to delete
			return deleted, nil
		}))
		if got, _ := list(t, domain.CommentShown); slices.Contains(got, deleted) {
			t.Error("a deleted comment has a row")
		}
	})
	fixture.Run(t, "are replaced if they cannot be read", func(t *testing.T) {
		fixture.Check(t, s.Container(schema.OverviewsContainer).Upsert(ctx, schema.CommentsOverview, map[string]any{
			"id": want[0].Target.ID(), "list": schema.CommentsOverview, "type": schema.TypeCommentRow, "content": 7}))
		write(t, want[0], nil)
		if got, _ := list(t, domain.CommentShown); !slices.Equal(got, newestFirst(want)) {
			t.Errorf("got %+v", got)
		}
	})
	fixture.Run(t, "are all visited", func(t *testing.T) {
		visited := make(map[domain.Target]int)
		fixture.Check(t, s.CommentRows.Each(ctx, func(part []domain.Target) error {
			for _, target := range part {
				visited[target]++
			}
			return nil
		}))
		for _, r := range want {
			if visited[r.Target] != 1 {
				t.Errorf("the row of %s was visited %d times", r.Target.ID(), visited[r.Target])
			}
		}
	})
}
