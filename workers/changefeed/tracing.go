package changefeed

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"inkfeed/cosmos/feeds"
)

// Tracing makes a span of the projection of each page that has changes of traced writes, with links to the spans of
// these writes. Other pages have no spans.
type Tracing struct {
	// Provider samples every span: whether to trace was decided at the write.
	Provider trace.TracerProvider
	// Writes returns, and forgets, the spans of the traced writes to a logical partition up to an LSN; 0 means all.
	Writes func(processor, partition string, lsn int64) []trace.SpanContext
}

// begin starts the span of the projection of a page. The returned function ends it.
func (t *Tracing) begin(ctx context.Context, processor string, r feeds.Range, partitions []string,
	lsn int64) (context.Context, func(error)) {
	var links []trace.Link
	seen := make(map[string]bool)
	for _, partition := range partitions {
		if seen[partition] {
			continue
		}
		seen[partition] = true
		for _, span := range t.Writes(processor, partition, lsn) {
			links = append(links, trace.Link{SpanContext: span})
		}
	}
	if len(links) == 0 {
		return ctx, func(error) {}
	}
	ctx, span := t.Provider.Tracer("inkfeed/workers").Start(ctx, "project "+processor, trace.WithNewRoot(),
		trace.WithSpanKind(trace.SpanKindConsumer), trace.WithLinks(links...),
		trace.WithAttributes(attribute.String("inkfeed.processor", processor),
			attribute.String("inkfeed.range", RangeName(r)), attribute.Int("inkfeed.changes", len(partitions)),
			attribute.Int64("inkfeed.lsn", lsn)))
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}
