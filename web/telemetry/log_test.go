package telemetry_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"inkfeed/web/telemetry"
)

func TestLogEntries(t *testing.T) {
	span := trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{0xab, 15: 1}, SpanID: trace.SpanID{7: 2},
	})
	traced := trace.ContextWithSpanContext(t.Context(), span)

	t.Run("in JSON have the ids of their trace, also below With", func(t *testing.T) {
		var out bytes.Buffer
		telemetry.NewLogger(&out, telemetry.JSON, slog.LevelInfo).With("task", "posts").InfoContext(traced, "done")
		var entry map[string]any
		if err := json.Unmarshal(out.Bytes(), &entry); err != nil {
			t.Fatalf("%v: %s", err, out.String())
		}
		for key, want := range map[string]any{"msg": "done", "level": "INFO", "task": "posts",
			"trace_id": "ab000000000000000000000000000001", "span_id": "0000000000000002"} {
			if entry[key] != want {
				t.Errorf("%s is %v, want %v", key, entry[key], want)
			}
		}
	})
	t.Run("as text have the ids of their trace", func(t *testing.T) {
		var out bytes.Buffer
		telemetry.NewLogger(&out, telemetry.Text, slog.LevelInfo).InfoContext(traced, "done")
		if !strings.Contains(out.String(), " msg=done trace_id=ab000000000000000000000000000001 span_id=") {
			t.Error(out.String())
		}
	})
	t.Run("without a trace have no ids", func(t *testing.T) {
		var out bytes.Buffer
		telemetry.NewLogger(&out, telemetry.JSON, slog.LevelInfo).InfoContext(t.Context(), "done")
		if strings.Contains(out.String(), "trace_id") {
			t.Error(out.String())
		}
	})
	t.Run("below the level are left out", func(t *testing.T) {
		var out bytes.Buffer
		telemetry.NewLogger(&out, telemetry.Text, slog.LevelWarn).Info("done")
		if out.Len() > 0 {
			t.Error(out.String())
		}
	})
}
