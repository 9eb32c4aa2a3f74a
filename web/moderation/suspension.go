package moderation

import (
	"context"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site"
)

type suspender interface {
	// Suspend answers Conflict when the account is suspended already, or nobody would be left
	// who administers the site.
	Suspend(ctx context.Context, userID, reason string, at time.Time) (domain.User, error)
}

// suspension is what it takes to suspend an account.
type suspension struct {
	*site.Site
	users suspender
	ended site.SessionEnder
	audit site.AuditRecorder
}

// carryOut is how actor does that to u, wherever the form stands.
func (s suspension) carryOut(ctx context.Context, actor, u domain.User, reason string, now time.Time) error {
	if err := domain.MaySuspend(actor, u); err != nil {
		return err
	}
	if _, err := s.users.Suspend(ctx, u.ID, reason, now); err != nil {
		return err
	}
	if err := s.ended.DeleteOthers(ctx, u.ID, ""); err != nil { // they find no user, and so nobody is signed in
		s.Logger.WarnContext(ctx, "sessions of a suspended user are left", "err", err, "user", u.ID)
	}
	e := domain.NewAuditEntry(actor, domain.AuditSuspend, now).About(u)
	e.Reason = reason
	s.RecordAudit(ctx, s.audit, e)
	return nil
}
