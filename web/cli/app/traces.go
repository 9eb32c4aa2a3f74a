package app

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"log/slog"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/dependency"
	"inkfeed/web/telemetry"
	"inkfeed/workers"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/projection"
)

// traces is how storage requests and projections are traced. Its fields are nil if traces are off.
type traces struct {
	storage     *client.Tracing
	writes      []client.Observer
	projections *changefeed.Tracing
}

// newTraces connects the spans of writes with those of the projections that they cause.
func newTraces(e *telemetry.Exporters) traces {
	if e.Traces == nil {
		return traces{}
	}
	writes := workers.NewWriteTraces()
	return traces{
		storage: &client.Tracing{Provider: e.Traces},
		writes:  []client.Observer{tracedWrites{writes}},
		projections: &changefeed.Tracing{Provider: e.Caused,
			Writes: func(processor, key string, lsn int64) []trace.SpanContext {
				return writes.Take(dependency.PartitionRef{Container: processor, Key: key}, lsn)
			}},
	}
}

// tracedWrites records the spans of the writes that are projected.
type tracedWrites struct{ *workers.WriteTraces }

func (w tracedWrites) Observe(ctx context.Context, a client.Attempt) {
	span, wrote := trace.SpanContextFromContext(ctx), a.Status/100 == 2 && !client.IsRead(a.Request)
	if span.IsSampled() && wrote && slices.Contains(projection.Names(), a.Partition.Container) {
		w.Record(a.Partition, client.SessionLSN(a.Header.Get(client.SessionHeader)), span)
	}
}

// hashWith derives the key that logical partitions are hashed with from the first session key, so that all instances
// hash alike.
func (t traces) hashWith(sessionKeys [][]byte) {
	if t.storage == nil {
		return
	}
	mac := hmac.New(sha256.New, sessionKeys[0])
	mac.Write([]byte("hash of logical partitions in traces"))
	t.storage.HashKey = mac.Sum(nil)
}

// exportTime is the longest time that the export of the last spans may delay the end of the process.
const exportTime = time.Second

func stopExporters(ctx context.Context, e *telemetry.Exporters, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), exportTime)
	defer cancel()
	if err := e.Stop(ctx); err != nil {
		logger.Warn("cannot export the last traces and metrics", "error", err)
	}
}
