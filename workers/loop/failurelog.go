package loop

import (
	"log/slog"
	"strings"
	"sync"
)

// FailureLog logs why a loop makes no progress: once for each reason, and once when it goes on, however often it tries.
// It is safe for concurrent use.
type FailureLog struct {
	logger  *slog.Logger
	message string
	mu      sync.Mutex
	reason  string // of the last failure; empty after a success
}

// NewFailureLog returns a log of failures with a message like "cannot read the change feed".
func NewFailureLog(logger *slog.Logger, message string) *FailureLog {
	return &FailureLog{logger: logger, message: message}
}

// Failed logs an error, unless the attempt before failed for the same reason.
func (f *FailureLog) Failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	reason, _, _ := strings.Cut(err.Error(), ", activity ") // the id of the request, which is another one each time
	if reason != f.reason {
		f.logger.Warn(f.message, "error", err)
	}
	f.reason = reason
}

// Succeeded logs that the failures have ended, if the attempt before failed.
func (f *FailureLog) Succeeded() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reason != "" {
		f.logger.Info("no longer: "+f.message, "reason", f.reason)
	}
	f.reason = ""
}
