package graceful_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/web/graceful"
)

// pipes is a listener for connections in memory, so that it works in a synctest bubble.
type pipes struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once // closes closed: http.Server closes its listener, too
}

func newPipes() *pipes { return &pipes{accepted: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accepted:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// connect opens a connection. It fails after the listener is closed.
func (p *pipes) connect() (*client, error) {
	here, there := net.Pipe()
	select {
	case p.accepted <- there:
		return &client{here, bufio.NewReader(here)}, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// client is one connection.
type client struct {
	net.Conn
	answers *bufio.Reader
}

func (c *client) ask(path string) error {
	_, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: here\r\n\r\n")
	return err
}

// answer reads the complete response to a request. It reports whether the server closes the connection after it.
func (c *client) answer(t *testing.T) (body string, last bool) {
	t.Helper()
	resp, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		t.Errorf("there is no response: %v", err)
		return "", true
	}
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("the response is not complete: %v", err)
	}
	return string(all), resp.Close
}

const (
	drain  = 2 * time.Second
	finish = 6 * time.Second
)

// running is a server that can be stopped.
type running struct {
	*pipes
	log  strings.Builder
	stop context.CancelFunc
	done chan error
}

func run(t *testing.T, handler http.HandlerFunc) *running {
	ctx, stop := context.WithCancel(t.Context())
	r := &running{pipes: newPipes(), stop: stop, done: make(chan error, 1)}
	o := graceful.Options{Drain: drain, Finish: finish, Logger: slog.New(slog.NewTextHandler(&r.log, nil))}
	go func() {
		r.done <- graceful.Serve(ctx, o, graceful.Server{Server: &http.Server{Handler: handler}, Listener: r.pipes})
	}()
	return r
}

// ended waits until the server has ended without an error, and returns how long that took.
func (r *running) ended(t *testing.T, since time.Time) time.Duration {
	t.Helper()
	if err := <-r.done; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	return time.Since(since)
}

func (r *running) client(t *testing.T) *client {
	t.Helper()
	c, err := r.connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestStoppingCompletesRequests(t *testing.T) {
	slowly := func(d time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-time.After(d):
				io.WriteString(w, "done "+r.URL.Path)
			case <-r.Context().Done():
				io.WriteString(w, "cut off")
			}
		}
	}
	t.Run("requests in progress are completed and new connections refused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := run(t, slowly(5*time.Second))
			c := s.client(t)
			_ = c.ask("/slow")
			synctest.Wait()
			begin := time.Now()
			s.stop()
			body, last := c.answer(t)
			if body != "done /slow" || !last {
				t.Errorf("the response is %q, the last of its connection: %t", body, last)
			}
			if _, err := s.connect(); err == nil {
				t.Error("a new connection was accepted")
			}
			if took := s.ended(t, begin); took > drain+finish {
				t.Errorf("stopping took %s", took)
			}
			if s.log.Len() > 0 {
				t.Errorf("the log has %s", &s.log)
			}
		})
	})
	t.Run("requests on open connections are answered as the last ones", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := run(t, slowly(0))
			open := s.client(t)
			_ = open.ask("/first")
			if _, last := open.answer(t); last {
				t.Fatal("the connection was closed")
			}
			begin := time.Now()
			s.stop()
			synctest.Wait()
			for _, c := range []*client{open, s.client(t)} {
				if err := c.ask("/late"); err != nil {
					t.Fatal(err)
				}
				if body, last := c.answer(t); body != "done /late" || !last {
					t.Errorf("the response is %q, the last of its connection: %t", body, last)
				}
			}
			if took := s.ended(t, begin); took < drain || took > drain+time.Second {
				t.Errorf("stopping took %s", took)
			}
		})
	})
	t.Run("a connection of the last moment is answered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := run(t, slowly(0))
			s.stop()
			time.Sleep(drain - time.Millisecond)
			c := s.client(t)
			time.Sleep(50 * time.Millisecond) // until the request arrives
			if err := c.ask("/late"); err != nil {
				t.Fatal(err)
			}
			if body, last := c.answer(t); body != "done /late" || !last {
				t.Errorf("the response is %q, the last of its connection: %t", body, last)
			}
			s.ended(t, time.Now())
		})
	})
	t.Run("slow requests are cancelled after the time limit", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := run(t, slowly(time.Hour))
			c := s.client(t)
			_ = c.ask("/slow")
			synctest.Wait()
			begin := time.Now()
			s.stop()
			if body, _ := c.answer(t); body != "cut off" {
				t.Errorf("the response is %q", body)
			}
			if took := s.ended(t, begin); took < drain+finish || took > drain+finish+time.Second {
				t.Errorf("stopping took %s", took)
			}
			if !strings.Contains(s.log.String(), "requests=1 ") {
				t.Errorf("the log lacks the cancelled request: %s", &s.log)
			}
		})
	})
	for behaviour, begin := range map[string]func(c *client){
		"that sends half a header":        func(c *client) { io.WriteString(c, "GET / HTTP/1.1\r\nHo") },
		"that sends nothing":              func(*client) {},
		"that does not read its response": func(c *client) { _ = c.ask("/") },
		"that sends only a part of its body": func(c *client) {
			io.WriteString(c, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx")
		},
	} {
		t.Run("a client "+behaviour+" does not delay stopping forever", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := run(t, func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					for range 1000 {
						io.WriteString(w, strings.Repeat("x", 1000))
					}
				})
				begin(s.client(t))
				synctest.Wait()
				stopped := time.Now()
				s.stop()
				if took := s.ended(t, stopped); took > drain+finish+2*time.Second {
					t.Errorf("stopping took %s", took)
				}
			})
		})
	}
	t.Run("a listener that fails ends the others with an error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			broken, sound := failing{newPipes()}, newPipes()
			err := graceful.Serve(t.Context(),
				graceful.Options{Drain: drain, Finish: finish, Logger: slog.New(slog.DiscardHandler)},
				graceful.Server{Server: &http.Server{Handler: slowly(0)}, Listener: sound},
				graceful.Server{Server: &http.Server{Handler: slowly(0)}, Listener: broken})
			if !errors.Is(err, errBroken) {
				t.Errorf("the error is %v", err)
			}
			if _, err := sound.connect(); err == nil {
				t.Error("the other listener is still open")
			}
		})
	})
}

var errBroken = errors.New("broken")

type failing struct{ *pipes }

func (failing) Accept() (net.Conn, error) { return nil, errBroken }
