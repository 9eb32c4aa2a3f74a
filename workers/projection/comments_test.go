package projection

import (
	"context"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// noRows is an overview that nothing is written to.
type noRows struct{ CommentRows }

func (noRows) Rewrite(context.Context, domain.Target, func(context.Context) (domain.CommentRow, error)) error {
	return nil
}

// commentRowJournal records the rows of comments that are written and deleted.
type commentRowJournal struct{ *journal }

func (j commentRowJournal) Rewrite(ctx context.Context, t domain.Target,
	source func(context.Context) (domain.CommentRow, error)) error {
	row, err := source(ctx)
	switch {
	case domain.Is(err, domain.NotFound):
		return j.log("no row of %s", t.ID())
	case err != nil:
		return err
	}
	return j.log("row of %s by %s: %s", row.Target.ID(), row.AuthorName, row.Text)
}

func (j commentRowJournal) Each(_ context.Context, visit func([]domain.Target) error) error {
	return visit([]domain.Target{{PostID: "p", CommentID: "c"}, {PostID: "p", CommentID: "gone"}})
}

func TestCommentsAreListed(t *testing.T) {
	comment := func(id string) domain.Comment {
		return domain.Comment{ID: id, PostID: "p", AuthorID: "u", AuthorName: "ada", Content: "Very *good*"}
	}
	placeholder := comment("placeholder")
	placeholder.Deleted = time.Now()
	j := func() *journal {
		return &journal{comments: map[string]domain.Comment{"c": comment("c"), "placeholder": placeholder}}
	}
	projector := func(j *journal) *PostsProjector {
		return &PostsProjector{Posts: j, CommentRows: commentRowJournal{j}, Markdown: markdown.New()}
	}
	change := func(id string) feeds.PostChange {
		c := comment(id)
		return feeds.PostChange{Comment: &c}
	}
	t.Run("each once, in their present state", func(t *testing.T) {
		j := j()
		err := projector(j).listComments(t.Context(), []feeds.PostChange{change("c"), change("c"),
			change("placeholder"), change("gone")})
		if err != nil {
			t.Fatal(err)
		}
		j.is(t, "row of p~c by ada: Very good", "no row of p~placeholder", "no row of p~gone")
	})
	t.Run("except those whose deletion a lagging replica has not received", func(t *testing.T) {
		j, deleted := j(), comment("c")
		deleted.Deleted = time.Now()
		if err := projector(j).listComments(t.Context(), []feeds.PostChange{{Comment: &deleted}}); err != nil {
			t.Fatal(err)
		}
		j.is(t, "no row of p~c")
	})
	t.Run("and a rebuild removes the rows of those that are gone", func(t *testing.T) {
		j := j()
		if err := projector(j).RepairCommentRows(t.Context()); err != nil {
			t.Fatal(err)
		}
		j.is(t, "row of p~c by ada: Very good", "no row of p~gone")
	})
}
