package costs

import (
	"math"
	"strings"
	"testing"
	"time"
)

// steady is a report of a day in which each step takes this many RU per second.
func steady(rate float64) Report {
	var all []Interval
	for i := range 48 {
		start := now.Truncate(Day.Step()).Add(-time.Duration(47-i) * Day.Step())
		all = append(all, Interval{Span: Day, Begin: start, End: start.Add(Day.Step()), Instance: "one",
			BusiestMinute: rate, BusiestAt: start, Figures: map[Source]Figures{{"Q2", "posts"}: charged(1, rate*1800)}})
	}
	return NewReport(Day, all, now)
}

func near(got, want float64) bool { return math.Abs(got-want) < 0.01*want+1e-9 }

func TestBillOfSteadyLoad(t *testing.T) {
	for rate, want := range map[float64]Bill{
		// The examples of Azure's documentation: 500 RU/s provisioned cost $29.20 a month.
		500: {Throughput: 500, Provisioned: 29.20, Serverless: 1314 * 0.25, AutoscaleMax: 1000, Autoscale: 43.80},
		// A tenth of the least autoscale maximum is 100 RU/s. 400 RU/s are the least that can be provisioned.
		7.61: {Throughput: 400, Provisioned: 23.36, Serverless: 5, AutoscaleMax: 1000, Autoscale: 8.76},
	} {
		b, ok := NewBill(steady(rate), 4<<30, ListPrices)
		if !ok || b.Throughput != want.Throughput || !near(b.Provisioned, want.Provisioned) ||
			!near(b.Serverless, want.Serverless) || b.AutoscaleMax != want.AutoscaleMax ||
			!near(b.Autoscale, want.Autoscale) || !near(b.Storage, 1) {
			t.Errorf("%v RU/s: %+v, want %+v", rate, b, want)
		}
	}
}

func TestAutoscaleIsBilledByTheBusiestMinuteOfAnHour(t *testing.T) {
	r := steady(10)
	r.Steps[20].BusiestMinute, r.BusiestMinute = 3950, 3950 // one of 24 hours
	b, _ := NewBill(r, 0, ListPrices)
	hours := 25.0 // now is not at a full hour
	if got := b.Autoscale / (ListPrices.Provisioned * 1.5 * MonthHours) * 100; !near(got, (4000+(hours-1)*400)/hours) {
		t.Errorf("billed for %v RU/s", got)
	}
	if b.AutoscaleMax != 4000 {
		t.Errorf("the maximum is %d", b.AutoscaleMax)
	}
}

func TestPricesAreParsed(t *testing.T) {
	p, err := ParsePrices("provisioned=0.01, serverless=0.3,storage=0.2,currency=EUR")
	if want := (Prices{"EUR", 0.01, 0.3, 0.2}); err != nil || p != want {
		t.Errorf("%+v, %v", p, err)
	}
	if again, err := ParsePrices(p.String()); err != nil || again != p {
		t.Errorf("formatted and parsed again: %+v, %v", again, err)
	}
	if p, err := ParsePrices(""); err != nil || p != ListPrices {
		t.Errorf("an empty text: %+v, %v", p, err)
	}
}

func TestWrongPricesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"provisioned=free": "is not a price", "serverless=-1": "is not a price", "storage=Inf": "is not a price",
		"storage=NaN": "is not a price", "autoscale=1": "is not provisioned", "currency=euro": "is not a currency",
		"currency=EUR": "need provisioned", "storage=1,storage=1,storage=1,currency=EUR": "need provisioned",
	} {
		if _, err := ParsePrices(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzParsePrices(f *testing.F) {
	f.Add("provisioned=0.01,serverless=0.3,storage=0.2,currency=EUR")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePrices(text)
		if err != nil {
			return
		}
		if again, err := ParsePrices(p.String()); err != nil || again != p {
			t.Errorf("%q gives %+v, and formatted %+v: %v", text, p, again, err)
		}
	})
}
