package overviews

import (
	"bytes"
	"cmp"
	"context"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Comments is the overview of all comments of the site. Its rows are in one logical partition, whose maximum size of
// 20 GB is that of about 20 million comments.
type Comments struct{ c *client.Container }

// NewComments returns the overview of comments of a database.
func NewComments(db *client.Database) *Comments {
	return &Comments{c: db.Container(schema.OverviewsContainer)}
}

// commentRowItem is the row of a comment. State is derived from Held and AuthorSuspended, for queries.
type commentRowItem struct {
	ID              string              `json:"id"` // that of the target
	List            string              `json:"list"`
	Type            string              `json:"type"`
	PostID          string              `json:"postId"`
	CommentID       string              `json:"commentId"`
	UserID          string              `json:"userId"`
	UserUsername    string              `json:"userUsername"`
	UserDisplayName string              `json:"userDisplayName,omitempty"`
	Content         string              `json:"content"` // the beginning, as plain text
	CreationDate    schema.Instant      `json:"creationDate"`
	EditDate        *schema.Instant     `json:"editDate,omitempty"`
	Held            domain.Hold         `json:"held,omitempty"`
	AuthorSuspended bool                `json:"authorSuspended,omitempty"`
	State           domain.CommentState `json:"state,omitempty"`
	SortKey         string              `json:"sortKey"`
	ETag            string              `json:"_etag,omitempty"`
}

func commentRowItemOf(r domain.CommentRow) commentRowItem {
	return commentRowItem{ID: r.Target.ID(), List: schema.CommentsOverview, Type: schema.TypeCommentRow,
		PostID: r.PostID, CommentID: r.CommentID, UserID: r.AuthorID, UserUsername: r.AuthorName,
		UserDisplayName: r.AuthorDisplayName, Content: r.Text, CreationDate: schema.Instant(r.Created),
		EditDate: schema.Optional(r.Edited), Held: r.Held, AuthorSuspended: r.AuthorSuspended, State: r.State(),
		SortKey: r.Place()}
}

func (i commentRowItem) domain() domain.CommentRow {
	return domain.CommentRow{Target: i.target(), AuthorID: i.UserID, AuthorName: i.UserUsername,
		AuthorDisplayName: i.UserDisplayName, Text: i.Content, Created: time.Time(i.CreationDate),
		Edited: i.EditDate.Time(), Held: i.Held, AuthorSuspended: i.AuthorSuspended}
}

func (i commentRowItem) target() domain.Target {
	return domain.Target{PostID: i.PostID, CommentID: i.CommentID}
}

// Rewrite makes the row of a comment equal to its source, or deletes it if source returns NotFound. It reads the source
// after the row, and writes only if the row is still the same. So no row goes back to an older state.
func (s *Comments) Rewrite(ctx context.Context, t domain.Target,
	source func(context.Context) (domain.CommentRow, error)) error {
	ctx = client.WritesOnly("copy-comment", 0).In(ctx)
	return client.Rewrite(ctx, func() error {
		found, err := client.Read[commentRowItem](ctx, s.c, schema.CommentsOverview, t.ID())
		if client.Undecodable(err) {
			if err := client.UnlessGone(s.c.Delete(ctx, schema.CommentsOverview, t.ID())); err != nil {
				return client.Translate(err)
			}
			found, err = client.Read[commentRowItem](ctx, s.c, schema.CommentsOverview, t.ID())
		}
		missing := client.Missing(err)
		if err != nil && !missing {
			return client.Translate(err)
		}
		row, err := source(ctx)
		gone := domain.Is(err, domain.NotFound)
		if err != nil && !gone {
			return err
		}
		etag, want := found.ETag, commentRowItemOf(row)
		found.ETag = ""
		switch {
		case gone && missing, !gone && !missing && bytes.Equal(client.Encode(found), client.Encode(want)):
			return nil
		case gone:
			err = s.c.DeleteVersion(ctx, schema.CommentsOverview, t.ID(), etag)
		case missing:
			// The comment may have been deleted meanwhile, by an instance that found no row to delete.
			err = s.c.Create(ctx, schema.CommentsOverview, want)
			return client.AgainIf(err == nil || client.LostRace(err), client.Translate(err))
		default:
			err = s.c.Replace(ctx, schema.CommentsOverview, want.ID, etag, want)
		}
		return client.Lost(client.Translate(err))
	})
}

// pastAllRows sorts after all sort keys.
const pastAllRows = "~"

// List returns the comments before a place, the newest first, in one query on one logical partition. The empty place is
// the beginning. If state is not empty, it lists the comments in this state only. next is the place of the next page,
// or empty.
func (s *Comments) List(ctx context.Context, state domain.CommentState, before string) (
	rows []domain.CommentRow, next string, err error) {
	filter, parameters := "", client.Parameters{"before": cmp.Or(before, pastAllRows),
		"limit": domain.CommentRowsPerPage + 1}
	if state != domain.CommentShown {
		filter, parameters["state"] = ` AND c.state = @state`, state
	}
	items, err := client.Query[commentRowItem](client.Reads("all-comments").In(ctx), s.c, schema.CommentsOverview,
		`SELECT * FROM c WHERE c.sortKey < @before`+filter+` ORDER BY c.sortKey DESC OFFSET 0 LIMIT @limit`, parameters)
	if rows = client.Convert(items, commentRowItem.domain); len(rows) > domain.CommentRowsPerPage {
		rows = rows[:domain.CommentRowsPerPage]
		next = rows[len(rows)-1].Place()
	}
	return rows, next, client.Translate(err)
}

// Each calls visit for the comment of each row, in parts of at most client.MaxBatch, until it fails.
func (s *Comments) Each(ctx context.Context, visit func([]domain.Target) error) error {
	var part []domain.Target
	err := client.EachRow(client.Reads("all-comment-rows").In(ctx), s.c, client.Key(schema.CommentsOverview),
		`SELECT c.postId, c.commentId FROM c`, nil, func(i commentRowItem) error {
			if part = append(part, i.target()); len(part) < client.MaxBatch {
				return nil
			}
			defer func() { part = part[:0] }()
			return visit(part)
		})
	switch {
	case client.NoContainer(err): // the next serve creates it
		return nil
	case err == nil && len(part) > 0:
		err = visit(part)
	}
	return client.Translate(err)
}
