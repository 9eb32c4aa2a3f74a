package client_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/schema"
)

// throttling is a transport that refuses the first requests for items with 429.
type throttling struct {
	*embedded.Engine
	refusals int
}

func (t *throttling) Do(r *http.Request) (*http.Response, error) {
	if t.refusals > 0 && strings.Contains(r.URL.Path, "/docs") {
		t.refusals--
		return &http.Response{StatusCode: http.StatusTooManyRequests, Body: http.NoBody, Request: r,
			Header: http.Header{"X-Ms-Request-Charge": {"0.38"}, "X-Ms-Retry-After-Ms": {"1"}}}, nil
	}
	return t.Engine.Do(r)
}

// TestStorageRequestsAreTraced checks the spans of requests that belong to a trace. The span has the result of all
// attempts, and no item's id.
func TestStorageRequestsAreTraced(t *testing.T) {
	engine, err := embedded.Open(t.TempDir(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	transport := &throttling{Engine: engine}
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	database, err := client.Connect(t.Context(), client.Options{Endpoint: engine.Endpoint(), Key: engine.Key(),
		Database: "test", Transport: transport, Containers: schema.ContainerDefinitions(),
		Tracing: &client.Tracing{Provider: provider, HashKey: []byte("secret")}})
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	users := database.Container(schema.UsersContainer)
	item := map[string]string{"id": "lovelace", "userId": "lovelace", "type": "x"}
	if err := users.Create(t.Context(), "lovelace", item); err != nil {
		t.Fatal(err)
	}
	if n := len(spans.Ended()); n > 0 {
		t.Fatalf("%d requests without a trace have spans", n)
	}
	// traced returns the span of the requests that do makes.
	traced := func(do func(context.Context) error) (sdktrace.ReadOnlySpan, map[string]attribute.Value) {
		t.Helper()
		spans.Reset()
		ctx, root := provider.Tracer("test").Start(t.Context(), "test")
		_ = do(client.Reads("Q1").In(ctx))
		root.End()
		if n := len(spans.Ended()); n != 2 {
			t.Fatalf("%d spans, want that of the request and the root", n)
		}
		span := spans.Ended()[0]
		values := make(map[string]attribute.Value)
		for _, a := range span.Attributes() {
			values[string(a.Key)] = a.Value
		}
		if text := fmt.Sprint(span.Name(), span.Attributes(), span.Status(), span.Events()); strings.Contains(text,
			"lovelace") {
			t.Errorf("the span has an id: %s", text)
		}
		return span, values
	}
	read := func(id string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := client.Read[map[string]any](ctx, users, "lovelace", id)
			return err
		}
	}

	t.Run("a point read", func(t *testing.T) {
		span, values := traced(read("lovelace"))
		if span.Name() != "Q1 users" || values["db.operation.name"].AsString() != "read_item" ||
			values["azure.cosmosdb.operation.request_charge"].AsFloat64() != 1 ||
			values["db.response.status_code"].AsInt64() != 200 || span.Status().Code != 0 {
			t.Errorf("%s %v %v", span.Name(), values, span.Status())
		}
	})
	t.Run("a missing item is no failure", func(t *testing.T) {
		span, values := traced(read("nobody"))
		if values["db.response.status_code"].AsInt64() != 404 || span.Status().Code != 0 {
			t.Errorf("%v %v", values, span.Status())
		}
	})
	t.Run("attempts add up", func(t *testing.T) {
		transport.refusals = 2
		span, values := traced(read("lovelace"))
		charge := values["azure.cosmosdb.operation.request_charge"].AsFloat64()
		if values["inkfeed.storage.retries"].AsInt64() != 2 || charge < 1.75 || charge > 1.77 ||
			len(span.Events()) != 2 {
			t.Errorf("%v %v", values, span.Events())
		}
	})
	t.Run("kinds of requests", func(t *testing.T) {
		for want, do := range map[string]func(context.Context) error{
			"create_item": func(ctx context.Context) error { return users.Create(ctx, "lovelace", item) },
			"upsert_item": func(ctx context.Context) error { return users.Upsert(ctx, "lovelace", item) },
			"replace_item": func(ctx context.Context) error {
				return users.Replace(ctx, "lovelace", "lovelace", "x",
					item)
			},
			"delete_item": func(ctx context.Context) error {
				return users.DeleteVersion(ctx, "lovelace", "lovelace",
					"x")
			},
			"query_items": func(ctx context.Context) error {
				_, err := client.Query[any](ctx, users, "lovelace", "SELECT * FROM c", nil)
				return err
			},
			"execute_batch": func(ctx context.Context) error {
				b := users.Batch("lovelace")
				b.UpsertItem(client.Encode(item), nil)
				_, err := users.Execute(ctx, b, false)
				return err
			},
		} {
			if _, values := traced(do); values["db.operation.name"].AsString() != want {
				t.Errorf("%s is %v", want, values["db.operation.name"])
			}
		}
	})
}
