package remote

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
)

func TestClientsAreNamedByTrustedProxies(t *testing.T) {
	proxies, err := ParseProxies("loopback, 10.0.0.0/8,2001:db8:f::7")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, remote string
		forwarded    []string
		want         string
		untrusted    bool
	}{
		{name: "a direct request", remote: "203.0.113.9:44", want: "203.0.113.9"},
		{
			name:      "an untrusted proxy",
			remote:    "203.0.113.9:44",
			forwarded: []string{"198.51.100.1"},
			want:      "203.0.113.9",
			untrusted: true,
		},
		{name: "a trusted proxy without the header", remote: "127.0.0.1:44", want: "127.0.0.1"},
		{
			name:      "a trusted proxy",
			remote:    "127.0.0.1:44",
			forwarded: []string{"198.51.100.1"},
			want:      "198.51.100.1",
		},
		{
			name:      "the last address that is not a proxy",
			remote:    "10.2.3.4:44",
			forwarded: []string{"1.1.1.1, 198.51.100.1, 10.9.9.9"},
			want:      "198.51.100.1",
		},
		{
			name:      "several headers",
			remote:    "10.2.3.4:44",
			forwarded: []string{"1.1.1.1", "198.51.100.1"},
			want:      "198.51.100.1",
		},
		{
			name:      "a port, as Azure adds",
			remote:    "10.2.3.4:44",
			forwarded: []string{"198.51.100.1:52311"},
			want:      "198.51.100.1",
		},
		{
			name:      "IPv6",
			remote:    "[2001:db8:f::7]:44",
			forwarded: []string{"[2001:db8:1:2:3::4]:99"},
			want:      "2001:db8:1:2::/64",
		},
		{
			name:      "IPv6 without brackets",
			remote:    "[::1]:44",
			forwarded: []string{"2001:db8:1:2:3::4"},
			want:      "2001:db8:1:2::/64",
		},
		{
			name:      "IPv4 as IPv6",
			remote:    "[::ffff:127.0.0.1]:44",
			forwarded: []string{"::ffff:198.51.100.1"},
			want:      "198.51.100.1",
		},
		{
			name:      "an invalid address",
			remote:    "10.2.3.4:44",
			forwarded: []string{"198.51.100.1, unknown, 10.9.9.9"},
			want:      "10.9.9.9",
		},
		{name: "an empty list", remote: "10.2.3.4:44", forwarded: []string{""}, want: "10.2.3.4"},
		{
			name:      "only proxies",
			remote:    "10.2.3.4:44",
			forwarded: []string{"10.1.1.1, 10.1.1.2"},
			want:      "10.1.1.1",
		},
		{
			name:      "an unknown remote address",
			remote:    "@",
			forwarded: []string{"198.51.100.1"},
			want:      "invalid IP",
			untrusted: true,
		},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr, r.Header["X-Forwarded-For"] = c.remote, c.forwarded
		if got := proxies.Of(r); got.LimitKey() != c.want || got.untrusted != c.untrusted {
			t.Errorf("%s: %s, untrusted %t; want %s, %t", c.name, got.LimitKey(), got.untrusted, c.want, c.untrusted)
		}
	}
}

func TestTLSIsReportedByTrustedProxies(t *testing.T) {
	proxies, _ := ParseProxies("127.0.0.1")
	for _, c := range []struct {
		remote string
		scheme []string
		want   bool
	}{
		{"127.0.0.1:1", []string{"https"}, true},
		{"127.0.0.1:1", []string{"HTTPS"}, true},
		{"127.0.0.1:1", []string{"https, http"}, false}, // the client sent the first value
		{"127.0.0.1:1", []string{"http", "https"}, true},
		{"127.0.0.1:1", nil, false},
		{"203.0.113.9:1", []string{"https"}, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr, r.Header["X-Forwarded-Proto"] = c.remote, c.scheme
		if got := proxies.Of(r).TLS; got != c.want {
			t.Errorf("%s with X-Forwarded-Proto %v: TLS is %t", c.remote, c.scheme, got)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "https://example.com/", nil)
	if !proxies.Of(r).TLS {
		t.Error("an encrypted connection to this server does not count as TLS")
	}
}

func TestParsingProxies(t *testing.T) {
	for _, text := range []string{"localhost", "10.0.0.0/33", "10.0.0", "::1/x", "Loopback", "10.0.0.1 10.0.0.2"} {
		if _, err := ParseProxies(text); err == nil || !strings.Contains(err.Error(), `"`+text+`"`) {
			t.Errorf("%q: error %v", text, err)
		}
	}
	for _, text := range []string{"", " , ", "::1", "10.1.2.3/8", "fe80::/10,loopback"} {
		if _, err := ParseProxies(text); err != nil {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestUntrustedSenderIsLoggedOnce checks the warning for operators who forgot to name their proxy: without it, rate
// limits would count all visitors as one. The address is logged only if it cannot be a visitor's.
func TestUntrustedSenderIsLoggedOnce(t *testing.T) {
	for sender, want := range map[string]string{
		"10.1.2.3:4711":  "sender=10.1.2.3\n",
		"100.100.0.7:1":  "sender=100.100.0.7\n", // a proxy of Azure Container Apps
		"192.0.2.1:4711": "sender=\"a public address\"\n",
	} {
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
