package settings_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/web/exporting"
	"inkfeed/web/webtest"
)

// pipe is a listener for one connection in memory.
type pipe struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p pipe) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p pipe) Close() error {
	close(p.done)
	return nil
}

func (pipe) Addr() net.Addr { return &net.TCPAddr{} }

// download is an export over a connection that the server cannot write to until the test reads.
type download struct {
	net.Conn
	ended chan struct{} // closed when the server closes the connection
}

func newDownload(t *testing.T, handler http.Handler, of *webtest.Visitor) download {
	t.Helper()
	ours, theirs := net.Pipe()
	listener := pipe{make(chan net.Conn, 1), make(chan struct{})}
	listener.conns <- theirs
	d := download{ours, make(chan struct{})}
	server := &http.Server{Handler: handler, ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(d.ended)
		}
	}}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	var cookies []string
	for name, value := range of.Cookies {
		cookies = append(cookies, name+"="+value)
	}
	go fmt.Fprintf(ours, "GET /settings/export HTTP/1.1\r\nHost: example.com\r\nCookie: %s\r\n\r\n",
		strings.Join(cookies, "; "))
	return d
}

// A client that does not read its export must not delay the exports of others.
func TestAStalledExportIsAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		ada.CreatePost("A long one", incompressible(60_000))
		d := newDownload(t, s.Handler, ada)
		synctest.Wait()

		a := ada.Get("/settings/export").Want(http.StatusServiceUnavailable)
		if !strings.Contains(a.Body, "current download") {
			t.Errorf("the response to a second export at the same time is %s", a.Body)
		}
		ben.Get("/settings/export").Want(http.StatusOK)
		select {
		case <-d.ended:
		case <-time.After(5 * time.Minute): // by the clock of the bubble
			t.Error("the server still waits for the client")
		}
		ada.Get("/settings/export").Want(http.StatusOK)
		if !strings.Contains(s.Log.String(), "an export was interrupted") {
			t.Error("the log lacks the interruption")
		}
	})
}

// A client that reads slowly must not keep its export open for hours either.
func TestASlowExportIsAbortedAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		for range 4 {
			ada.CreatePost("A long one", incompressible(90_000))
		}
		d := newDownload(t, s.Handler, ada)
		began, read := time.Now(), 0
		some := make([]byte, 4096)
		var ended time.Duration
		for ended == 0 {
			select {
			case <-d.ended:
				ended = time.Since(began)
			case <-time.After(exporting.MaxStall * 5 / 6):
				n, _ := io.ReadFull(d, some)
				read += n
			}
		}
		// The export ends when a part cannot be written after its time.
		if ended < exporting.MaxDelay-exporting.MaxStall || ended > exporting.MaxDelay+exporting.MaxStall {
			t.Errorf("the export ended after %v and %d bytes", ended, read)
		}
		ada.Get("/settings/export").Want(http.StatusOK)
	})
}
