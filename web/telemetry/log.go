package telemetry

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// LogFormat is the form of log entries.
type LogFormat int

const (
	Text LogFormat = iota // key=value pairs, one entry a line
	JSON                  // one JSON object a line
)

// UnmarshalText accepts "text" and "json".
func (f *LogFormat) UnmarshalText(text []byte) error {
	switch string(text) {
	case "text":
		*f = Text
	case "json":
		*f = JSON
	default:
		return fmt.Errorf("%q is not text or json", text)
	}
	return nil
}

// NewLogger returns a logger that writes entries of the level and above to w. An entry that is logged under a context
// with a span also has the ids of the trace and the span.
func NewLogger(w io.Writer, format LogFormat, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if format == JSON {
		return slog.New(traceIDs{slog.NewJSONHandler(w, options)})
	}
	return slog.New(traceIDs{slog.NewTextHandler(w, options)})
}

// traceIDs is a handler that adds the ids of the context's trace and span to each entry.
type traceIDs struct{ slog.Handler }

func (h traceIDs) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h traceIDs) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traceIDs{h.Handler.WithAttrs(attrs)}
}
func (h traceIDs) WithGroup(name string) slog.Handler { return traceIDs{h.Handler.WithGroup(name)} }
