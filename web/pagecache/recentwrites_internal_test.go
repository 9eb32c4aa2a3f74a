package pagecache

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/web/site/botcheck"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

var (
	testSecret  = bytes.Repeat([]byte{1}, 32)
	otherSecret = bytes.Repeat([]byte{2}, 32)
)

func testWrites(t testing.TB, limits string, secrets ...[]byte) RecentWrites {
	t.Helper()
	rates, err := ratelimit.Parse(limits)
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewRecentWrites(secrets, ratelimit.New(rates, nil, slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func withCookie(name, value string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.AddCookie(&http.Cookie{Name: name, Value: value})
	return r
}

func TestTheCookieOfAWriteIsHonouredForSecondsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here := testWrites(t, "off", testSecret)
		signed := here.times.Sign(time.Now())
		text, signature, _ := strings.Cut(signed, ".")
		form, err := botcheck.New([][]byte{testSecret}, 0, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		for name, test := range map[string]struct {
			value string
			want  bool
		}{
			"a signature without an instance": {signed, true},
			"a signature with the former key of an instance": {
				testWrites(t, "off", otherSecret, testSecret).times.Sign(time.Now()), false,
			},
			"a signature of another instance":                 {signed + ".another", true},
			"a write at this instance, which needs no detour": {signed + "." + here.instance, false},
			"a clock that is ahead":                           {here.times.Sign(time.Now().Add(2 * time.Second)), true},
			"a time in the far future":                        {here.times.Sign(time.Now().Add(time.Hour)), false},
			"an unsigned word":                                {"x", false},
			"an unsigned former value":                        {"yes", false},
			"an empty value":                                  {"", false},
			"a time without a signature":                      {text, false},
			"an empty signature":                              {text + ".", false},
			"another time":                                    {"z" + text + "." + signature, false},
			"the token of a form":                             {form.Sign(time.Now()), false},
		} {
			if got := here.hasCookie(withCookie(wroteCookie, test.value)); got != test.want {
				t.Errorf("%s: honoured is %v", name, got)
			}
		}
		rotated := testWrites(t, "off", otherSecret, testSecret)
		if !rotated.hasCookie(withCookie(wroteCookie, signed)) {
			t.Error("an instance with a new first key does not honour the signature of the former one")
		}
		if here.hasCookie(withCookie("other", signed)) ||
			here.hasCookie(httptest.NewRequest(http.MethodGet, "/", nil)) {
			t.Error("a request without the cookie is honoured")
		}
		time.Sleep(wroteFor)
		if !here.hasCookie(withCookie(wroteCookie, signed)) {
			t.Error("the cookie is not honoured to the end of its time")
		}
		time.Sleep(time.Second)
		if here.hasCookie(withCookie(wroteCookie, signed)) {
			t.Error("the cookie is honoured beyond its time")
		}
	})
}

// A browser writes at one instance and then at another, which has not seen the first write yet.
func TestAWriteDoesNotHideAnEarlierOneAtAnotherInstance(t *testing.T) {
	first, second := testWrites(t, "off", testSecret), testWrites(t, "off", testSecret)
	cookie := ""
	writeAt := func(w RecentWrites) {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		if cookie != "" {
			r = withCookie(wroteCookie, cookie)
		}
		answer := httptest.NewRecorder()
		w.Mark(echo.New().NewContext(r, answer))
		cookie = answer.Result().Cookies()[0].Value
	}
	bypasses := func(w RecentWrites) bool { return w.hasCookie(withCookie(wroteCookie, cookie)) }
	writeAt(first)
	writeAt(first)
	if bypasses(first) || !bypasses(second) {
		t.Error("after writes at the first instance, not exactly the second is bypassed")
	}
	writeAt(second)
	if !bypasses(first) || !bypasses(second) {
		t.Error("after writes at both instances, one of them answers from its cache")
	}
	writeAt(second)
	if !bypasses(first) || !bypasses(second) {
		t.Error("after another write at the second instance, one of them answers from its cache")
	}
}

func TestReadsPastTheCacheAreLimitedByAddress(t *testing.T) {
	w := testWrites(t, "fresh=2/1h", testSecret)
	r := withCookie(wroteCookie, w.times.Sign(time.Now()))
	from := func(address string) remote.Client {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = address
		return remote.Proxies{}.Of(r)
	}
	for i, want := range []bool{true, true, false, false} {
		if got := w.bypassCache(r, from("192.0.2.1")); got != want {
			t.Errorf("request %d: bypassing the cache is %v", i+1, got)
		}
	}
	if !w.bypassCache(r, from("192.0.2.2")) {
		t.Error("another address is limited too")
	}
	forged := withCookie(wroteCookie, "x")
	for range 5 {
		w.bypassCache(forged, from("192.0.2.3"))
	}
	if !w.bypassCache(r, from("192.0.2.3")) {
		t.Error("forged cookies count against the limit of their address")
	}
}

// Beyond the limit, a visitor who has just written something gets responses from the cache.
func TestRequestsBeyondTheFreshLimitAreAnsweredFromTheCache(t *testing.T) {
	s := &router{}
	p := newTestPages(s)
	p.writes = testWrites(t, "fresh=2/1h", testSecret)
	for range 5 {
		cookie := wroteCookie + "=" + p.writes.times.Sign(time.Now())
		if resp := ask(p, "GET", "/", "Cookie", cookie); resp.StatusCode != http.StatusOK {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
	if asked := s.asked.Load(); asked != 3 { // twice past the cache, once to fill it
		t.Errorf("the page was rendered %d times, want 3", asked)
	}
}
