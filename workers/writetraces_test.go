package workers_test

import (
	"testing"

	"go.opentelemetry.io/otel/trace"

	"inkfeed/cosmos/dependency"
	"inkfeed/workers"
)

func TestWriteTraces(t *testing.T) {
	span := func(id byte) trace.SpanContext {
		return trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{id}})
	}
	post := dependency.PartitionRef{Container: "posts", Key: "a"}
	take := func(t *testing.T, w *workers.WriteTraces, part dependency.PartitionRef, lsn int64, want ...byte) {
		t.Helper()
		got := w.Take(part, lsn)
		if len(got) != len(want) {
			t.Fatalf("%d spans, want %v", len(got), want)
		}
		for i, s := range got {
			if s.SpanID() != (trace.SpanID{want[i]}) {
				t.Errorf("span %v, want %d", s.SpanID(), want[i])
			}
		}
	}
	t.Run("returns each write of a partition once, up to the LSN", func(t *testing.T) {
		w := workers.NewWriteTraces()
		w.Record(post, 5, span(1))
		w.Record(post, 7, span(2))
		w.Record(dependency.PartitionRef{Container: "posts", Key: "b"}, 6, span(3))
		take(t, w, post, 4)
		take(t, w, post, 6, 1)
		take(t, w, post, 0, 2)
		take(t, w, post, 0)
	})
	t.Run("forgets old writes that are never projected", func(t *testing.T) {
		w := workers.NewWriteTraces()
		for i := range 40 {
			w.Record(post, int64(i), span(byte(i+1)))
		}
		if got := len(w.Take(post, 0)); got != 32 {
			t.Errorf("%d writes of one partition are remembered", got)
		}
		w.Record(post, 1, span(1))
		for i := range 1000 {
			w.Record(dependency.PartitionRef{Container: "posts", Key: string(rune('b' + i))}, 1, span(1))
		}
		take(t, w, post, 0)
	})
}
