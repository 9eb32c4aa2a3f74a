package site

import (
	"context"
	"log/slog"

	"inkfeed/domain"
)

// AuditLog stores the entries of the audit log.
type AuditLog interface {
	// Record stores an entry. Repeating it changes nothing.
	Record(ctx context.Context, e domain.AuditEntry) error
}

// AuditRecorder records actions that have been carried out.
type AuditRecorder struct {
	Log    AuditLog
	Logger *slog.Logger
}

// Record stores an entry, also after the request has ended. The action cannot be undone, so Record logs an error
// instead of returning it.
func (r AuditRecorder) Record(ctx context.Context, e domain.AuditEntry) {
	if err := r.Log.Record(context.WithoutCancel(ctx), e); err != nil {
		r.Logger.ErrorContext(ctx, "cannot write to the audit log", "error", err,
			"action", e.Action, "actor", e.ActorID,
			"target", e.TargetID)
	}
}
