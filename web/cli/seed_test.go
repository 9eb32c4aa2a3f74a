package cli

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/sample"
	"inkfeed/web/webtest"
)

func TestRepeatedSeedKeepsTheDayOfTheFirstOne(t *testing.T) {
	store := webtest.NewEmptyDatabase(t).Store
	want := func(t *testing.T, day time.Time) {
		t.Helper()
		if got, err := dayOf(t.Context(), store.Users, 7); err != nil || !got.Equal(day) {
			t.Errorf("the day is %s, %v, want %s", got, err, day)
		}
	}
	want(t, sample.Today())
	last := sample.Today().AddDate(0, -1, -3)
	if err := store.Accounts.Create(t.Context(), sample.New(7, 3, last).Users[0], ""); err != nil {
		t.Fatal(err)
	}
	want(t, last)
}

func TestSampleUsersAreNotReal(t *testing.T) {
	store := webtest.NewEmptyDatabase(t).Store
	user := sample.New(7, 1, sample.Today()).Users[0]
	for _, real := range []bool{false, true} {
		if real {
			user = domain.User{ID: domain.NewUserID(nil), Username: "ada", Created: user.Created.AddDate(-9, 0, 0),
				NameVersion: 1, PropagatedVersion: 1}
		}
		if err := store.Accounts.Create(t.Context(), user, ""); err != nil {
			t.Fatal(err)
		}
		if err := refuseBesideUsers(t.Context(), store.Users); (err != nil) != real {
			t.Errorf("with %s: %v", user.Username, err)
		}
	}
}

func TestSeedRetriesThrottledWrites(t *testing.T) {
	throttled := domain.NewError(domain.Unavailable, "throttled")
	run := func(name string, test func(t *testing.T)) {
		t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
	}
	run("a write succeeds after a minute of throttling", func(t *testing.T) {
		start := time.Now()
		err := patiently(t.Context(), func() error {
			if time.Since(start) < time.Minute {
				return throttled
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	run("a write that is always throttled fails after the time budget", func(t *testing.T) {
		start := time.Now()
		err := patiently(t.Context(), func() error { return throttled })
		if !errors.Is(err, throttled) || time.Since(start) > seedPatience+2*seedPause {
			t.Errorf("error %v after %s, want %v after about %s", err, time.Since(start), throttled, seedPatience)
		}
	})
	run("another error is returned at once", func(t *testing.T) {
		calls := 0
		err := patiently(t.Context(), func() error { calls++; return domain.ErrUsernameTaken("ada") })
		if !domain.Is(err, domain.Invalid) || calls != 1 {
			t.Errorf("error %v after %d calls, want the first one", err, calls)
		}
	})
	run("the end of the context ends the retries", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		if err := patiently(ctx, func() error { return throttled }); err == nil || time.Since(start) > 11*time.Second {
			t.Errorf("error %v after %s, want an error after 10 seconds", err, time.Since(start))
		}
	})
}
