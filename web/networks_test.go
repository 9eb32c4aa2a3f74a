package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
	"inkfeed/domain/throttle"
	"inkfeed/web"
	"inkfeed/web/credential"
	"inkfeed/web/webtest"
)

// Addresses of one network, each of which counts as another one.
var networks = map[string]struct {
	address func(n int) string
	times   int // how many times as much as one address all of them may do
}{
	"a /24 of IPv4": {func(n int) string { return fmt.Sprint("203.0.113.", n) }, 8},
	"a /56 of IPv6": {func(n int) string { return fmt.Sprintf("2001:db8:1:%x::1", n) }, 2},
	"a /48 of IPv6": {func(n int) string { return fmt.Sprintf("2001:db8:1:%x::1", 256*n) }, 4},
}

func TestNetworksAreLimitedAboveTheirAddresses(t *testing.T) {
	for rule, do := range map[string]func(v *webtest.Visitor, n int) *webtest.Response{
		"login-address": func(v *webtest.Visitor, n int) *webtest.Response {
			return v.LogIn(fmt.Sprint("name", n), webtest.Password)
		},
		"login": func(v *webtest.Visitor, _ int) *webtest.Response { return v.LogIn("nobody", webtest.Password) },
		"signup": func(v *webtest.Visitor, n int) *webtest.Response {
			return v.Post("/signup", "username", fmt.Sprint("name", n), "password", webtest.Password)
		},
		"reset":   func(v *webtest.Visitor, _ int) *webtest.Response { return v.Post("/reset", "account", "ada") },
		"read":    func(v *webtest.Visitor, n int) *webtest.Response { return v.Get(fmt.Sprint("/?x=", n)) },
		"write":   func(v *webtest.Visitor, _ int) *webtest.Response { return v.Post("/settings/profile") },
		"search":  func(v *webtest.Visitor, _ int) *webtest.Response { return v.Get("/search?q=x") },
		"suggest": func(v *webtest.Visitor, _ int) *webtest.Response { return v.Get("/suggest/tags?q=x") },
		"passkey": func(v *webtest.Visitor, _ int) *webtest.Response {
			return v.Post("/passkeys/challenge", "for", "login")
		},
	} {
		for name, network := range networks {
			t.Run(rule+" in "+name, func(t *testing.T) {
				s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), only(rule))
				for n := range network.times {
					if a := do(s.Anonymous().From(network.address(n)), n); a.StatusCode == http.StatusTooManyRequests {
						t.Fatalf("request %d is refused", n+1)
					}
				}
				do(s.Anonymous().From(network.address(99)), 99).WantRetryAfter(time.Hour)
				if a := do(s.Anonymous().From("198.51.100.1"), 98); a.StatusCode == http.StatusTooManyRequests {
					t.Error("another network is refused")
				}
			})
		}
	}
	for name, address := range map[string]func(n int) string{
		"loopback addresses":                func(n int) string { return fmt.Sprint("127.0.0.", n+1) },
		"private addresses":                 func(n int) string { return fmt.Sprint("10.0.0.", n) },
		"addresses of a platform's proxies": func(n int) string { return fmt.Sprint("100.64.0.", n) },
	} {
		t.Run(name+" have no networks", func(t *testing.T) {
			s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), only("search"))
			for n := range 40 {
				s.Anonymous().From(address(n)).Get("/search?q=x").Want(http.StatusOK)
			}
		})
	}
}

func TestAKnownBrowserLogsInAlthoughItsNetworkIsLimited(t *testing.T) {
	s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(),
		"login-address=2/1h,write=2/1h,units-network=20/1h")
	ada := s.SignUp("ada")
	for n := range 40 {
		s.Anonymous().From(fmt.Sprintf("2001:db8:1:%x::1", 64*n)).LogIn(fmt.Sprint("name", n), webtest.Password)
	}
	s.Anonymous().From("2001:db8:1:ffff::1").LogIn("ada", webtest.Password).WantRetryAfter(time.Hour)
	known := ada.WithoutSession().From("2001:db8:1:ffff::1")
	known.Cookies["inkfeed_known"] = ada.Cookies["inkfeed_known"]
	known.LogIn("ada", webtest.Password).WantRedirect(http.StatusSeeOther, "/settings")
}

// A log-in with the right password is not an attempt to guess it, but each takes a place before those of unknown
// browsers.
func TestLogInsInKnownBrowsersAreLimitedByName(t *testing.T) {
	s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "login-known=2/1h")
	ada := s.SignUp("ada")
	for range 2 {
		ada.LogIn("ada", webtest.Password).Want(http.StatusSeeOther)
	}
	ada.LogIn("ada", webtest.Password).WantRetryAfter(time.Hour)
	s.Anonymous().LogIn("ada", webtest.Password).Want(http.StatusSeeOther)
}

func TestKnownBrowsersLogInWhileTheQueueOfHashesIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data, turns := webtest.NewDatabase(t), throttle.New(true)
		c := webtest.Config(data, io.Discard, webtest.KeyOne)
		c.Passwords = credential.NewHasherWith(turns, webtest.CheapHashing, credential.MaxHashQueue)
		s := &webtest.Site{T: t, Data: data}
		s.Restart(c)
		ada := s.SignUp("ada")
		var begun []*throttle.Turn // as long hashes would take them
		for range max(1, runtime.GOMAXPROCS(0)/2) {
			turn, err := turns.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			begun = append(begun, turn)
		}
		var all sync.WaitGroup
		for n := range 2 * credential.MaxHashQueue {
			all.Go(func() { s.Anonymous().LogIn(fmt.Sprint("name", n), webtest.Password) })
		}
		synctest.Wait()
		s.Anonymous().LogIn("ada", webtest.Password).Want(http.StatusServiceUnavailable)
		all.Go(func() { ada.LogIn("ada", webtest.Password).WantRedirect(http.StatusSeeOther, "/settings") })
		synctest.Wait()
		for _, turn := range begun {
			turn.End()
		}
		all.Wait()
	})
}

func TestAUserIsLimitedOverAllAddresses(t *testing.T) {
	write := func(v *webtest.Visitor) *webtest.Response { return v.Post("/settings/profile", "bio", "x") }
	for limits, do := range map[string]func(v *webtest.Visitor) *webtest.Response{
		"write=3/1h":       write,
		"read=3/1h":        func(v *webtest.Visitor) *webtest.Response { return v.Get("/settings") },
		"preview=3/1h":     func(v *webtest.Visitor) *webtest.Response { return v.Post("/preview", "content", "x") },
		"export=3/1h":      func(v *webtest.Visitor) *webtest.Response { return v.Get("/settings/export") },
		"units-user=6/1h":  func(v *webtest.Visitor) *webtest.Response { return v.Get("/settings/sessions") },
		"units-user=20/1h": write,
	} {
		t.Run(limits, func(t *testing.T) {
			data := webtest.NewDatabase(t)
			s := webtest.NewSiteOn(t, data, webtest.KeyOne)
			ada, ben := s.SignUp("ada"), s.SignUp("ben")
			thief := s.Anonymous().From("203.0.113.9")
			thief.Cookies["inkfeed"] = ada.Cookies["inkfeed"]
			ada.LogIn("ada", webtest.Password).Want(http.StatusSeeOther) // ends the session of the thief
			s.Handler = webtest.NewLimitedSite(t, data, webtest.NewCounters(), limits).Handler
			for n := range 10 {
				do(thief.From(fmt.Sprint("203.0.113.", n)))
			}
			if a := do(ada.From("198.51.100.1")); a.StatusCode == http.StatusTooManyRequests {
				t.Error("the ended session has used up the limit of its user")
			}
			refused := 0
			for n := range 9 {
				if do(ada.From(fmt.Sprint("10.0.0.", n))).StatusCode == http.StatusTooManyRequests {
					refused++
				}
			}
			if refused < 5 {
				t.Errorf("%d of 9 requests from other addresses are refused", refused)
			}
			if a := do(ben); a.StatusCode == http.StatusTooManyRequests {
				t.Error("another user is refused")
			}
		})
	}
}

// An hour of the requests that cost most, from one /48 with many new users. What the workers spend on their posts is
// counted in advance. The other half of 60,000 RU is for imports: see throttle.Budget.
func TestOneNetworkCostsABoundedNumberOfUnitsInAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var units atomic.Int64 // thousandths
		s := webtest.NewCachedSite(t, "", metered(&units))
		ada := s.SignUp("ada")
		var posts []domain.Post
		for n := range 30 {
			posts = append(posts, ada.CreatePost(fmt.Sprint("Post ", n), "Text."))
		}
		var eves []*webtest.Visitor
		for n := range 20 {
			eves = append(eves, s.SignUp(fmt.Sprint("eve", n)))
		}
		units.Store(0)
		for second := range 1200 { // of three seconds
			for n := range 3 {
				v := s.Anonymous().From(fmt.Sprintf("2001:db8:1:%x::1", (second*3+n)%65536))
				v.LogIn(fmt.Sprint("name", second), webtest.Password)
				v.Get(fmt.Sprint(posts[(second+n)%len(posts)].Path(), "?x=", second))
				v.Get(fmt.Sprint("/tags/", second, "-", n))
				v.Cookies["inkfeed"] = eves[second%len(eves)].Cookies["inkfeed"]
				v.Post("/posts/" + posts[n].ID + []string{"/like", "/unlike"}[second/len(eves)%2])
			}
			time.Sleep(3 * time.Second)
		}
		if got := units.Load() / 1000; got > 31_000 || got < 10_000 {
			t.Errorf("one /48 has cost %d RU in an hour", got)
		}
		ada.Get("/settings").Want(http.StatusOK)
	})
}

// metered returns a change of a site's configuration that adds up the units of all requests.
func metered(sum *atomic.Int64) func(*web.Config) {
	return func(c *web.Config) {
		c.Meter = func(ctx context.Context) (context.Context, func() float64) {
			ctx, usage := client.Measure(ctx)
			return ctx, func() float64 {
				units := usage()
				sum.Add(int64(1000 * units))
				return units
			}
		}
	}
}
