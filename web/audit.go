package web

import (
	"context"

	"inkfeed/domain"
)

type recorder interface {
	Record(ctx context.Context, e domain.AuditEntry) error
}

// record notes what was done, which nothing undoes: a log that cannot be written to is told
// to the operator.
func (s *site) record(ctx context.Context, audit recorder, e domain.AuditEntry) {
	if err := audit.Record(context.WithoutCancel(ctx), e); err != nil {
		s.logger.ErrorContext(ctx, "not in the audit log", "err", err, "action", e.Action, "actor", e.ActorID, "target", e.TargetID)
	}
}
