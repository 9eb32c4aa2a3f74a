package webtest

import (
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	metricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	spanpb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector receives traces and metrics by OTLP over HTTP with protobuf, as an OpenTelemetry collector does.
type Collector struct {
	URL string // the value of OTEL_EXPORTER_OTLP_ENDPOINT

	t        testing.TB
	mu       sync.Mutex
	spans    []Span
	metrics  []string
	resource map[string]string
}

// Span is a received span.
type Span struct {
	Name, Trace, ID, Parent string
	Kind                    string            // INTERNAL, SERVER, CLIENT or CONSUMER
	Failed                  bool              // its status is an error
	Links                   []string          // ids of spans
	Attributes              map[string]string // values as text
	Events                  []string
}

// NewCollector starts a collector that runs until the end of the test.
func NewCollector(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{t: t, resource: make(map[string]string)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", c.receiveTraces)
	mux.HandleFunc("POST /v1/metrics", c.receiveMetrics)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

// Spans returns the spans that have been received.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Metrics returns the names of the metrics that have been received.
func (c *Collector) Metrics() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.metrics)
}

// Resource returns the attributes of the process that sent the spans.
func (c *Collector) Resource() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resource
}

func (c *Collector) receive(w http.ResponseWriter, r *http.Request, request, answer proto.Message) bool {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			c.t.Errorf("collector: %v", err)
			return false
		}
		body = unzipped
	}
	b, err := io.ReadAll(body)
	if err == nil {
		err = proto.Unmarshal(b, request)
	}
	if err != nil || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("collector: %s: %v", r.Header.Get("Content-Type"), err)
		return false
	}
	b, _ = proto.Marshal(answer) // empty
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(b) // the sender may have given up
	return true
}

func (c *Collector) receiveTraces(w http.ResponseWriter, r *http.Request) {
	var request tracepb.ExportTraceServiceRequest
	if !c.receive(w, r, &request, &tracepb.ExportTraceServiceResponse{}) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range request.ResourceSpans {
		c.resource = attributes(resource.Resource.Attributes)
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, newSpan(s))
			}
		}
	}
}

func newSpan(s *spanpb.Span) Span {
	span := Span{Name: s.Name, Trace: hex.EncodeToString(s.TraceId), ID: hex.EncodeToString(s.SpanId),
		Parent: hex.EncodeToString(s.ParentSpanId), Attributes: attributes(s.Attributes),
		Kind:   s.Kind.String()[len("SPAN_KIND_"):],
		Failed: s.Status.GetCode() == spanpb.Status_STATUS_CODE_ERROR}
	for _, link := range s.Links {
		span.Links = append(span.Links, hex.EncodeToString(link.SpanId))
	}
	for _, event := range s.Events {
		span.Events = append(span.Events, fmt.Sprint(event.Name, " ", attributes(event.Attributes)))
	}
	return span
}

func (c *Collector) receiveMetrics(w http.ResponseWriter, r *http.Request) {
	var request metricspb.ExportMetricsServiceRequest
	if !c.receive(w, r, &request, &metricspb.ExportMetricsServiceResponse{}) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range request.ResourceMetrics {
		for _, scope := range resource.ScopeMetrics {
			for _, m := range scope.Metrics {
				c.metrics = append(c.metrics, m.Name)
			}
		}
	}
}

func attributes(list []*commonpb.KeyValue) map[string]string {
	all := make(map[string]string)
	for _, a := range list {
		switch v := a.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			all[a.Key] = v.StringValue
		case *commonpb.AnyValue_IntValue:
			all[a.Key] = fmt.Sprint(v.IntValue)
		case *commonpb.AnyValue_DoubleValue:
			all[a.Key] = fmt.Sprint(v.DoubleValue)
		case *commonpb.AnyValue_BoolValue:
			all[a.Key] = fmt.Sprint(v.BoolValue)
		}
	}
	return all
}
