package graceful

import (
	"log"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Limits of a connection, so that a slow client occupies only its own connection.
const (
	readHeaderTimeout = 10 * time.Second
	maxHeader         = 64 << 10
	readTimeout       = 60 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 2 * time.Minute
)

// NewServer returns an HTTP server for the handler, with these limits.
func NewServer(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		MaxHeaderBytes:    maxHeader,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          log.New(errorLog{logger}, "", 0),
	}
}

// errorLog is a writer that logs the messages of an HTTP server as warnings, without the addresses of clients.
type errorLog struct{ *slog.Logger }

func (l errorLog) Write(message []byte) (int, error) {
	words := strings.Split(strings.TrimSuffix(string(message), "\n"), " ")
	for i, word := range words {
		ends := strings.Split(word, "->") // of a connection: local->remote
		for j, end := range ends {
			if _, err := netip.ParseAddrPort(strings.TrimSuffix(end, ":")); err == nil {
				ends[j] = "(address)"
			}
		}
		words[i] = strings.Join(ends, "->")
	}
	l.Warn(strings.Join(words, " "))
	return len(message), nil
}
