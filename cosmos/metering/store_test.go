package metering_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/cosmostest/inmemory"
	"inkfeed/cosmos/costs"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/schema"
)

func TestMain(m *testing.M) {
	inmemory.Use()
	os.Exit(m.Run())
}

func open(t *testing.T, observers ...client.Observer) *cosmos.Store {
	t.Helper()
	engine, err := embedded.Open(t.TempDir(), embedded.Options{Ranges: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	s, err := cosmos.Open(t.Context(), cosmos.Options{Endpoint: engine.Endpoint(), Key: engine.Key(), Transport: engine,
		Database: "metering", Observers: observers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// busy is an interval with as many sources as a busy site has.
func busy(span costs.Span, start time.Time, sources int) costs.Interval {
	random := rand.New(rand.NewPCG(1, uint64(start.Unix())))
	i := costs.Interval{Span: span, Begin: start, End: start.Add(span.Step()), Instance: "web-1-4711-ABCDEFGH",
		BusiestMinute: 1234.56, BusiestAt: start, Unlisted: 3.21, Figures: make(map[costs.Source]costs.Figures),
		Cache: costs.CacheFigures{Hits: 123456, Requests: 234567}}
	for n := range sources {
		f := costs.Figures{Requests: 1234, Charge: 12345.67, Estimated: 12.5, Unanswered: 1, Throttled: 2}
		for range 8 {
			f.Latency[10+random.IntN(10)] += random.IntN(500)
		}
		i.Figures[costs.Source{Operation: fmt.Sprintf("operation-%d", n), Container: "posts"}] = f
	}
	for n := range 20 {
		i.Partitions = append(i.Partitions, costs.Partition{PartitionRef: dependency.PartitionRef{Container: "posts",
			Key: fmt.Sprintf("abcdefghijklmnopqrstuvwx%02d", n)}, Charge: 1234.5, Excess: 1.25})
	}
	return i
}

var start = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestStoredIntervalsAreReadAgain(t *testing.T) {
	s := open(t)
	want := make(map[time.Time]costs.Interval)
	for n := range 3 {
		i := busy(costs.Hour, start.Add(time.Duration(n)*time.Minute), 5)
		want[i.Begin] = i
		for range 2 { // the second replaces the first
			if err := s.Costs.Put(t.Context(), i); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Costs.Put(t.Context(), busy(costs.Day, start, 5)); err != nil {
		t.Fatal(err)
	}
	found, err := s.Costs.Intervals(t.Context(), costs.Hour)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[time.Time]costs.Interval)
	for _, i := range found {
		got[i.Begin.UTC()] = i
	}
	if len(found) != 3 || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v\nwant %+v", got, want)
	}
}

// After its clock was set back, an instance measures again in a step that it has left. Its figures of both times count.
func TestIntervalsOfOneInstanceInOneStepAreKept(t *testing.T) {
	s := open(t)
	for _, begin := range []time.Time{start.Add(time.Minute), start.Add(30 * time.Second), start.Add(time.Minute)} {
		if err := s.Costs.Put(t.Context(), busy(costs.Day, begin, 5)); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := s.Costs.Intervals(t.Context(), costs.Day); err != nil || len(found) != 2 {
		t.Errorf("%d intervals, want 2, error %v", len(found), err)
	}
}

// partitionsRead are the logical partitions of the requests for costs.
type partitionsRead struct{ partitions []dependency.PartitionRef }

func (p *partitionsRead) Observe(_ context.Context, a client.Attempt) {
	if a.Operation.String() == "costs" {
		p.partitions = append(p.partitions, a.Partition)
	}
}

func TestIntervalsAreReadFromOneLogicalPartition(t *testing.T) {
	var read partitionsRead
	s := open(t, &read)
	for _, span := range costs.Spans() {
		for n := range 3 {
			if err := s.Costs.Put(t.Context(), busy(span, start.Add(time.Duration(n)*span.Step()), 60)); err != nil {
				t.Fatal(err)
			}
		}
		read.partitions = nil
		if found, err := s.Costs.Intervals(t.Context(), span); err != nil || len(found) != 3 {
			t.Fatalf("%d intervals, error %v", len(found), err)
		}
		want := []dependency.PartitionRef{{Container: "costs", Key: string(span)}}
		if !slices.Equal(read.partitions, want) {
			t.Errorf("reading the %s takes requests to %v, want %v", span, read.partitions, want)
		}
	}
}

func TestDatabaseWithoutTheContainerHasNoIntervals(t *testing.T) {
	s := open(t)
	if _, err := s.Container(schema.CostsContainer).Client.Delete(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if found, err := s.Costs.Intervals(t.Context(), costs.Hour); err != nil || len(found) > 0 {
		t.Errorf("%d intervals, error %v", len(found), err)
	}
	sizes, err := s.Costs.Sizes(t.Context())
	if err != nil || sizes[schema.CostsContainer].Items != 0 {
		t.Errorf("the sizes are %v, error %v", sizes, err)
	}
}

func TestSizesOfAllContainersAreRead(t *testing.T) {
	s := open(t)
	if err := s.Costs.Put(t.Context(), busy(costs.Day, start, 5)); err != nil {
		t.Fatal(err)
	}
	sizes, err := s.Costs.Sizes(t.Context())
	if err != nil || len(sizes) != len(schema.ContainerDefinitions()) {
		t.Errorf("the sizes of %d containers, error %v: %v", len(sizes), err, maps.Collect(maps.All(sizes)))
	}
	if size := sizes[schema.CostsContainer]; size.Items != 1 || size.Bytes < 1000 {
		t.Errorf("one interval has the size %+v", size)
	}
}

// docs/costs.md states these charges.
func TestMeasuringCostsWhatTheDocumentSays(t *testing.T) {
	s := open(t)
	for _, test := range []struct {
		span        costs.Span
		sources     int
		write, read float64 // RU
	}{{costs.Hour, 20, 8, 10}, {costs.Day, 60, 9.5, 19}} {
		ctx, usage := client.WithUsage(t.Context())
		for n := range 60 {
			i := busy(test.span, start.Add(time.Duration(n)*test.span.Step()), test.sources)
			if err := s.Costs.Put(ctx, i); err != nil {
				t.Fatal(err)
			}
		}
		write := usage.Charge() / 60
		ctx, usage = client.WithUsage(t.Context())
		if found, err := s.Costs.Intervals(ctx, test.span); err != nil || len(found) != 60 {
			t.Fatalf("%d intervals, error %v", len(found), err)
		}
		t.Logf("%d sources: %.2f RU for each interval, %.2f RU for a page", test.sources, write, usage.Charge())
		if write > test.write || usage.Charge() > test.read || usage.Requests() != 1 {
			t.Errorf("%d sources: writing costs %.2f RU, reading %.2f RU in %d requests", test.sources, write,
				usage.Charge(), usage.Requests())
		}
	}
}
