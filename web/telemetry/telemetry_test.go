package telemetry_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"inkfeed/web/telemetry"
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
		"a broken description": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
			"OTEL_RESOURCE_ATTRIBUTES": "novalue"}, false, "OTEL_RESOURCE_ATTRIBUTES"},
	} {
		t.Run(name, func(t *testing.T) {
			for key, value := range c.env {
				t.Setenv(key, value)
			}
			e, err := telemetry.Start(t.Context(), "v1", prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("the error %v does not name %s", err, c.err)
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
