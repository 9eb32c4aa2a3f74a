package credential

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

// preferredFrom returns the context of a preferred request from an address.
func preferredFrom(t *testing.T, address string) (ctx context.Context) {
	t.Helper()
	e := echo.New()
	e.Use(remote.Proxies{}.Identify(nil))
	e.GET("/", func(c echo.Context) error {
		ctx = context.WithoutCancel(Preferred(c))
		return nil
	})
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = address
	e.ServeHTTP(httptest.NewRecorder(), r)
	return ctx
}

// slowPasswords returns a hasher with the time of real hashes.
func slowPasswords() *hasher {
	p := quickPasswords()
	p.compare = func(string, string) (bool, error) {
		time.Sleep(25 * time.Millisecond)
		return true, nil
	}
	return p
}

// Without places of their own, 27 of 27 log-ins in known browsers were refused.
func TestAFloodOfUnknownBrowsersLeavesPlacesForKnownOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := slowPasswords()
		var refused, refusedKnown atomic.Int64
		var slowest atomic.Int64
		var all sync.WaitGroup
		for n := range 27 * 180 { // for 27 seconds
			if n%180 == 179 {
				all.Go(func() {
					begin := time.Now()
					if _, err := p.Verify(preferredFrom(t, "192.0.2.1:1"), "password", ""); err != nil {
						refusedKnown.Add(1)
					}
					slowest.Store(max(slowest.Load(), int64(time.Since(begin))))
				})
			}
			all.Go(func() {
				if _, err := p.Verify(t.Context(), "password", ""); domain.Is(err, domain.Unavailable) {
					refused.Add(1)
				}
			})
			time.Sleep(time.Second / 180)
		}
		all.Wait()
		if refusedKnown.Load() > 0 || slowest.Load() > int64(60*time.Millisecond) || refused.Load() < 1000 {
			t.Errorf("%d of 27 log-ins in known browsers are refused, and %d of 4860 others; the slowest took %s",
				refusedKnown.Load(), refused.Load(), time.Duration(slowest.Load()))
		}
		time.Sleep(time.Second) // until the last rest is over
	})
}

func TestOneNetworkCannotTakeThePlacesOfKnownBrowsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := slowPasswords()
		var all sync.WaitGroup
		for n := range 10 * MaxHashQueue { // known to accounts of one /48
			all.Go(func() {
				_, _ = p.Verify(preferredFrom(t, fmt.Sprintf("[2001:db8:1:%x::1]:1", n)), "password", "")
			})
		}
		synctest.Wait()
		for range maxPreferred {
			all.Go(func() {
				if _, err := p.Verify(preferredFrom(t, "[2001:db8:2::1]:1"), "password", ""); err != nil {
					t.Errorf("a known browser of another network: %v", err)
				}
			})
		}
		all.Wait()
		if !p.queue.isEmpty() {
			t.Errorf("after all, %v wait", p.queue.counts)
		}
		time.Sleep(time.Second)
	})
}

// Right passwords are not counted as guesses, so a limit of their own keeps them from filling the reserved places.
func TestConfirmationsHaveABoundedPartOfTheReservedPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rates, err := ratelimit.Parse("login-known=3/1h")
		if err != nil {
			t.Fatal(err)
		}
		limits, p := ratelimit.New(rates, nil, nil), slowPasswords()
		p.maxWaiting = 2
		e := echo.New()
		preferred := 0
		for range 5 {
			c := e.NewContext(httptest.NewRequest(http.MethodPost, "/confirm", nil), httptest.NewRecorder())
			ctx := Confirming(c, limits, "ada")
			is, _, leave := p.queue.join(ctx, p.maxWaiting)
			defer leave()
			if is {
				preferred++
			}
		}
		if preferred != 2 || p.queue.counts["other"] != 3 {
			t.Errorf("of 5 confirmations with 2 places, the queue is %v", p.queue.counts)
		}
		if Confirming(e.NewContext(httptest.NewRequest(http.MethodPost, "/", nil), nil), limits,
			"ada").Value(networkKey{}) != nil {
			t.Error("a sixth confirmation is preferred")
		}
	})
}
