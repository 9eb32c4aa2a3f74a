package performance

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// wire is a persistent connection to a server. It does little work for each request, because it shares the machine with
// the measured server.
type wire struct {
	conn net.Conn
	r    *bufio.Reader
	body []byte // body of the last answer, which the next one overwrites
}

// wireBuffer is the size of the read buffer, which holds most compressed pages.
const wireBuffer = 16 << 10

func dial(t testing.TB, address string) *wire {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &wire{conn: conn, r: bufio.NewReaderSize(conn, wireBuffer)}
}

// dialAll opens n connections to a server.
func dialAll(t testing.TB, address string, n int) []*wire {
	t.Helper()
	wires := make([]*wire, n)
	for i := range wires {
		wires[i] = dial(t, address)
	}
	return wires
}

// askedHost is the host of every request, because pages contain their own address.
const askedHost = "127.0.0.1"

// request returns a GET request with the headers of a modern browser.
func request(path string, headers ...string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: gzip\r\nAccept: text/html\r\n", path, askedHost)
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// plainRequest returns a request for an uncompressed page, which tests can search.
func plainRequest(path string) []byte {
	return bytes.Replace(request(path), []byte("Accept-Encoding: gzip"), []byte("Accept-Encoding: identity"), 1)
}

// do sends a request and reads the whole answer.
func (w *wire) do(request []byte) (status int, err error) {
	if _, err := w.conn.Write(request); err != nil {
		return 0, err
	}
	line, err := w.r.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 12 {
		return 0, fmt.Errorf("status line %q", line)
	}
	status = int(line[9]-'0')*100 + int(line[10]-'0')*10 + int(line[11]-'0')
	length, chunked := 0, false
	for {
		line, err := w.r.ReadSlice('\n')
		if err != nil {
			return status, err
		}
		if len(line) <= 2 {
			break
		}
		switch {
		case bytes.HasPrefix(line, []byte("Content-Length: ")):
			length, err = strconv.Atoi(string(line[len("Content-Length: ") : len(line)-2]))
		case bytes.HasPrefix(line, []byte("Transfer-Encoding: chunked")):
			chunked = true
		}
		if err != nil {
			return status, err
		}
	}
	w.body = w.body[:0]
	if !chunked {
		return status, w.read(length)
	}
	for {
		line, err := w.r.ReadSlice('\n')
		if err != nil {
			return status, err
		}
		size, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return status, err
		}
		if err := w.read(int(size)); err != nil {
			return status, err
		}
		if _, err := w.r.Discard(2); err != nil {
			return status, err
		}
		if size == 0 {
			return status, nil
		}
	}
}

// read appends n bytes to the body.
func (w *wire) read(n int) error {
	at := len(w.body)
	w.body = slices.Grow(w.body, n)[:at+n]
	_, err := io.ReadFull(w.r, w.body[at:])
	return err
}

// load is the measurements of many requests.
type load struct {
	length   time.Duration
	took     []time.Duration
	statuses map[int]int
}

// perSecond returns the throughput.
func (l load) perSecond() float64 { return float64(len(l.took)) / l.length.Seconds() }

// other returns the number of answers with another status.
func (l load) other(status int) int { return len(l.took) - l.statuses[status] }

// quantile returns a quantile of the latencies, which it sorts.
func (l load) quantile(q float64) time.Duration {
	if len(l.took) == 0 {
		return 0
	}
	slices.Sort(l.took)
	return l.took[int(float64(len(l.took)-1)*q)]
}

// hammer sends the next request on each connection as soon as the last one is answered.
func hammer(t testing.TB, wires []*wire, length time.Duration, next func(wire, n int) []byte) load {
	t.Helper()
	return drive(t, wires, length, next, func(int, int) time.Time { return time.Now() })
}

// pace sends requests at a rate of all connections together, whether or not the server keeps up. If a request has to
// wait for its connection, the wait is part of its latency.
func pace(t testing.TB, wires []*wire, rate float64, length time.Duration, next func(wire, n int) []byte) load {
	t.Helper()
	begin, gap := time.Now(), time.Duration(float64(time.Second)/rate)
	return drive(t, wires, length, next, func(wire, n int) time.Time {
		due := begin.Add(time.Duration(n*len(wires)+wire) * gap)
		if wait := time.Until(due); wait > 0 {
			<-time.After(wait)
		}
		return due
	})
}

// drive sends requests on all connections for a time. Before each request it calls start, which may wait. The latency
// counts from the time that start returns.
func drive(t testing.TB, wires []*wire, length time.Duration, next func(wire, n int) []byte,
	start func(wire, n int) time.Time) load {
	t.Helper()
	parts, errs := make([]load, len(wires)), make([]error, len(wires))
	var group sync.WaitGroup
	begin := time.Now()
	end := begin.Add(length)
	for i, w := range wires {
		group.Go(func() {
			part := load{statuses: make(map[int]int), took: make([]time.Duration, 0, 1<<12)}
			for n := 0; ; n++ {
				from := start(i, n)
				if !from.Before(end) || !time.Now().Before(end) {
					break
				}
				status, err := w.do(next(i, n))
				if err != nil {
					errs[i] = err
					break
				}
				part.took = append(part.took, time.Since(from))
				part.statuses[status]++
			}
			parts[i] = part
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	all := load{length: time.Since(begin), statuses: make(map[int]int)}
	for _, part := range parts {
		all.took = append(all.took, part.took...)
		for status, n := range part.statuses {
			all.statuses[status] += n
		}
	}
	return all
}

// always returns the same request each time.
func always(request []byte) func(wire, n int) []byte {
	return func(int, int) []byte { return request }
}
