package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// line is a server whose network can be cut, for a path or all of it.
type line struct {
	handler http.Handler
	cut     atomic.Pointer[string] // the prefix of what cannot be reached
	lose    atomic.Int32           // answers to lose of what is carried out
}

func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if prefix := l.cut.Load(); prefix != nil && strings.HasPrefix(r.URL.Path, *prefix) {
		panic(http.ErrAbortHandler)
	}
	if strings.HasPrefix(r.URL.Path, "/drafts/") && l.lose.Add(-1) >= 0 {
		l.handler.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	l.handler.ServeHTTP(w, r)
}

func (l *line) cutOff(prefix string) { l.cut.Store(&prefix) }
func (l *line) mend()                { l.cut.Store(nil) }

func newLine(t *testing.T, h http.Handler) (*line, string) {
	l := &line{handler: h}
	return l, serve(t, l)
}
