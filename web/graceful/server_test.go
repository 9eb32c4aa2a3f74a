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
	got := log.String()
	for _, want := range []string{`msg="http: TLS handshake error from (address) EOF"`,
		`msg="http: panic serving (address) oh\nstack"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the log lacks %s:\n%s", want, got)
		}
	}
	if strings.Count(got, "level=WARN") != 2 || strings.Contains(got, "4711") {
		t.Error(got)
	}
}
