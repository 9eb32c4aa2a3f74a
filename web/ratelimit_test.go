package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/web"
	"inkfeed/web/site/ratelimit"
)

// fakeCounters are counters that several instances share.
type fakeCounters struct {
	mu    sync.Mutex
	all   map[string]int
	calls int
	err   error
}

func (f *fakeCounters) Add(_ context.Context, name string, n int, _ time.Duration) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if f.err != nil {
		return 0, f.err
	}
	f.all[name] += n
	return f.all[name], nil
}

func (f *fakeCounters) Subtract(_ context.Context, name string, n int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all[name] -= n
	return f.err
}

// limited is a site that limits, by those counters.
func limited(t *testing.T, data *database, counters ratelimit.Counters, limits string) *site {
	t.Helper()
	log := &bytes.Buffer{}
	c := config(data, log, keyOne)
	var err error
	if c.RateLimits, err = ratelimit.Parse(limits); err != nil {
		t.Fatal(err)
	}
	c.Counters = counters
	s := &site{t: t, data: data, log: log}
	s.restart(c)
	return s
}

func newCounters() *fakeCounters { return &fakeCounters{all: map[string]int{}} }

// from is the visitor at another address.
func (v *visitor) from(address string) *visitor {
	other := *v
	other.header = v.header.Clone()
	other.header.Set("X-Forwarded-For", address)
	return &other
}

// logIn tries to.
func (v *visitor) logIn(name, password string) *answer {
	v.t.Helper()
	return v.post("/login", "username", name, "password", password, "next", "/settings")
}

// wantWait wants the answer to somebody who has to wait.
func (a *answer) wantWait(most time.Duration) *answer {
	a.t.Helper()
	a.want(http.StatusTooManyRequests)
	if s, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || s < 1 || time.Duration(s)*time.Second > most {
		a.t.Errorf("%s: Retry-After is %q", a.what, a.Header.Get("Retry-After"))
	}
	return a
}

func TestLoggingInIsLimited(t *testing.T) {
	const limits = "login=3/15m,login-address=8/15m,login-account=6/15m"
	t.Run("by name and address, for who exists and who does not", func(t *testing.T) {
		s := limited(t, newDatabase(t), newCounters(), limits)
		s.member("ada")
		for _, name := range []string{"ada", "nobody"} {
			v := s.stranger().from("198.51.100.1")
			for range 3 {
				v.logIn(name, "wrong "+password).want(422)
			}
			a := v.logIn(name, password).wantWait(15*time.Minute).has(`[role="alert"]`, "You entered a wrong password too often. Please try again in")
			if got := a.Value("username"); got != name {
				t.Errorf("the form came back with %q", got)
			}
		}
	})
	t.Run("elsewhere the user logs in all the same", func(t *testing.T) {
		s := limited(t, newDatabase(t), newCounters(), limits)
		s.member("ada")
		v := s.stranger().from("198.51.100.1")
		for range 9 {
			v.logIn("ada", "wrong "+password)
		}
		s.stranger().from("198.51.100.2").logIn("ADA", password).wantRedirect(303, "/settings")
	})
	t.Run("by address, whatever the names", func(t *testing.T) {
		s := limited(t, newDatabase(t), newCounters(), limits)
		v := s.stranger().from("2001:db8::1")
		for i := range 8 {
			v.logIn(fmt.Sprint("name", i), password).want(422)
		}
		s.stranger().from("2001:db8::ffff:1").logIn("another", password).wantWait(15 * time.Minute)
		s.stranger().from("2001:db8:0:1::1").logIn("another", password).want(422)
	})
	t.Run("by name from everywhere, but not in a browser that is known", func(t *testing.T) {
		s := limited(t, newDatabase(t), newCounters(), limits)
		ada := s.member("ada")
		s.member("bob")
		for i := range 9 {
			s.stranger().from(fmt.Sprint("198.51.100.", i)).logIn("ada", "wrong "+password)
		}
		s.stranger().from("203.0.113.1").logIn("ada", password).wantWait(15*time.Minute).has(`[role="alert"]`, "Someone may be trying to guess")
		known := ada.from("203.0.113.2")
		known.post("/logout").want(303)
		known.logIn("ada", "wrong "+password).want(422)
		known.logIn("ada", password).wantRedirect(303, "/settings")

		// Whoever knows bob's browser is not known as ada's, nor is a forged one.
		forged := s.stranger().from("203.0.113.3")
		forged.cookies["inkfeed_known"] = strings.Replace(ada.cookies["inkfeed_known"], ".", "A.", 1)
		forged.logIn("ada", password).wantWait(15 * time.Minute)
		if !strings.Contains(ada.cookies["inkfeed_known"], ".") {
			t.Error("there was nothing to forge")
		}
	})
	t.Run("a known browser is limited, too", func(t *testing.T) {
		s := limited(t, newDatabase(t), newCounters(), limits)
		ada := s.member("ada")
		ada.post("/logout").want(303)
		for i := range 3 {
			ada.from(fmt.Sprint("198.51.100.", i)).logIn("ada", "wrong "+password).want(422)
		}
		ada.from("203.0.113.1").logIn("ada", password).wantWait(15 * time.Minute)
	})
	t.Run("not by those who know the password", func(t *testing.T) {
		counters := newCounters()
		s := limited(t, newDatabase(t), counters, limits)
		s.member("ada")
		for range 20 {
			s.stranger().logIn("ada", password).want(303)
		}
		for name, n := range counters.all {
			if strings.HasPrefix(name, "login") && n != 0 {
				t.Errorf("%s is %d", name, n)
			}
		}
	})
	t.Run("on all instances together", func(t *testing.T) {
		data, counters := newDatabase(t), newCounters()
		one, two := limited(t, data, counters, limits), limited(t, data, counters, limits)
		one.member("ada")
		for _, s := range []*site{one, two, one} {
			s.stranger().logIn("ada", "wrong "+password).want(422)
		}
		two.stranger().logIn("ada", password).wantWait(15 * time.Minute)
	})
	t.Run("by each alone when the counters fail, which is told once", func(t *testing.T) {
		counters := newCounters()
		s := limited(t, newDatabase(t), counters, limits)
		s.member("ada")
		counters.err = errors.New("gone")
		for range 3 {
			s.stranger().logIn("ada", "wrong "+password).want(422)
		}
		s.stranger().logIn("ada", password).wantWait(15 * time.Minute)
		if n := strings.Count(s.log.String(), "shared counters"); n != 1 {
			t.Errorf("told %d times", n)
		}
	})
	t.Run("without writing for who is over the limit already", func(t *testing.T) {
		counters := newCounters()
		s := limited(t, newDatabase(t), counters, limits)
		for range 4 {
			s.stranger().logIn("ada", password)
		}
		before := counters.calls
		for range 10 {
			s.stranger().logIn("ada", password).wantWait(15 * time.Minute)
		}
		if counters.calls != before {
			t.Errorf("%d more calls", counters.calls-before)
		}
	})
}

func TestALimitIsOverAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limited(t, newDatabase(t), newCounters(), "login=2/1m")
		for range 2 {
			s.stranger().logIn("ada", password).want(422)
		}
		a := s.stranger().logIn("ada", password).wantWait(time.Minute)
		wait, _ := strconv.Atoi(a.Header.Get("Retry-After"))
		time.Sleep(time.Duration(wait) * time.Second)
		s.stranger().logIn("ada", password).want(422)
	})
}

func TestSigningUpIsLimited(t *testing.T) {
	t.Run("by address", func(t *testing.T) {
		s := limited(t, newDatabase(t), newCounters(), "signup=2/1h")
		v := s.stranger().from("198.51.100.1")
		for _, name := range []string{"ada", "bob"} {
			v.forgotten().post("/signup", "username", name, "password", password).want(303)
		}
		v.forgotten().post("/signup", "username", "x y", "password", password).want(422) // a slip of the pen costs nothing
		a := v.forgotten().post("/signup", "username", "eve", "password", password).wantWait(time.Hour).has(`[role="alert"]`, "from your network")
		if a.Value("username") != "eve" {
			t.Error("what was typed is lost")
		}
		s.stranger().from("198.51.100.2").post("/signup", "username", "eve", "password", password).want(303)
	})
	t.Run("of everybody together", func(t *testing.T) {
		s := limited(t, newDatabase(t), newCounters(), "signups=2/10m")
		for i, name := range []string{"ada", "bob"} {
			s.stranger().from(fmt.Sprint("198.51.100.", i)).post("/signup", "username", name, "password", password).want(303)
		}
		s.stranger().from("198.51.100.9").post("/signup", "username", "eve", "password", password).wantWait(10*time.Minute).has(`[role="alert"]`, "many people")
	})
}

func TestWhatIsDoneTooOftenIsRefused(t *testing.T) {
	s := limited(t, newDatabase(t), newCounters(), "comment=1/5m,post=1/1h,like=1/1m,search=1/1m,preview=1/1m,rename=1/1h,upload=1/1h,confirm=1/1h,export=1/1h,suggest=1/1m")
	ada, bob := s.member("ada"), s.member("bob")
	p := ada.aPost("A title", "text")
	path := "/posts/" + p.ID

	ada.post(path+"/comments", "content", "first").want(303)
	a := ada.post(path+"/comments", "content", "second & third").wantWait(5*time.Minute).has("#Page-comment-form [role=alert]", "many comments")
	if got := a.Value("content"); got != "second & third" {
		t.Errorf("the comment came back as %q", got)
	}
	ada.htmx().post(path+"/comments", "content", "second").wantWait(5*time.Minute).has("[role=alert]", "many comments")
	bob.post(path+"/comments", "content", "mine").want(303) // another is not slowed

	ada.post("/posts", "title", "One", "content", "text").want(303)
	a = ada.post("/posts", "title", "Two", "content", "a long text").wantWait(time.Hour).has("[role=alert]", "published too many posts")
	if a.Value("title") != "Two" || a.Value("content") != "a long text" {
		t.Error("the post did not come back")
	}
	ada.post("/posts", "title", "Two", "content", "a long text", "do", "save").want(303) // it can be kept

	ada.post(path + "/like").want(303)
	ada.post(path+"/unlike").wantWait(time.Minute).has("h1", "Too many requests").has("main", "Please try again in").has("header", "@ada")
	ada.htmx().post(path+"/like").wantWait(time.Minute).has("dialog", "That was too quick")

	for path, most := range map[string]time.Duration{"/search?q=x": time.Minute, "/suggest/tags?q=x": time.Minute, "/settings/export": time.Hour} {
		ada.get(path).want(200)
		ada.get(path).wantWait(most)
	}
	ada.post("/preview", "title", "T", "content", "x").want(200)
	ada.post("/preview", "title", "T", "content", "x").wantWait(time.Minute)
	ada.post("/settings/username", "username", "ada1").want(303)
	if a := ada.post("/settings/username", "username", "ada2").wantWait(time.Hour).has("[role=alert]", "too often"); a.Value("username") != "ada2" {
		t.Error("the name did not come back")
	}
	ada.post("/settings/delete", "password", "wrong "+password).want(422)
	ada.post("/settings/delete", "password", password).wantWait(time.Hour).has("[role=alert]", "wrong password or code too often")
	if s.data.calls("Users.Delete") != 0 {
		t.Error("the account is deleted")
	}
	if strings.Contains(s.log.String(), "level=ERROR") {
		t.Error(s.log.String())
	}
}

func TestAnEndedSessionDoesNotUseUpTheLimitsOfItsUser(t *testing.T) {
	for _, limits := range []string{"write=3/1h", "read=3/1h"} {
		t.Run(limits, func(t *testing.T) {
			data := newDatabase(t)
			s := newSiteOn(t, data, keyOne)
			ada := s.member("ada")
			thief := s.stranger().from("203.0.113.9")
			thief.cookies["inkfeed"] = ada.cookies["inkfeed"]
			ada.post("/logout").want(303)
			ada.post("/login", "username", "ada", "password", password).want(303)
			s.handler = limited(t, data, newCounters(), limits).handler
			for range 5 {
				thief.post("/settings/profile")
				thief.get("/settings")
			}
			thief.get("/settings") // counted, and refused where reading is limited
			ada.post("/settings/profile", "displayName", "Ada").want(303)
			ada.get("/settings").want(200)
		})
	}
}

func TestLimitsNobodyMeets(t *testing.T) {
	s := limited(t, newDatabase(t), newCounters(), "")
	ada := s.member("ada")
	p := ada.aPost("A title", "text")
	for i := range 25 {
		ada.post("/posts/"+p.ID+"/comments", "content", fmt.Sprint("comment ", i)).want(303)
		ada.post("/posts/" + p.ID + "/like").want(303)
		ada.post("/preview", "title", "T", "content", "x").want(200)
		s.stranger().get("/search?q=x").want(200)
	}
	for i := range 9 {
		s.stranger().logIn("ada", "wrong "+password).want(422)
		s.stranger().post("/signup", "username", fmt.Sprint("user", i), "password", password).want(303)
	}
	s.stranger().logIn("ada", password).want(303)
}

func TestParseRateLimits(t *testing.T) {
	for text, want := range map[string]string{
		"login":           `"login" is not like login=10/15m or login=off`,
		"login=":          `"login=" is not like`,
		"login=0/1m":      `"login=0/1m" is not like`,
		"login=5":         `"login=5" is not like`,
		"login=5/1":       `"login=5/1" is not like`,
		"login=5/1ms":     `"login=5/1ms" is not like`,
		"login=5/48h":     `"login=5/48h" is not like`,
		"login=5/1m;x":    `"login=5/1m;x" is not like`,
		"log-in=5/1m":     `there is no limit "log-in"; there are comment, confirm, export`,
		"off,login=5/15m": `there is no limit "off"`,
	} {
		if _, err := ratelimit.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for text, off := range map[string]bool{"": false, " off ": true, "login=off": false, "search=1/1s, export = 2/24h ,": false} {
		if l, err := ratelimit.Parse(text); err != nil || l.Off() != off {
			t.Errorf("%q: off %t, %v", text, l.Off(), err)
		}
	}
}

func TestLimitedRoutesExist(t *testing.T) {
	routes, err := web.Routes(config(newDatabase(t), &bytes.Buffer{}, keyOne))
	if err != nil {
		t.Fatal(err)
	}
	for _, route := range web.LimitedRoutes() {
		if !slices.Contains(routes, route) {
			t.Errorf("there is no %s", route)
		}
	}
}
