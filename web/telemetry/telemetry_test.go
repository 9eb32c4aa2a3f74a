package telemetry_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"inkfeed/web/telemetry"
	"inkfeed/web/webtest"
)

func TestExportersFollowTheEnvironment(t *testing.T) {
	const endpoint = "http://127.0.0.1:1" // nothing listens there
	for name, c := range map[string]struct {
		env    map[string]string
		traces bool
		err    string
	}{
		"off by default":            {},
		"on with an endpoint":       {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}, true, ""},
		"on with the exporter otlp": {map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true, ""},
		"only metrics":              {map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": endpoint}, false, ""},
		"off with the exporter none": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
			"OTEL_TRACES_EXPORTER": "none"}, false, ""},
		"off with OTEL_SDK_DISABLED": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
			"OTEL_SDK_DISABLED": "true"}, false, ""},
		"an unknown exporter": {map[string]string{"OTEL_TRACES_EXPORTER": "zipkin"}, false, "OTEL_TRACES_EXPORTER"},
		"an unsupported protocol": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
			"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, "OTEL_EXPORTER_OTLP_PROTOCOL"},
		"an unknown sampler": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
			"OTEL_TRACES_SAMPLER": "ratio"}, false, "OTEL_TRACES_SAMPLER"},
		"a ratio in per cent": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
			"OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "1%"}, false, "OTEL_TRACES_SAMPLER_ARG"},
		"a ratio above 1": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
			"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "5"}, false,
			"OTEL_TRACES_SAMPLER_ARG"},
		"an address without a scheme": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "127.0.0.1:4318"}, false,
			"OTEL_EXPORTER_OTLP_ENDPOINT"},
		"an address without a host": {map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http:///v1/metrics"},
			false, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"},
		"an address with another scheme": {map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "grpc://host:4317"},
			false, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"},
		"an address with a password": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "grpc://ada:secret@host:4317"},
			false, "OTEL_EXPORTER_OTLP_ENDPOINT"},
		"off with blank endpoints": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": " ",
			"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": " "}, false, ""},
		"a broken description": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
			"OTEL_RESOURCE_ATTRIBUTES": "novalue"}, false, "OTEL_RESOURCE_ATTRIBUTES"},
	} {
		t.Run(name, func(t *testing.T) {
			for key, value := range c.env {
				t.Setenv(key, value)
			}
			e, err := telemetry.Start(t.Context(), "v1", prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "secret") {
					t.Errorf("the error %v does not name %s alone", err, c.err)
				}
				return
			}
			if err != nil || (e.Traces != nil) != c.traces || (e.Caused != nil) != c.traces {
				t.Fatalf("traces %v, error %v", e.Traces, err)
			}
			stopped, cancel := context.WithCancel(t.Context())
			cancel() // nothing can be exported
			_ = e.Stop(stopped)
		})
	}
}

func TestSampler(t *testing.T) {
	collector := webtest.NewCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", collector.URL+"/v1/traces")
	for name, c := range map[string]struct {
		sampler, ratio string
		min, max       int // of a thousand traces, far from the mean
	}{
		"all by default":     {"", "", 1000, 1000},
		"a part by ratio":    {"parentbased_traceidratio", "0.5", 400, 600},
		"none by ratio":      {"parentbased_traceidratio", "0", 0, 0},
		"all by ratio":       {"parentbased_traceidratio", "1", 1000, 1000},
		"none of always off": {"always_off", "", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_TRACES_SAMPLER", c.sampler)
			t.Setenv("OTEL_TRACES_SAMPLER_ARG", c.ratio)
			e, err := telemetry.Start(t.Context(), "v1", prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			defer e.Stop(t.Context())
			tracer, sampled := e.Traces.Tracer("test"), 0
			for range 1000 {
				ctx, parent := tracer.Start(t.Context(), "parent")
				_, child := tracer.Start(ctx, "child")
				if parent.IsRecording() {
					sampled++
				}
				if parent.IsRecording() && !child.IsRecording() {
					t.Fatal("a trace is incomplete")
				}
			}
			if sampled < c.min || sampled > c.max {
				t.Errorf("%d of 1000 traces are sampled", sampled)
			}
		})
	}
	t.Run("continues a sampled trace of a proxy", func(t *testing.T) {
		t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
		t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0")
		e, err := telemetry.Start(t.Context(), "v1", prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer e.Stop(t.Context())
		remote := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2},
			TraceFlags: trace.FlagsSampled, Remote: true})
		_, span := e.Traces.Tracer("test").Start(trace.ContextWithRemoteSpanContext(t.Context(), remote), "x")
		if !span.IsRecording() || span.SpanContext().TraceID() != remote.TraceID() {
			t.Error("the trace is not continued")
		}
	})
}
