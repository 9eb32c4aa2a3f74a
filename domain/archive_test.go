package domain_test

import (
	"testing"
	"time"

	"inkfeed/domain"
)

func TestTimesThatAClockChangeSkipsAreAfterTheChange(t *testing.T) {
	for _, tt := range []struct{ zone, local, want string }{
		{"America/New_York", "2026-03-08T02:30", "2026-03-08T07:30Z"}, // 3:30 EDT
		{"America/New_York", "2026-03-08T01:59", "2026-03-08T06:59Z"},
		{"America/New_York", "2026-03-08T03:00", "2026-03-08T07:00Z"},
		{"Europe/Prague", "2026-03-29T02:30", "2026-03-29T01:30Z"},       // 3:30 CEST
		{"Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:45Z"}, // 2:45, a change by half an hour
		{"America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T03:00Z"},   // 1:00, a change at midnight
		{"UTC", "2026-03-08T02:30", "2026-03-08T02:30Z"},
	} {
		zone, err := time.LoadLocation(tt.zone)
		if err != nil {
			t.Fatal(err)
		}
		local, err := time.Parse("2006-01-02T15:04", tt.local)
		if err != nil {
			t.Fatal(err)
		}
		if got := domain.FromLocal(local, zone).UTC().Format("2006-01-02T15:04Z"); got != tt.want {
			t.Errorf("%s in %s is %s, want %s", tt.local, tt.zone, got, tt.want)
		}
	}
}
