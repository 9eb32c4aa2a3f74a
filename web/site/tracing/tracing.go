// Package tracing makes the spans of HTTP requests and of the steps of answering them. It knows the API of
// OpenTelemetry only; package telemetry decides which spans are exported.
//
// A trace has these spans: the request, the page cache if it has to render the page, the handler, and each storage
// request (cosmos/client). docs/telemetry.md describes their attributes. None has a name, an address or a text that a
// visitor sent.
package tracing

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"inkfeed/web/site/remote"
)

// scope is the name of the instrumentation in spans.
const scope = "inkfeed/web"

// Handler returns a handler that makes a span of each request and passes the request to next. Each request begins a
// trace. If a trusted proxy sent it, the span links to the span that the header traceparent names. The trace of the
// header is not continued, because it decides which requests are exported, and many proxies pass on the headers of
// their clients. Handler returns next itself if provider is nil.
//
// The middleware otelecho is not an alternative. It sees no request that the page cache answers, since Echo comes after
// it. It also exports addresses of visitors, their browsers and the paths of requests, which have names and codes.
func Handler(next http.Handler, provider trace.TracerProvider, proxies remote.Proxies) http.Handler {
	if provider == nil {
		return next
	}
	return &handler{next: next, tracer: provider.Tracer(scope), proxies: proxies,
		options: []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}}
}

type handler struct {
	next    http.Handler
	tracer  trace.Tracer
	proxies remote.Proxies
	options []trace.SpanStartOption
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	options := h.options
	if len(r.Header["Traceparent"]) > 0 && h.proxies.Sent(r) {
		remote := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(r.Header))
		options = append(slices.Clip(options), trace.WithLinks(trace.LinkFromContext(remote)))
	}
	ctx, span := h.tracer.Start(r.Context(), methodOf(r), options...)
	if !span.IsRecording() {
		if span.SpanContext().IsValid() { // for the log
			r = r.WithContext(ctx)
		}
		h.next.ServeHTTP(w, r)
		return
	}
	answer := &ResponseWriter{ResponseWriter: w, span: span, method: methodOf(r), status: http.StatusOK}
	answering := true
	defer func() {
		if answering { // a panic ends the connection
			span.SetStatus(codes.Error, "")
		}
		answer.end(r)
	}()
	h.next.ServeHTTP(answer, r.WithContext(context.WithValue(ctx, requestKey{}, answer)))
	answering = false
}

// methodOf returns the method of a request, or "HTTP" for a method that is not standard. The names of spans are few.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return r.Method
	}
	return "HTTP"
}

// requestKey is the key of the *ResponseWriter of a recorded request.
type requestKey struct{}

// ResponseWriter observes the response to a recorded request.
type ResponseWriter struct {
	http.ResponseWriter
	span   trace.Span
	method string
	status int
	wrote  bool
	bytes  int
}

// WriteHeader records the status. Informational responses precede the response and are not recorded.
func (w *ResponseWriter) WriteHeader(status int) {
	if !w.wrote && status >= http.StatusOK {
		w.status, w.wrote = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *ResponseWriter) Write(b []byte) (int, error) {
	w.wrote = true
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *ResponseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// SetRoute names the span after the pattern of the request's route.
func (w *ResponseWriter) SetRoute(route string) {
	if route != "" {
		w.span.SetName(w.method + " " + route)
		w.span.SetAttributes(attribute.String("http.route", route))
	}
}

// cacheStatus begins the header Cache-Status of the page cache.
const cacheStatus = "Inkfeed; "

func (w *ResponseWriter) end(r *http.Request) {
	w.span.SetAttributes(attribute.String("http.request.method", w.method),
		attribute.Int("http.response.status_code", w.status), attribute.Int("http.response.body.size", w.bytes))
	if status, ok := strings.CutPrefix(w.Header().Get("Cache-Status"), cacheStatus); ok {
		w.span.SetAttributes(attribute.String("inkfeed.cache.status", status))
	}
	if id := w.Header().Get("X-Request-Id"); id != "" {
		w.span.SetAttributes(attribute.String("inkfeed.request_id", id))
	}
	if r.Context().Err() != nil { // the visitor has gone
		w.span.SetAttributes(attribute.Bool("inkfeed.cancelled", true))
	}
	if w.status >= http.StatusInternalServerError {
		w.span.SetStatus(codes.Error, "")
	}
	w.span.End()
}

// SetRoute names the span of the request that a context belongs to after the pattern of its route.
func SetRoute(ctx context.Context, route string) {
	if w, ok := ctx.Value(requestKey{}).(*ResponseWriter); ok {
		w.SetRoute(route)
	}
}

// Start starts a span of a step below the context's span. If that is not recorded, the new span is not either.
func Start(ctx context.Context, name string, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, trace.SpanFromContext(context.Background())
	}
	return parent.TracerProvider().Tracer(scope).Start(ctx, name, trace.WithAttributes(attributes...))
}

// End ends the span of a step. A status of 500 or above marks the span as failed.
func End(span trace.Span, status int) {
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
