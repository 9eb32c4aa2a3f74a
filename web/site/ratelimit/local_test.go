package ratelimit

import (
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site/remote"
)

func TestADebtIsAtMostOnePeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rates, err := Parse("")
		if err != nil {
			t.Fatal(err)
		}
		l, u := New(rates, nil, nil), domain.User{ID: "u.1"}
		for range 20 {
			l.ChargeUnits(u, remote.Client{}, 1e6)
		}
		time.Sleep(14 * time.Minute)
		if l.Check(UnitsUser, u.ID) == nil {
			t.Error("the debt ends too early")
		}
		time.Sleep(2 * time.Minute)
		if err := l.Check(UnitsUser, u.ID); err != nil {
			t.Error(err)
		}
	})
}
