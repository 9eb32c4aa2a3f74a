package graceful_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"inkfeed/web/graceful"
)

func TestErrorsOfTheServerAreLoggedWithoutAddresses(t *testing.T) {
	var log bytes.Buffer
	server := graceful.NewServer(nil, slog.New(slog.NewTextHandler(&log, nil)))
	server.ErrorLog.Printf("http: TLS handshake error from %s: EOF", "198.51.100.7:4711")
	server.ErrorLog.Printf("http: panic serving %s: oh\nstack", "[2001:db8::1]:4711")
	server.ErrorLog.Printf("http: Accept error: read tcp %s->%s: read: connection reset by peer", "192.0.2.1:8081",
		"198.51.100.7:4711")
	server.ErrorLog.Printf("http: write tcp %s->%s: broken pipe", "[2001:db8::2]:8081", "[2001:db8::1]:4711")
	got := log.String()
	for _, want := range []string{`msg="http: TLS handshake error from (address) EOF"`,
		`msg="http: panic serving (address) oh\nstack"`,
		`msg="http: Accept error: read tcp (address)->(address) read: connection reset by peer"`,
		`msg="http: write tcp (address)->(address) broken pipe"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the log lacks %s:\n%s", want, got)
		}
	}
	if strings.Count(got, "level=WARN") != 4 || strings.Contains(got, "4711") {
		t.Error(got)
	}
}
