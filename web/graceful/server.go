package graceful

import (
	"log/slog"
	"net/http"
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
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}
