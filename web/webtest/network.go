package webtest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// UnreliableServer is a server whose network can be interrupted, for some paths or all.
type UnreliableServer struct {
	handler http.Handler
	cut     atomic.Pointer[string] // the prefix of unreachable paths
	Lose    atomic.Int32           // number of responses to /drafts/ to lose after their requests are carried out
}

// ServeHTTP implements http.Handler.
func (l *UnreliableServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if prefix := l.cut.Load(); prefix != nil && strings.HasPrefix(r.URL.Path, *prefix) {
		panic(http.ErrAbortHandler)
	}
	if strings.HasPrefix(r.URL.Path, "/drafts/") && l.Lose.Add(-1) >= 0 {
		l.handler.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	l.handler.ServeHTTP(w, r)
}

// CutOff interrupts the network for paths with this prefix.
func (l *UnreliableServer) CutOff(prefix string) { l.cut.Store(&prefix) }

// Restore ends CutOff.
func (l *UnreliableServer) Restore() { l.cut.Store(nil) }

// NewUnreliableServer starts a server for h and returns it with its address.
func NewUnreliableServer(t *testing.T, h http.Handler) (*UnreliableServer, string) {
	l := &UnreliableServer{handler: h}
	return l, Listen(t, l)
}

// WaitFor polls until a condition holds. It fails the test after MaxWait.
func WaitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), MaxWait)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("never true: %s", what)
		case <-again.C:
		}
	}
}

// Listen starts a server for h on a loopback address and returns that address.
func Listen(t *testing.T, h http.Handler) string {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}
