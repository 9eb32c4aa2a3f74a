package telemetry

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"runtime/debug"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Exporters send traces and metrics to a collector by OTLP.
type Exporters struct {
	// Traces samples spans as OTEL_TRACES_SAMPLER says. It is nil if no traces are exported.
	Traces trace.TracerProvider
	// Caused samples every span. It is for work that follows from a sampled span of another trace. It is nil if no
	// traces are exported.
	Caused trace.TracerProvider
	stop   []func(context.Context) error
}

// Start starts the exporters that the environment variables of OpenTelemetry configure: none unless there is an
// endpoint. Metrics are those of the registry. docs/telemetry.md lists the variables. The exporters and the SDK read
// them from the environment of the process.
func Start(ctx context.Context, version string, metrics prometheus.Gatherer, logger *slog.Logger) (*Exporters, error) {
	traced, err := exports("TRACES")
	if err != nil {
		return nil, err
	}
	measured, err := exports("METRICS")
	if err != nil {
		return nil, err
	}
	e := new(Exporters)
	if !traced && !measured {
		return e, nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { // the SDK has only this way to report failed exports
		logger.Warn("cannot export telemetry", "error", err)
	}))
	described, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "inkfeed"), attribute.String("service.version", version),
		attribute.String("service.instance.id", rand.Text())), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	if traced {
		if err := e.exportTraces(ctx, described); err != nil {
			return nil, err
		}
	}
	if measured {
		if err := e.exportMetrics(ctx, described, metrics); err != nil {
			return nil, errors.Join(err, e.Stop(ctx))
		}
	}
	return e, nil
}

func (e *Exporters) exportTraces(ctx context.Context, described *resource.Resource) error {
	ratio, sampledHere, err := environmentRatio()
	if err != nil {
		return err
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return fmt.Errorf("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	batches := sdktrace.NewBatchSpanProcessor(exporter)
	traces := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(batches), sdktrace.WithResource(described))
	e.Traces = traces
	e.Caused = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(batches), sdktrace.WithResource(described),
		sdktrace.WithSampler(sdktrace.AlwaysSample()))
	if sampledHere {
		e.Traces = &ratioProvider{ratio: ratio, sampled: e.Caused, inside: traces}
	}
	e.stop = append(e.stop, traces.Shutdown)
	return nil
}

func (e *Exporters) exportMetrics(ctx context.Context, described *resource.Resource,
	metrics prometheus.Gatherer) error {
	exporter, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return fmt.Errorf("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	reader := metric.NewPeriodicReader(exporter,
		metric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(metrics))))
	e.stop = append(e.stop, metric.NewMeterProvider(metric.WithReader(reader), metric.WithResource(described)).Shutdown)
	return nil
}

// Stop exports what is left, until the context ends, and stops the exporters.
func (e *Exporters) Stop(ctx context.Context) error {
	var errs []error
	for _, stop := range e.stop {
		errs = append(errs, stop(ctx))
	}
	return errors.Join(errs...)
}

// exports reports whether the environment asks for the export of a signal, TRACES or METRICS.
func exports(signal string) (bool, error) {
	if strings.EqualFold(strings.TrimSpace(os.Getenv("OTEL_SDK_DISABLED")), "true") {
		return false, nil
	}
	choice, addressed := "OTEL_"+signal+"_EXPORTER", false
	exporter := strings.TrimSpace(os.Getenv(choice))
	switch exporter {
	case "none":
		return false, nil
	case "otlp", "":
	default:
		return false, fmt.Errorf("%s: %q is not otlp or none", choice, exporter)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_" + signal + "_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		text := strings.TrimSpace(os.Getenv(name))
		if text == "" {
			continue
		}
		addressed = true
		// The SDK only logs an invalid address, and exports to localhost.
		if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			// The address may contain a password.
			return false, fmt.Errorf("%s: the value is not an address like http://127.0.0.1:4318", name)
		}
	}
	if exporter == "" && !addressed {
		return false, nil
	}
	protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"))
	if protocol != "" && protocol != "http/protobuf" {
		return false, fmt.Errorf("OTEL_EXPORTER_OTLP_%s_PROTOCOL or OTEL_EXPORTER_OTLP_PROTOCOL: %q is not "+
			"http/protobuf, the only protocol that is supported", signal, protocol)
	}
	return true, nil
}

// Version returns the version of the program for service.version.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
