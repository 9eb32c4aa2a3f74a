package moderation

import (
	"context"
	"time"

	"inkfeed/domain"
)

// decisionTime is the maximum time for carrying out a decision.
const decisionTime = 15 * time.Second

// uninterrupted returns a context for carrying out a decision. It does not end with the request, so that no decision is
// carried out in part because its moderator closed the page.
func uninterrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), decisionTime)
}

// suspendAccount suspends u on behalf of the moderator actor. The forms for it are on the page of an account and on the
// page where a post or comment is moderated. The user's sessions are void from then on, also after the account is
// restored. Their records stay, so that each open browser can say why, once; see site.CheckSuspended.
func (h handler) suspendAccount(ctx context.Context, actor, u domain.User, reason string, now time.Time) error {
	if err := domain.MaySuspend(actor, u); err != nil {
		return err
	}
	if _, err := h.store.Users.Suspend(ctx, u.ID, reason, now); err != nil {
		return err
	}
	e := domain.NewAuditEntry(actor, domain.AuditSuspend, now).About(u)
	e.Reason = reason
	h.audit.Record(ctx, e)
	return nil
}
