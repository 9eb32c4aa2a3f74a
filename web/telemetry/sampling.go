package telemetry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
	"go.opentelemetry.io/otel/trace/noop"
)

// ratioProvider samples a part of the traces that begin in this process. It gives the same result as the SDK's sampler
// parentbased_traceidratio, but it decides before the SDK makes a span. A request that is not sampled then costs some
// nanoseconds instead of about a microsecond, which is 5 % of the time of a cached page.
type ratioProvider struct {
	embedded.TracerProvider
	ratio   float64
	sampled trace.TracerProvider // samples every span
	inside  trace.TracerProvider // for spans of traces that have begun
}

// samplers are the values of OTEL_TRACES_SAMPLER that the SDK knows. It samples every trace for any other value.
var samplers = []string{"always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off",
	"parentbased_traceidratio"}

// environmentRatio returns the ratio of OTEL_TRACES_SAMPLER_ARG if OTEL_TRACES_SAMPLER is parentbased_traceidratio. It
// returns an error for an invalid value, for which the SDK would sample every trace.
func environmentRatio() (ratio float64, ok bool, err error) {
	sampler := strings.ToLower(strings.TrimSpace(os.Getenv("OTEL_TRACES_SAMPLER")))
	if sampler != "" && !slices.Contains(samplers, sampler) {
		return 0, false, fmt.Errorf("OTEL_TRACES_SAMPLER: %q is not one of %s", sampler, strings.Join(samplers, ", "))
	}
	argument := strings.TrimSpace(os.Getenv("OTEL_TRACES_SAMPLER_ARG"))
	if argument == "" || !strings.HasSuffix(sampler, "traceidratio") {
		return 0, false, nil
	}
	ratio, err = strconv.ParseFloat(argument, 64)
	if err != nil || !(0 <= ratio && ratio <= 1) {
		return 0, false, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG: %q is not a number from 0 to 1", argument)
	}
	return ratio, sampler == "parentbased_traceidratio", nil
}

func (p *ratioProvider) Tracer(name string, options ...trace.TracerOption) trace.Tracer {
	return &ratioTracer{ratio: p.ratio, sampled: p.sampled.Tracer(name, options...),
		inside: p.inside.Tracer(name, options...)}
}

type ratioTracer struct {
	embedded.Tracer
	ratio           float64
	sampled, inside trace.Tracer
}

// Start returns the context itself if the span begins a trace that is not sampled.
func (t *ratioTracer) Start(ctx context.Context, name string,
	options ...trace.SpanStartOption) (context.Context, trace.Span) {
	if trace.SpanContextFromContext(ctx).IsValid() {
		return t.inside.Start(ctx, name, options...)
	}
	if rand.Float64() < t.ratio {
		return t.sampled.Start(ctx, name, options...)
	}
	return ctx, noop.Span{}
}
