package moderation

import (
	"context"
	"time"

	"inkfeed/domain"
)

// suspendAccount suspends u on behalf of the moderator actor. The forms for it are on the page of an account and on the
// page where a post or comment is moderated. The user's sessions are void from then on, also after the account is
// restored. Their records stay, so that each open browser can say why, once; see site.CheckSuspended.
func (h handler) suspendAccount(ctx context.Context, actor, u domain.User, reason string, now time.Time) error {
	if err := domain.MaySuspend(actor, u); err != nil {
		return err
	}
	u, err := h.store.Accounts.Suspend(ctx, u.ID, reason, now)
	if err != nil {
		return err
	}
	e := domain.NewAuditEntry(actor, domain.AuditSuspend, u.Suspended).About(u).Once(u.Suspended.String())
	e.Reason = reason
	h.audit.Record(ctx, e)
	return nil
}
