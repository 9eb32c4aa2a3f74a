package mailing_test

import (
	"context"
	"encoding/binary"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/workers/mailing"
)

// ruled returns a location with a rule of POSIX for its clock.
func ruled(t *testing.T, rule string) *time.Location {
	t.Helper()
	header := func(counts ...uint32) []byte {
		data := append([]byte("TZif2"), make([]byte, 15)...)
		for _, n := range counts {
			data = binary.BigEndian.AppendUint32(data, n)
		}
		return data
	}
	data := header(0, 0, 0, 0, 1, 4)
	data = append(data, make([]byte, 6+4)...)
	data = append(data, header(0, 0, 0, 0, 1, 4)...)
	data = append(data, make([]byte, 6+4)...)
	location, err := time.LoadLocationFromTZData(rule, append(data, "\n"+rule+"\n"...))
	if err != nil {
		t.Fatal(err)
	}
	return location
}

func zoneNamed(t *testing.T, name string) *time.Location {
	t.Helper()
	location, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return location
}

func TestDigestsAreDueAtSevenOnTheClockOfTheZone(t *testing.T) {
	const layout = "2006-01-02 15:04"
	for name, tt := range map[string]struct {
		zone                    *time.Location
		daily, weekly, now      string // UTC: the last digests, and the present
		from, until, weeklyFrom string // empty: none are due
	}{
		"before the hour": {time.UTC, "2026-03-03 07:00", "2026-03-02 07:00", "2026-03-04 07:01", "", "", ""},
		"after the hour, when what was told has settled": {time.UTC, "2026-03-03 07:00", "2026-03-02 07:00",
			"2026-03-04 07:02", "2026-03-03 07:00", "2026-03-04 07:00", ""},
		"on Mondays, also weekly": {time.UTC, "2026-03-08 07:00", "2026-03-02 07:00", "2026-03-09 07:02",
			"2026-03-08 07:00", "2026-03-09 07:00", "2026-03-02 07:00"},
		"only once": {time.UTC, "2026-03-09 07:00", "2026-03-09 07:00", "2026-03-09 23:59", "", "", ""},
		"once for days without a server": {time.UTC, "2026-03-06 07:00", "2026-03-02 07:00", "2026-03-11 12:00",
			"2026-03-06 07:00", "2026-03-11 07:00", "2026-03-02 07:00"},
		"after weekly ones that were late, on the next Monday": {time.UTC, "2026-03-15 07:00", "2026-03-11 07:00",
			"2026-03-16 07:02", "2026-03-15 07:00", "2026-03-16 07:00", "2026-03-11 07:00"},
		"an hour earlier in UTC from the beginning of summer time on": {zoneNamed(t, "Europe/Prague"),
			"2026-03-28 06:00", "2026-03-23 06:00", "2026-03-29 05:02", "2026-03-28 06:00", "2026-03-29 05:00", ""},
		"an hour later after its end": {zoneNamed(t, "Europe/Prague"), "2026-10-24 05:00", "2026-10-19 05:00",
			"2026-10-25 06:02", "2026-10-24 05:00", "2026-10-25 06:00", ""},
		"with quarters of an hour": {zoneNamed(t, "Asia/Kathmandu"), "2026-03-03 01:15", "2026-03-02 01:15",
			"2026-03-04 01:17", "2026-03-03 01:15", "2026-03-04 01:15", ""},
		"with a clock that changes by half an hour": {zoneNamed(t, "Australia/Lord_Howe"), "2026-04-03 20:00",
			"2026-03-29 20:00", "2026-04-04 20:32", "2026-04-03 20:00", "2026-04-04 20:30", ""},
		"far in the east, where Monday begins on Sunday": {zoneNamed(t, "Pacific/Kiritimati"), "2026-03-06 17:00",
			"2026-03-01 17:00", "2026-03-08 17:02", "2026-03-06 17:00", "2026-03-08 17:00", "2026-03-01 17:00"},
		"far in the west": {zoneNamed(t, "Pacific/Pago_Pago"), "2026-03-08 18:00", "2026-03-02 18:00",
			"2026-03-09 18:02", "2026-03-08 18:00", "2026-03-09 18:00", "2026-03-02 18:00"},
		"after the day that Samoa skipped": {zoneNamed(t, "Pacific/Apia"), "2011-12-29 17:00", "2011-12-26 17:00",
			"2011-12-30 17:02", "2011-12-29 17:00", "2011-12-30 17:00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			at := func(text string) time.Time {
				if text == "" {
					return time.Time{}
				}
				parsed, err := time.Parse(layout, text)
				if err != nil {
					t.Fatal(err)
				}
				return parsed
			}
			run, due := mailing.DueDigests(subscription.Zone{Daily: at(tt.daily), Weekly: at(tt.weekly)}, tt.zone,
				at(tt.now))
			if due != (tt.until != "") {
				t.Fatalf("due %t: %+v", due, run)
			}
			if due && (!run.Daily.Equal(at(tt.from)) || !run.Until.Equal(at(tt.until)) ||
				!run.Weekly.Equal(at(tt.weeklyFrom))) {
				t.Errorf("%+v", run)
			}
		})
	}
}

// TestDigestsOfAYearAreOnePerDay lets the clock run through a year in zones of all kinds, also two whose clocks skip
// and repeat the hour of digests.
func TestDigestsOfAYearAreOnePerDay(t *testing.T) {
	zones := map[string]*time.Location{"skipped": ruled(t, "A-1B,M3.5.0/7,M10.5.0/8"),
		"half skipped": ruled(t, "A-1B-1:30,M3.5.1/6:45,M10.5.1/7:10")}
	for _, name := range []string{"UTC", "Europe/Prague", "America/Sao_Paulo", "Asia/Kolkata", "Australia/Lord_Howe",
		"Pacific/Kiritimati", "Pacific/Niue", "America/St_Johns", "Africa/Casablanca", "Antarctica/Troll"} {
		zones[name] = zoneNamed(t, name)
	}
	for name, location := range zones {
		begin := time.Date(2026, 1, 1, 12, 0, 0, 0, location)
		zone := subscription.Zone{Daily: begin, Weekly: begin}
		daily, weekly, instants := 0, 0, make(map[string]bool)
		for now := begin; now.Before(begin.AddDate(1, 0, 0)); now = now.Add(5 * time.Minute) {
			run, due := mailing.DueDigests(zone, location, now)
			if !due {
				continue
			}
			daily++
			local := run.Until.In(location)
			instants[local.Format(time.DateOnly)] = true
			if !run.Daily.Equal(zone.Daily) || now.Sub(run.Until) > 10*time.Minute || local.Hour() < 6 ||
				local.Hour() > 8 {
				t.Errorf("%s: at %s %+v", name, now, run)
			}
			if zone.Daily = run.Until; run.Weekly.IsZero() {
				continue
			}
			if weekly++; !run.Weekly.Equal(zone.Weekly) || local.Weekday() != time.Monday {
				t.Errorf("%s: weekly at %s %+v", name, now, run)
			}
			zone.Weekly = run.Until
		}
		if daily != 365 || len(instants) != 365 || weekly != 52 {
			t.Errorf("%s: %d digests on %d days, %d weekly ones", name, daily, len(instants), weekly)
		}
	}
}

// zones stores one time zone.
type zones struct {
	zone subscription.Zone
	put  map[string]domain.Delivery
	lost int // times that AdvanceZone fails
	read int
}

func (z *zones) Zones(context.Context) ([]subscription.Zone, error) {
	z.read++
	return []subscription.Zone{z.zone}, nil
}

func (z *zones) AdvanceZone(_ context.Context, zone subscription.Zone) (bool, error) {
	if z.lost > 0 {
		z.lost--
		return false, context.DeadlineExceeded
	}
	z.zone = zone
	return true, nil
}

func (z *zones) Put(_ context.Context, list ...domain.Delivery) error {
	for _, d := range list {
		z.put[d.ID] = d
	}
	return nil
}

func TestDigesterStoresEachRunOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tokyo := zoneNamed(t, "Asia/Tokyo")
		z := &zones{zone: subscription.Zone{Daily: time.Now(), Weekly: time.Now()}, lost: 2,
			put: make(map[string]domain.Delivery)}
		ctx, cancel := context.WithTimeout(t.Context(), 3*24*time.Hour)
		defer cancel()
		(&mailing.Digester{Zones: z, Deliveries: z, Location: func(string) *time.Location { return tokyo },
			Logger: slog.New(slog.DiscardHandler)}).Run(ctx)
		ids := slices.Sorted(maps.Keys(z.put))
		if len(ids) != 3 {
			t.Fatalf("stored %v", ids)
		}
		before := time.Time{}
		for _, id := range ids {
			run, ok := subscription.ParseRun(id)
			if !ok || !before.IsZero() && !run.Daily.Equal(before) || run.Until.In(tokyo).Hour() != 7 {
				t.Errorf("%s: %+v", id, run)
			}
			before = run.Until
		}
		if perHour := float64(z.read) / (3 * 24); perHour > 13 {
			t.Errorf("%.1f looks an hour", perHour)
		}
	})
}
