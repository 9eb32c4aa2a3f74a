package site

import (
	"context"

	"inkfeed/domain"
)

type AuditRecorder interface {
	Record(ctx context.Context, e domain.AuditEntry) error
}

// RecordAudit notes what was done, which nothing undoes: a log that cannot be written to is told
// to the operator.
func (s *Site) RecordAudit(ctx context.Context, audit AuditRecorder, e domain.AuditEntry) {
	if err := audit.Record(context.WithoutCancel(ctx), e); err != nil {
		s.Logger.ErrorContext(ctx, "not in the audit log", "err", err, "action", e.Action, "actor", e.ActorID, "target",
			e.TargetID)
	}
}
