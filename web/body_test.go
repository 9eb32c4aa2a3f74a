package web_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/web/graceful"
	"inkfeed/web/webtest"
)

// oneConnection is a listener that accepts one connection in memory, so that it works in a synctest bubble.
type oneConnection chan net.Conn

func (l oneConnection) Accept() (net.Conn, error) {
	if conn, ok := <-l; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (l oneConnection) Close() error   { close(l); return nil }
func (l oneConnection) Addr() net.Addr { return &net.TCPAddr{} }

func TestASlowBodyHoldsAConnectionForABoundedTime(t *testing.T) {
	// a minute to read the request, half a minute to drain it, and some time to answer
	const most = 2 * time.Minute
	for name, header := range map[string]string{
		"that is too large":    "Content-Length: 100000000",
		"that is chunked":      "Transfer-Encoding: chunked",
		"that is not too long": "Content-Length: 1000000",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := graceful.NewServer(webtest.NewSite(t).Handler, slog.New(slog.DiscardHandler))
				here, there := net.Pipe()
				accepted := make(oneConnection, 1)
				accepted <- there
				go server.Serve(accepted)
				defer server.Close()
				begin := time.Now()
				go io.Copy(io.Discard, here) // the response
				_, _ = fmt.Fprintf(here, "POST /login HTTP/1.1\r\nHost: here\r\n"+
					"Content-Type: application/x-www-form-urlencoded\r\n%s\r\n\r\n", header)
				for time.Since(begin) <= most {
					chunk := "x"
					if strings.HasPrefix(header, "Transfer") {
						chunk = "1\r\nx\r\n"
					}
					if _, err := io.WriteString(here, chunk); err != nil {
						return
					}
					time.Sleep(time.Second)
				}
				t.Errorf("the connection is still open after %s", time.Since(begin))
			})
		})
	}
}

// One byte a second would hold a slot of uploads for half an hour.
func TestAnUploadThatArrivesTooSlowlyIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		server := graceful.NewServer(s.Handler, slog.New(slog.DiscardHandler))
		here, there := net.Pipe()
		accepted := make(oneConnection, 1)
		accepted <- there
		go server.Serve(accepted)
		defer server.Close()
		begin := time.Now()
		go func() {
			r := http.Request{Header: make(http.Header)}
			for name, value := range ada.Cookies {
				r.AddCookie(&http.Cookie{Name: name, Value: value})
			}
			_, err := fmt.Fprintf(here, "POST /settings/import HTTP/1.1\r\nHost: here\r\nCookie: %s\r\n"+
				"Sec-Fetch-Site: same-origin\r\nContent-Length: 1000000\r\n"+
				"Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n"+
				"Content-Disposition: form-data; name=\"file\"; filename=\"blog.zip\"\r\n\r\nPK",
				r.Header.Get("Cookie"))
			for err == nil {
				_, err = io.WriteString(here, "x")
				time.Sleep(time.Second)
			}
		}()
		answer, err := http.ReadResponse(bufio.NewReader(here), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		page, _ := io.ReadAll(answer.Body)
		if took := time.Since(begin); answer.StatusCode != http.StatusUnprocessableEntity || took > 2*time.Minute ||
			!strings.Contains(string(page), "arrived too slowly") {
			t.Errorf("status %d after %s: %s", answer.StatusCode, took, page)
		}
		here.Close()
		time.Sleep(2 * time.Second) // until both sides have noticed
	})
}

// The client receives a refusal that is decided before the body is read.
func TestRefusalsOfLargeBodiesReachTheClient(t *testing.T) {
	s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "write=1/1h")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := graceful.NewServer(s.Handler, slog.New(slog.DiscardHandler))
	go server.Serve(listener)
	defer server.Close()
	ask := func() *http.Response {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		body := strings.Repeat("x", 16<<20)
		r, _ := http.NewRequest(
			http.MethodPost,
			"http://"+listener.Addr().String()+"/settings/profile",
			strings.NewReader("bio="+body),
		)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if err := r.Write(conn); err != nil {
			t.Fatalf("the connection was closed while the request was being sent: %v", err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), r)
		if err != nil {
			t.Fatalf("there is no response: %v", err)
		}
		return resp
	}
	ask()
	if resp := ask(); resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("status %d", resp.StatusCode)
	}
}
