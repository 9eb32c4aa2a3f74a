package tracing_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"inkfeed/web/site/remote"
	"inkfeed/web/site/tracing"
)

func TestHandler(t *testing.T) {
	trusted, err := remote.ParseProxies("192.0.2.1") // the address of httptest.NewRequest
	if err != nil {
		t.Fatal(err)
	}
	handle := func(h http.HandlerFunc, change func(*http.Request)) sdktrace.ReadOnlySpan {
		t.Helper()
		spans := tracetest.NewSpanRecorder()
		provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
		r := httptest.NewRequest(http.MethodGet, "/reset/secret?code=secret", nil)
		change(r)
		func() {
			defer func() { _ = recover() }()
			tracing.Handler(h, provider, trusted).ServeHTTP(httptest.NewRecorder(), r)
		}()
		if len(spans.Ended()) != 1 {
			t.Fatalf("%d spans", len(spans.Ended()))
		}
		return spans.Ended()[0]
	}
	unchanged := func(*http.Request) {}
	nothing := func(http.ResponseWriter, *http.Request) {}
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

	t.Run("is the handler itself without a provider", func(t *testing.T) {
		next := http.NewServeMux()
		if tracing.Handler(next, nil, remote.Proxies{}) != http.Handler(next) {
			t.Error("requests pass another handler although tracing is off")
		}
	})
	t.Run("links to the span of a trusted proxy, in a trace of its own", func(t *testing.T) {
		span := handle(nothing, func(r *http.Request) { r.Header.Set("Traceparent", parent) })
		if span.Parent().IsValid() || span.SpanContext().TraceID().String() == "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("the trace is %s, below %s", span.SpanContext().TraceID(), span.Parent().SpanID())
		}
		if len(span.Links()) != 1 || span.Links()[0].SpanContext.SpanID().String() != "b7ad6b7169203331" {
			t.Errorf("the links are %v", span.Links())
		}
	})
	t.Run("decides itself what is sampled", func(t *testing.T) {
		spans := tracetest.NewSpanRecorder()
		never := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans),
			sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.NeverSample())))
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Traceparent", parent)
		tracing.Handler(http.HandlerFunc(nothing), never, trusted).ServeHTTP(httptest.NewRecorder(), r)
		if len(spans.Ended()) > 0 {
			t.Error("a header of the request has the request recorded")
		}
	})
	t.Run("ignores a header that names no span", func(t *testing.T) {
		span := handle(nothing, func(r *http.Request) { r.Header.Set("Traceparent", "00-0-0-01") })
		if len(span.Links()) > 0 {
			t.Errorf("the links are %v", span.Links())
		}
	})
	t.Run("ignores the trace of a visitor", func(t *testing.T) {
		span := handle(nothing, func(r *http.Request) {
			r.RemoteAddr = "198.51.100.1:4711"
			r.Header.Set("Traceparent", parent)
		})
		if span.Parent().IsValid() || len(span.Links()) > 0 {
			t.Errorf("the parent is %s, the links are %v", span.Parent().SpanID(), span.Links())
		}
	})
	t.Run("names the span after the route", func(t *testing.T) {
		span := handle(func(_ http.ResponseWriter, r *http.Request) { tracing.SetRoute(r.Context(), "/reset/:code") },
			unchanged)
		if span.Name() != "GET /reset/:code" {
			t.Error(span.Name())
		}
	})
	t.Run("names unknown methods alike", func(t *testing.T) {
		if span := handle(nothing, func(r *http.Request) { r.Method = "BREW" }); span.Name() != "HTTP" {
			t.Error(span.Name())
		}
	})
	for status, failed := range map[int]bool{http.StatusNotFound: false, http.StatusServiceUnavailable: true} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			span := handle(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }, unchanged)
			if got := span.Status().Code.String() == "Error"; got != failed {
				t.Errorf("failed: %v", got)
			}
		})
	}
	t.Run("ends the span of a handler that panics", func(t *testing.T) {
		span := handle(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, unchanged)
		if span.Status().Code.String() != "Error" {
			t.Error(span.Status())
		}
	})
	t.Run("lets a handler reach the connection", func(t *testing.T) {
		handle(func(w http.ResponseWriter, _ *http.Request) {
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
		}, unchanged)
	})
}
