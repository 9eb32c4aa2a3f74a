package costs

import (
	"math"
	"slices"
	"testing"
	"time"

	"inkfeed/cosmos/dependency"
)

// now is in the middle of a minute, of a half hour and of half a day.
var now = time.Date(2026, 3, 14, 15, 9, 30, 0, time.UTC)

func charged(requests int, charge float64) Figures {
	f := Figures{Requests: requests, Charge: charge}
	for range requests {
		f.Latency.Observe(5 * time.Millisecond)
	}
	return f
}

// minute is what an instance measured in the minute that began some minutes before the current one.
func minute(instance string, ago int, figures map[Source]Figures) Interval {
	start := now.Truncate(time.Minute).Add(-time.Duration(ago) * time.Minute)
	i := Interval{Span: Hour, Begin: start, End: start.Add(time.Minute), Instance: instance, BusiestAt: start,
		Figures: figures}
	i.BusiestMinute = i.Total().Charge / 60
	return i
}

func TestReportAddsUpInstances(t *testing.T) {
	q3, c1 := Source{"Q3", "users"}, Source{"C1", "users"}
	one, two := minute("one", 2, map[Source]Figures{q3: charged(10, 60)}),
		minute("two", 2, map[Source]Figures{q3: charged(5, 30), c1: charged(1, 50)})
	one.Cache, two.Cache = CacheFigures{Hits: 3, Requests: 4}, CacheFigures{Hits: 0, Requests: 4}
	hot := dependency.PartitionRef{Container: "posts", Key: "p"}
	one.Partitions, two.Partitions = []Partition{{hot, 20, 1, 0}}, []Partition{{hot, 30, 2, 0}}
	r := NewReport(Hour, []Interval{one, two, minute("one", 1, map[Source]Figures{c1: charged(2, 100)})}, now)

	if r.Total.Requests != 18 || r.Total.Charge != 240 || r.Instances != 2 {
		t.Errorf("%d requests, %v RU, %d instances", r.Total.Requests, r.Total.Charge, r.Instances)
	}
	if len(r.Operations) != 2 || r.Operations[0].Name != "C1" || r.Operations[0].Charge != 150 {
		t.Errorf("operations %+v", r.Operations)
	}
	if len(r.Containers) != 1 || r.Containers[0].Charge != 240 {
		t.Errorf("containers %+v", r.Containers)
	}
	if len(r.Steps) != 60 || math.Abs(r.Steps[58].Rate-140.0/60) > 1e-9 || math.Abs(r.Steps[59].Rate-100.0/60) > 1e-9 {
		t.Errorf("the rates are %v and %v", r.Steps[58].Rate, r.Steps[59].Rate)
	}
	if math.Abs(r.BusiestMinute-140.0/60) > 1e-9 {
		t.Errorf("the busiest minute has %v RU/s", r.BusiestMinute)
	}
	if r.Measured != 2*time.Minute || r.Rate() != 2 {
		t.Errorf("%v RU/s in %v", r.Rate(), r.Measured)
	}
	if rate, ok := r.Cache.HitRate(); !ok || rate != 3.0/8 {
		t.Errorf("the hit rate is %v", rate)
	}
	if len(r.Partitions) != 1 || r.Partitions[0].Charge != 50 || r.Partitions[0].Excess != 3 {
		t.Errorf("partitions %+v", r.Partitions)
	}
}

func TestReportSaysHowMuchOfAPartitionItCanLack(t *testing.T) {
	one, two, three := minute("one", 3, nil), minute("one", 2, nil), minute("one", 1, nil)
	one.Partitions, one.Unlisted = []Partition{{PartitionRef: post(1), Charge: 50}}, 7
	two.Partitions, two.Unlisted = []Partition{{PartitionRef: post(2), Charge: 40, Excess: 1}}, 4
	three.Partitions = []Partition{{PartitionRef: post(2), Charge: 5, Excess: 2}} // and no others
	r := NewReport(Hour, []Interval{one, two, three}, now)
	want := []Partition{{PartitionRef: post(1), Charge: 50, Missing: 4},
		{PartitionRef: post(2), Charge: 45, Excess: 3, Missing: 7}}
	if !slices.Equal(r.Partitions, want) {
		t.Errorf("the hottest partitions are %+v, want %+v", r.Partitions, want)
	}
}

// busiest is what an instance measured in the span of a day, with its busiest minute so many minutes ago.
func busiest(instance string, ago int, rate float64) Interval {
	at := now.Truncate(time.Minute).Add(-time.Duration(ago) * time.Minute)
	return Interval{Span: Day, Begin: now.Truncate(Day.Step()), End: now, Instance: instance, BusiestMinute: rate,
		BusiestAt: at}
}

func TestBusiestMinuteAddsUpWhatWasMeasuredInOneMinute(t *testing.T) {
	for name, test := range map[string]struct {
		intervals []Interval
		want      float64
	}{
		"several instances in the same minute": {[]Interval{busiest("one", 3, 10), busiest("two", 3, 30)}, 40},
		"one instance after another":           {[]Interval{busiest("one", 7, 10), busiest("two", 3, 30)}, 30},
		"two of three in the same minute": {[]Interval{busiest("one", 7, 20), busiest("two", 3, 30),
			busiest("three", 7, 20)}, 40},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NewReport(Day, test.intervals, now).BusiestMinute; got != test.want {
				t.Errorf("the busiest minute has %v RU/s, want %v", got, test.want)
			}
		})
	}
}

func TestReportLeavesOutOtherTimes(t *testing.T) {
	any := map[Source]Figures{{"Q1", "users"}: charged(1, 1)}
	r := NewReport(Hour, []Interval{minute("one", 60, any), minute("one", -1, any), minute("one", 59, any),
		minute("one", 0, any)}, now)
	if r.Total.Requests != 2 || r.Steps[0].Requests != 1 || r.Steps[59].Requests != 1 {
		t.Errorf("%d requests, %d in the first step, %d in the last", r.Total.Requests, r.Steps[0].Requests,
			r.Steps[59].Requests)
	}
}

func TestRateOfTheCurrentStepIsThatOfItsMeasuredPart(t *testing.T) {
	start := now.Truncate(Day.Step())
	r := NewReport(Day, []Interval{{Span: Day, Begin: start, End: start.Add(5 * time.Minute), Instance: "one",
		Figures: map[Source]Figures{{"Q1", "users"}: charged(1, 300)}}}, now)
	if last := r.Steps[len(r.Steps)-1]; last.Rate != 1 || r.Operations[0].Rates[47] != 1 {
		t.Errorf("the last of %d steps has %v RU/s", len(r.Steps), last.Rate)
	}
}

// measured is what an instance measured from one time of the day to another, in the span of a month.
func measured(instance, from, to string) Interval {
	at := func(clock string) time.Time {
		t, err := time.Parse(time.TimeOnly, clock)
		if err != nil {
			panic(err)
		}
		return now.Truncate(24 * time.Hour).Add(t.Sub(t.Truncate(24 * time.Hour)))
	}
	return Interval{Span: Month, Begin: at(from), End: at(to), Instance: instance,
		Figures: map[Source]Figures{{"Q1", "users"}: charged(1, 300)}}
}

func TestMeasuredTimeIsThatInWhichAnInstanceMeasured(t *testing.T) {
	tests := map[string]struct {
		intervals []Interval
		want      time.Duration
	}{
		"a start just before a new step": {[]Interval{measured("one", "11:55:00", "12:00:00"),
			measured("one", "12:00:00", "12:00:30")}, 5*time.Minute + 30*time.Second},
		"downtime within a step": {[]Interval{measured("two", "15:00:00", "15:05:00"),
			measured("one", "12:10:00", "12:20:00")}, 15 * time.Minute},
		"downtime of whole steps": {[]Interval{measured("one", "10:00:00", "10:10:00"),
			measured("two", "15:00:00", "15:05:00")}, 15 * time.Minute},
		"two instances at the same time": {[]Interval{measured("two", "12:15:00", "12:30:00"),
			measured("one", "12:10:00", "12:20:00")}, 20 * time.Minute},
		"an instance within the time of another": {[]Interval{measured("one", "12:10:00", "12:40:00"),
			measured("two", "12:15:00", "12:20:00"), measured("three", "12:35:00", "12:45:00")}, 35 * time.Minute},
		"a clock that was set back": {[]Interval{measured("one", "12:10:00", "12:05:00"),
			measured("one", "12:05:00", "12:20:00")}, 15 * time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := NewReport(Month, test.intervals, now)
			if r.Measured != test.want {
				t.Errorf("measured for %v, want %v", r.Measured, test.want)
			}
			if want := 300 * float64(len(test.intervals)) / test.want.Seconds(); math.Abs(r.Rate()-want) > 1e-9 {
				t.Errorf("%v RU/s, want %v", r.Rate(), want)
			}
			last := slices.MaxFunc(test.intervals, func(a, b Interval) int { return a.End.Compare(b.End) })
			if !r.Until.Equal(last.End) {
				t.Errorf("measured until %v, want %v", r.Until, last.End)
			}
		})
	}
}

func TestReportWithoutFigures(t *testing.T) {
	for _, span := range Spans() {
		r := NewReport(span, nil, now)
		if r.Measured != 0 || r.Rate() != 0 || len(r.Steps) != int(span.Length()/span.Step()) {
			t.Errorf("%s: %+v", span, r)
		}
		if _, ok := NewBill(r, 0, ListPrices); ok {
			t.Errorf("%s: there is a bill", span)
		}
	}
}
