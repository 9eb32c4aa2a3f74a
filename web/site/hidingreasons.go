package site

import (
	"context"
	"log/slog"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
)

// Reports reads what moderators know about posts and comments.
type Reports interface {
	// Of returns the reports about a target and the decision, or the zero value if there are none.
	Of(ctx context.Context, target domain.Target) (domain.Reported, error)
}

// HidingReasons tells authors why moderators have hidden their posts and comments.
type HidingReasons struct {
	Reports Reports
	Logger  *slog.Logger
}

// Of returns the reason why a post or comment is hidden. It logs an error and returns no reason, since the page is
// useful without it.
func (r HidingReasons) Of(ctx context.Context, target domain.Target) locale.Message {
	reported, err := r.Reports.Of(ctx, target)
	if err != nil {
		r.Logger.WarnContext(ctx, "cannot read why a text is hidden", "error", err)
	}
	return domain.HidingMessage(reported.Why)
}

// AddTo adds the reasons to the viewer's own comments in a list.
func (r HidingReasons) AddTo(ctx context.Context, list *views.CommentList) {
	for i, c := range list.Items {
		if c.Own && c.Held == domain.HeldByModerator {
			list.Items[i].HidingReason = r.Of(ctx, domain.Target{PostID: c.PostID, CommentID: c.ID})
		}
	}
}
