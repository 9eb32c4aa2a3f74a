package client

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"inkfeed/cosmos/dependency"
)

// Tracing makes a span of each storage request that belongs to a sampled trace. Requests of background work without a
// trace have no spans.
//
// The SDK's own spans, by github.com/Azure/azure-sdk-for-go/sdk/tracing/azotel, are not used. Their addresses have the
// ids of items, some of which are names or secrets, and their errors have bodies of responses. Two spans describe one
// request, and neither has the operation, the partition or the number of attempts.
type Tracing struct {
	Provider trace.TracerProvider
	// HashKey is the secret that logical partitions are hashed with, so that a partition key cannot be guessed.
	// Instances with the same key give a partition the same hash. It must be set before the first traced request.
	HashKey []byte
}

// tracer is the pipeline policy, and the observer, that makes the spans of storage requests.
type tracer struct {
	*Tracing
	tracer trace.Tracer
}

func newTracer(t *Tracing) *tracer { return &tracer{t, t.Provider.Tracer("inkfeed/cosmos")} }

type tracedKey struct{}

// tracedRequest adds up the attempts of a request.
type tracedRequest struct {
	attempts int
	charge   float64
}

// Do makes the span of a request with all its attempts.
func (t *tracer) Do(r *policy.Request) (*http.Response, error) {
	ctx := r.Raw().Context()
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return r.Next()
	}
	name := strings.TrimSpace(operationOf(ctx).name + " " + ContainerOf(r.Raw().URL.Path)) // as in "Q3 feed"
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(t.attributes(ctx, r.Raw())...))
	defer span.End()
	var request tracedRequest
	resp, err := r.WithContext(context.WithValue(ctx, tracedKey{}, &request)).Next()

	span.SetAttributes(attribute.Int("inkfeed.storage.retries", max(request.attempts-1, 0)),
		attribute.Float64("azure.cosmosdb.operation.request_charge", request.charge))
	status := 0
	if resp != nil {
		status = resp.StatusCode
		span.SetAttributes(attribute.Int("db.response.status_code", status))
		if substatus, err := strconv.Atoi(resp.Header.Get("x-ms-substatus")); err == nil && substatus != 0 {
			span.SetAttributes(attribute.Int("azure.cosmosdb.response.sub_status_code", substatus))
		}
	}
	if !expected(status) {
		span.SetStatus(codes.Error, "")
	}
	return resp, err
}

// Observe adds an attempt to its request. An attempt that the SDK may repeat becomes an event of the span.
func (t *tracer) Observe(ctx context.Context, a Attempt) {
	request, ok := ctx.Value(tracedKey{}).(*tracedRequest)
	if !ok {
		return
	}
	request.attempts++
	request.charge += a.Charge
	if !expected(a.Status) {
		trace.SpanFromContext(ctx).AddEvent("attempt failed",
			trace.WithAttributes(attribute.Int("db.response.status_code", a.Status)))
	}
}

// expected reports whether a status is a usual outcome: success, no such item, or a condition that does not hold.
func expected(status int) bool {
	switch status {
	case http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed:
		return true
	}
	return status >= 200 && status < 400
}

// semanticKinds are the kinds of requests for items in the semantic conventions, where these are not called "_item".
var semanticKinds = map[string]string{"query": "query_items", "batch": "execute_batch",
	"change feed": "query_change_feed"}

// attributes describes a request. The keys are those of
// https://opentelemetry.io/docs/specs/semconv/database/cosmosdb/ where these have one.
func (t *tracer) attributes(ctx context.Context, r *http.Request) []attribute.KeyValue {
	all := []attribute.KeyValue{attribute.String("db.system.name", "azure.cosmosdb"),
		attribute.String("inkfeed.storage.operation", operationOf(ctx).name)}
	part := partitionOf(r)
	if part.Container == "" {
		return all
	}
	kind, _ := describeRequest(r, nil)
	all = append(all, attribute.String("db.collection.name", part.Container),
		attribute.String("db.operation.name", cmp.Or(semanticKinds[kind], kind+"_item")))
	if part.Key != "" {
		all = append(all, attribute.String("inkfeed.storage.partition", t.hash(part)))
	}
	return all
}

// hash returns 16 hexadecimal digits that identify a logical partition.
func (t *tracer) hash(part dependency.PartitionRef) string {
	mac := hmac.New(sha256.New, t.HashKey)
	mac.Write([]byte(part.Container + "\x00" + part.Key))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}
