package client

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
)

func TestAClientIsWhomTrustedProxiesName(t *testing.T) {
	proxies, err := ParseProxies("loopback, 10.0.0.0/8,2001:db8:f::7")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, remote string
		forwarded    []string
		want         string
		stranger     bool
	}{
		{what: "who calls directly", remote: "203.0.113.9:44", want: "203.0.113.9"},
		{what: "a caller that nobody trusts", remote: "203.0.113.9:44", forwarded: []string{"198.51.100.1"}, want: "203.0.113.9", stranger: true},
		{what: "a trusted proxy that names nobody", remote: "127.0.0.1:44", want: "127.0.0.1"},
		{what: "whom a trusted proxy names", remote: "127.0.0.1:44", forwarded: []string{"198.51.100.1"}, want: "198.51.100.1"},
		{what: "the last of those that are not proxies", remote: "10.2.3.4:44", forwarded: []string{"1.1.1.1, 198.51.100.1, 10.9.9.9"}, want: "198.51.100.1"},
		{what: "several lines", remote: "10.2.3.4:44", forwarded: []string{"1.1.1.1", "198.51.100.1"}, want: "198.51.100.1"},
		{what: "with the port that Azure adds", remote: "10.2.3.4:44", forwarded: []string{"198.51.100.1:52311"}, want: "198.51.100.1"},
		{what: "of IPv6", remote: "[2001:db8:f::7]:44", forwarded: []string{"[2001:db8:1:2:3::4]:99"}, want: "2001:db8:1:2::/64"},
		{what: "of IPv6 without brackets", remote: "[::1]:44", forwarded: []string{"2001:db8:1:2:3::4"}, want: "2001:db8:1:2::/64"},
		{what: "of IPv4 as IPv6", remote: "[::ffff:127.0.0.1]:44", forwarded: []string{"::ffff:198.51.100.1"}, want: "198.51.100.1"},
		{what: "nothing beyond what is no address", remote: "10.2.3.4:44", forwarded: []string{"198.51.100.1, unknown, 10.9.9.9"}, want: "10.9.9.9"},
		{what: "nothing of an empty list", remote: "10.2.3.4:44", forwarded: []string{""}, want: "10.2.3.4"},
		{what: "the first proxy when there are only proxies", remote: "10.2.3.4:44", forwarded: []string{"10.1.1.1, 10.1.1.2"}, want: "10.1.1.1"},
		{what: "nobody when it is not known", remote: "@", forwarded: []string{"198.51.100.1"}, want: "invalid IP", stranger: true},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr, r.Header["X-Forwarded-For"] = c.remote, c.forwarded
		if got := proxies.Of(r); got.LimitKey() != c.want || got.untrusted != c.stranger {
			t.Errorf("%s: %s, stranger %t; want %s, %t", c.what, got.LimitKey(), got.untrusted, c.want, c.stranger)
		}
	}
}

func TestTLSIsWhatTrustedProxiesSay(t *testing.T) {
	proxies, _ := ParseProxies("127.0.0.1")
	for _, c := range []struct {
		remote string
		scheme []string
		want   bool
	}{
		{"127.0.0.1:1", []string{"https"}, true},
		{"127.0.0.1:1", []string{"HTTPS"}, true},
		{"127.0.0.1:1", []string{"https, http"}, false}, // the visitor said the first
		{"127.0.0.1:1", []string{"http", "https"}, true},
		{"127.0.0.1:1", nil, false},
		{"203.0.113.9:1", []string{"https"}, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr, r.Header["X-Forwarded-Proto"] = c.remote, c.scheme
		if got := proxies.Of(r).TLS; got != c.want {
			t.Errorf("%s says %v: %t", c.remote, c.scheme, got)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "https://example.com/", nil)
	if !proxies.Of(r).TLS {
		t.Error("a connection of our own that is encrypted does not count")
	}
}

func TestParseProxies(t *testing.T) {
	for _, text := range []string{"localhost", "10.0.0.0/33", "10.0.0", "::1/x", "Loopback", "10.0.0.1 10.0.0.2"} {
		if _, err := ParseProxies(text); err == nil || !strings.Contains(err.Error(), `"`+text+`"`) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", " , ", "::1", "10.1.2.3/8", "fe80::/10,loopback"} {
		if _, err := ParseProxies(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestUntrustedSenderIsLoggedOnce checks the warning for operators who forgot to name their proxy: without it, rate
// limits would count all visitors as one. The address is logged only if it cannot be a visitor's.
func TestUntrustedSenderIsLoggedOnce(t *testing.T) {
	for sender, want := range map[string]string{"10.1.2.3:4711": "sender=10.1.2.3\n",
		"192.0.2.1:4711": "sender=\"a public address\"\n"} {
		var log bytes.Buffer
		e := echo.New()
		e.Use(Proxies{}.Identify(slog.New(slog.NewTextHandler(&log, nil))))
		for range 3 {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr = sender
			r.Header.Set("X-Forwarded-For", "198.51.100.1\nlevel=ERROR")
			e.ServeHTTP(httptest.NewRecorder(), r)
		}
		if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, want) ||
			strings.Contains(got, "198.51") {
			t.Errorf("from %s: %s", sender, got)
		}
	}
}
