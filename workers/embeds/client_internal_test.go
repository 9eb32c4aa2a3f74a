package embeds

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestOnlyPublicAddressesAreReached(t *testing.T) {
	for _, ip := range []string{"0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.9.9.9",
		"168.63.129.16", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.170", "192.0.2.1", "192.88.99.1",
		"192.168.1.1", "198.18.0.1", "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.250", "240.0.0.1",
		"255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
		"64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:a00:1::1",
		"3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "2a00:1450::1%eth0", "fec0::1",
		"ff02::1"} {
		if public(netip.MustParseAddr(ip)) {
			t.Errorf("%s is public", ip)
		}
	}
	for _, ip := range []string{"1.1.1.1", "100.63.255.255", "172.32.0.1", "192.167.255.255", "223.255.255.255",
		"::ffff:8.8.8.8", "64:ff9b::808:808", "2a00:1450:4001:80b::200e", "2606:4700::1111", "2001:4860:4860::8888"} {
		if !public(netip.MustParseAddr(ip)) {
			t.Errorf("%s is not public", ip)
		}
	}
	for _, address := range []string{"1.1.1.1:80", "1.1.1.1:22", "example.org:443", "127.0.0.1:443", ""} {
		if err := checkAddress(t.Context(), "tcp", address, nil); !errors.Is(err, ErrRefused) {
			t.Errorf("%q is connected to: %v", address, err)
		}
	}
	if err := checkAddress(t.Context(), "tcp6", "[2a00:1450::1]:443", nil); err != nil {
		t.Error(err)
	}
}

// serve returns a client whose hosts below example.com are a server. It reaches all other hosts by DialPublic.
func serve(t *testing.T, answer http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewTLSServer(answer)
	t.Cleanup(server.Close)
	return NewClient(func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, _, _ := net.SplitHostPort(address); !strings.HasSuffix(host, "example.com") {
			return DialPublic(ctx, network, address)
		}
		return net.Dial(network, server.Listener.Addr().String())
	}, &tls.Config{InsecureSkipVerify: true})
}

func TestARequestIsBounded(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ok":
			if r.Header.Get("User-Agent") != userAgent || r.Header.Get("Cookie")+r.Header.Get("Referer") != "" {
				t.Errorf("the header is %v", r.Header)
			}
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			_, _ = w.Write([]byte("ok"))
		case "/once":
			http.Redirect(w, r, "https://b.example.com/ok", http.StatusFound)
		case "/away":
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1000)); err != nil {
					return
				}
			}
		case "/busy":
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			http.NotFound(w, r)
		}
	})
	get := func(address string) (string, error) {
		body, err := c.get(t.Context(), address, 5000, false)
		return string(body), err
	}
	for _, address := range []string{"https://a.example.com/ok", "https://a.example.com/once"} {
		for range 2 {
			if body, err := get(address); body != "ok" || err != nil {
				t.Errorf("%s is %q, %v", address, body, err)
			}
		}
	}
	for name, address := range map[string]string{
		"no TLS":                               "http://a.example.com/ok",
		"a name and password":                  "https://u:p@a.example.com/ok",
		"a missing page":                       "https://a.example.com/missing",
		"too many redirects":                   "https://a.example.com/loop",
		"an answer without an end":             "https://a.example.com/endless",
		"a redirect without TLS":               "https://a.example.com/away?to=http://a.example.com/ok",
		"a redirect to a private address":      "https://a.example.com/away?to=https://10.0.0.1/",
		"a redirect to the metadata":           "https://a.example.com/away?to=https://169.254.169.254/",
		"a redirect to a file":                 "https://a.example.com/away?to=file:///etc/passwd",
		"a redirect to a loopback address":     "https://a.example.com/away?to=https://[::1]/",
		"a loopback address":                   "https://127.0.0.1/",
		"a loopback address as a number":       "https://2130706433/",
		"a name that resolves to the loopback": "https://localhost/",
		"another port":                         "https://1.1.1.1:8443/",
	} {
		body, err := get(address)
		if err == nil || !errors.Is(err, ErrRefused) && name != "a loopback address as a number" {
			t.Errorf("%s: %q, %v", name, body, err)
		}
	}
	if _, err := get("https://a.example.com/busy"); err == nil || errors.Is(err, ErrRefused) {
		t.Errorf("a busy host is given up: %v", err)
	}
	if body, err := c.get(t.Context(), "https://a.example.com/endless", 5000, true); len(body) != 5001 || err != nil {
		t.Errorf("%d bytes, %v", len(body), err)
	}
}

// TestTheAddressIsCheckedAtEachConnection resolves a name to a public address at first and to a private one later.
func TestTheAddressIsCheckedAtEachConnection(t *testing.T) {
	answers := []string{"1.1.1.1:443", "127.0.0.1:443"}
	for i, want := range []bool{true, false} {
		err := checkAddress(t.Context(), "tcp4", answers[i], nil) // what net.Dialer calls after each resolution
		if (err == nil) != want {
			t.Errorf("connection %d to %s: %v", i, answers[i], err)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if conn, err := DialPublic(t.Context(), "tcp", listener.Addr().String()); err == nil {
		conn.Close()
		t.Error("the dialer connects to a private address")
	}
}

func TestASlowAnswerIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClient(func(ctx context.Context, _, _ string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() { // never answers
				buffer := make([]byte, 1000)
				for {
					if _, err := server.Read(buffer); err != nil {
						return
					}
				}
			}()
			return client, nil
		}, nil)
		begin := time.Now()
		_, err := c.get(t.Context(), "https://a.example.com/", 1000, false)
		if err == nil || errors.Is(err, ErrRefused) || time.Since(begin) > fetchTimeout {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
	})
}

func TestRequestsForOneHostAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClient(nil, nil)
		begin := time.Now()
		for range 5 {
			_ = c.await(t.Context(), "a.example.com")
		}
		_ = c.await(t.Context(), "b.example.com")
		if took := time.Since(begin); took != 4*hostPause {
			t.Errorf("they took %s", took)
		}
		time.Sleep(time.Minute)
		_ = c.await(t.Context(), "b.example.com")
		if len(c.next) != 1 {
			t.Errorf("%d hosts are remembered", len(c.next))
		}
	})
}
