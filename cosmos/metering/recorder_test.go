package metering_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/costs"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/metering"
	"inkfeed/domain"
)

// stored keeps the last state of each interval, as the container does.
type stored struct {
	intervals map[string]costs.Interval
	writes    map[costs.Span]int
	err       error
}

func newStored() *stored {
	return &stored{intervals: make(map[string]costs.Interval), writes: make(map[costs.Span]int)}
}

func (s *stored) Put(_ context.Context, i costs.Interval) error {
	s.writes[i.Span]++
	if s.err == nil {
		s.intervals[fmt.Sprint(i.Span, i.Begin, i.Instance)] = i
	}
	return s.err
}

func (s *stored) of(span costs.Span) (found []costs.Interval) {
	for _, i := range s.intervals {
		if i.Span == span {
			found = append(found, i)
		}
	}
	return found
}

// charge returns the charges that the intervals of a span explain.
func (s *stored) charge(span costs.Span) (sum float64) {
	for _, i := range s.of(span) {
		sum += i.Total().Charge
	}
	return sum
}

func attempt(operation string, p dependency.PartitionRef, charge float64) client.Attempt {
	return client.Attempt{Operation: client.Reads(operation), Partition: p, Status: 200, Charge: charge,
		Latency: time.Millisecond}
}

var aPost = dependency.PartitionRef{Container: "posts", Key: "p"}

// run runs a recorder until the test has ended, and returns it and what it stores.
func run(t *testing.T) (r *metering.Recorder, s *stored, stop func()) {
	r, s = metering.NewRecorder("one"), newStored()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx, s, slog.New(slog.DiscardHandler))
	}()
	return r, s, func() { cancel(); <-done }
}

func TestEverySpanExplainsAllRequestUnits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, stop := run(t)
		total := 0.0
		for i := range 50 * 60 { // fifty hours
			charge := float64(i%7 + 1)
			r.Observe(t.Context(), attempt("Q2", aPost, charge))
			total += charge
			time.Sleep(time.Minute)
		}
		time.Sleep(time.Second)
		r.Observe(t.Context(), attempt("Q2", aPost, 500))
		stop()
		for _, span := range costs.Spans() {
			if got := s.charge(span); math.Abs(got-total-500) > 0.01 {
				t.Errorf("the intervals of the %s explain %.2f of %.2f RU", span, got, total+500)
			}
		}
		if n := len(s.of(costs.Month)); n != 5 {
			t.Errorf("%d intervals of twelve hours in 50 hours, want 5", n)
		}
		for span, most := range map[costs.Span]int{costs.Hour: 50*60 + 1, costs.Day: 50*12 + 102,
			costs.Month: 50*12 + 7} {
			if s.writes[span] > most {
				t.Errorf("%d writes for the %s, want at most %d", s.writes[span], span, most)
			}
		}
	})
}

func TestIntervalsStayWithinAStepOfTheirSpan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, stop := run(t)
		time.Sleep(17*time.Minute + 23*time.Second)
		r.Observe(t.Context(), attempt("Q2", aPost, 1000))
		stop()
		for _, span := range costs.Spans() {
			for _, i := range s.of(span) {
				if i.End.Before(i.Begin) || i.End.Sub(i.Start()) > span.Step()+time.Second {
					t.Errorf("an interval of the %s is from %v to %v", span, i.Begin, i.End)
				}
			}
		}
	})
}

func TestMeasurementBeginsWithTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(55*time.Minute + 23*time.Second)
		begin := time.Now()
		r, s, stop := run(t)
		r.Observe(t.Context(), attempt("Q2", aPost, 1000))
		time.Sleep(5 * time.Minute)
		stop()
		end := time.Now()
		for _, span := range costs.Spans() {
			if r := costs.NewReport(span, s.of(span), end); r.Measured != end.Sub(begin) || !r.Until.Equal(end) {
				t.Errorf("the %s was measured for %v until %v, want %v until %v", span, r.Measured, r.Until,
					end.Sub(begin), end)
			}
		}
	})
}

func TestLongerSpansHaveTheTimeOfTheBusiestMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, stop := run(t)
		begin := time.Now()
		time.Sleep(10 * time.Second)
		for _, charge := range []float64{60, 240, 120} {
			r.Observe(t.Context(), attempt("Q2", aPost, charge))
			time.Sleep(time.Minute)
		}
		stop()
		for _, span := range []costs.Span{costs.Day, costs.Month} {
			i := s.of(span)[0]
			if want := begin.Add(time.Minute); i.BusiestMinute != 4 || !i.BusiestAt.Equal(want) {
				t.Errorf("the busiest minute of the %s has %v RU/s at %v, want 4 at %v", span, i.BusiestMinute,
					i.BusiestAt, want)
			}
		}
	})
}

func TestRequestsWhoseChargeIsUnknownCountAsTheAverage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, stop := run(t)
		r.Observe(t.Context(), attempt("C4", aPost, 300))
		r.Observe(t.Context(), attempt("C4", aPost, 100))
		lost, failed, throttled := attempt("C4", aPost, 0), attempt("C4", aPost, 0), attempt("C4", aPost, 0.38)
		lost.Status, failed.Status, throttled.Status = 0, 503, 429
		r.Observe(t.Context(), failed)
		r.Observe(t.Context(), throttled)
		r.Observe(t.Context(), lost)
		stop()
		got := s.of(costs.Hour)[0].Figures[costs.Source{Operation: "C4", Container: "posts"}]
		if got.Requests != 5 || got.Charge != 800.38 || got.Estimated != 400 || got.Unanswered != 2 ||
			got.Throttled != 1 {
			t.Errorf("the figures are %+v", got)
		}
	})
}

func TestNamesAndAddressesAreNotAmongTheHottestPartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, stop := run(t)
		id := domain.NewUserID(nil)
		for _, p := range []dependency.PartitionRef{{Container: "users", Key: id}, {Container: "users", Key: "ada"},
			{Container: "users", Key: ""}, {Container: "users", Key: "email.x"}, {Container: "feed", Key: "post"},
			{Container: "limits", Key: "2c26b46b68ffc68f"}, {Container: "sessions", Key: id},
			{Container: "sessions", Key: "reset.fcde2b2e"}, {Container: "redirects", Key: "old-address"},
			{Container: "moderation", Key: "held"}, {Container: "another", Key: "x"}} {
			r.Observe(t.Context(), attempt("x", p, 100))
		}
		stop()
		var keys []string
		for _, p := range s.of(costs.Hour)[0].Partitions {
			keys = append(keys, p.Key)
		}
		if got := strings.Join(keys, " "); got != "post held "+id {
			t.Errorf("the hottest partitions are %q", got)
		}
	})
}

func TestHitsOfThePageCacheAreCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, stop := run(t)
		var counts costs.CacheFigures
		r.FollowCache(func() costs.CacheFigures { return counts })
		for range 3 {
			time.Sleep(time.Minute)
			synctest.Wait()
			counts.Add(costs.CacheFigures{Hits: 3, Requests: 4})
			r.Observe(t.Context(), attempt("Q2", aPost, 1000))
		}
		stop()
		for _, span := range costs.Spans() {
			var sum costs.CacheFigures
			for _, i := range s.of(span) {
				sum.Add(i.Cache)
			}
			if sum != (costs.CacheFigures{Hits: 9, Requests: 12}) {
				t.Errorf("the %s has %+v", span, sum)
			}
		}
	})
}

func TestMinuteThatCannotBeStoredIsInTheLongerSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, stop := run(t)
		s.err = errors.New("no storage")
		r.Observe(t.Context(), attempt("Q2", aPost, 1000))
		time.Sleep(90 * time.Second)
		synctest.Wait()
		s.err = nil
		stop()
		if hour, day := s.charge(costs.Hour), s.charge(costs.Day); hour != 0 || day != 1000 {
			t.Errorf("%v RU in the hour, %v in the day", hour, day)
		}
	})
}

// silent is a storage that does not answer.
type silent struct{}

func (silent) Put(ctx context.Context, _ costs.Interval) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestStorageThatDoesNotAnswerHardlyDelaysTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := metering.NewRecorder("one")
		r.Observe(t.Context(), attempt("Q2", aPost, 1000))
		ended, stop := context.WithCancel(t.Context())
		stop()
		var log strings.Builder
		start := time.Now()
		r.Run(ended, silent{}, slog.New(slog.NewTextHandler(&log, nil)))
		if took := time.Since(start); took > time.Second {
			t.Errorf("it took %s", took)
		}
		if !strings.Contains(log.String(), "cannot store the measured request charges") {
			t.Errorf("the log is %q", log.String())
		}
	})
}

func TestShortProcessStoresNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, stop := run(t)
		r.Observe(t.Context(), attempt("Q2", aPost, 50))
		stop()
		if len(s.intervals) > 0 {
			t.Errorf("stored %v", s.intervals)
		}
	})
}
