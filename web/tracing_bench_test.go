package web_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"inkfeed/web"
	"inkfeed/web/pagecache"
	"inkfeed/web/telemetry"
	"inkfeed/web/webtest"
)

// BenchmarkTracing compares how fast a server answers with a cached page, by the part of its requests that it traces.
// The servers run side by side and take turns, so that other work on the machine slows all of them alike. An iteration
// is a thousand requests to each. The metrics are the median time of a request, and its ratio to that without traces;
// "off again" shows how exact they are.
func BenchmarkTracing(b *testing.B) {
	s := webtest.NewSite(b)
	ada := s.SignUp("ada")
	for i := range 20 {
		ada.CreatePost(fmt.Sprintf("Post %d", i), "Some text, *not* much of it.")
	}
	s.Data.CatchUp()
	variants := []struct {
		name string
		part float64 // of the requests that are traced; negative: tracing is off
	}{{"off", -1}, {"off-again", -1}, {"0%", 0}, {"1%", 0.01}, {"100%", 1}}
	servers := make([]*cachedPage, len(variants))
	for i, v := range variants {
		servers[i] = newCachedPage(b, s.Data, v.part)
	}
	const turn, burst = 10, 100
	times := make([][]time.Duration, len(variants))
	for b.Loop() {
		for i, server := range servers {
			for n := range turn {
				start := time.Now()
				for range burst {
					server.get(b)
				}
				if n > 0 { // the first requests of a turn find cold processor caches
					times[i] = append(times[i], time.Since(start)/burst)
				}
			}
		}
	}
	off := median(times[0])
	for i, v := range variants {
		b.ReportMetric(float64(median(times[i]))/1000, "µs/"+v.name)
		if i > 0 {
			b.ReportMetric(float64(median(times[i]))/float64(off), "×off/"+v.name)
		}
	}
}

func median(times []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}

// cachedPage is a connection to a server that has the front page in its cache.
type cachedPage struct {
	net.Conn
	request  []byte
	response []byte // a buffer; all responses have the same length
}

// newCachedPage starts a server that traces a part of its requests. It exports them to a collector.
func newCachedPage(b *testing.B, data *webtest.Database, part float64) *cachedPage {
	b.Helper()
	c := webtest.Config(data, io.Discard, webtest.KeyOne)
	c.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	c.Cache = pagecache.NewCache(16 << 20)
	c.Cache.Follow(time.Now)
	c.Traces = sampling(b, part)
	handler, err := web.New(c)
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(handler)
	b.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	p := &cachedPage{Conn: conn,
		request: []byte("GET / HTTP/1.1\r\nHost: " + server.Listener.Addr().String() +
			"\r\nAccept-Encoding: gzip\r\n\r\n"),
		response: make([]byte, 1<<20)}
	for range 2 {
		if _, err := p.Write(p.request); err != nil {
			b.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // until all of the response has arrived
		n, err := p.Read(p.response)
		if err != nil {
			b.Fatal(err)
		}
		if p.response = p.response[:n]; bytes.Contains(p.response, []byte(pagecacheHit)) {
			return p
		}
		p.response = p.response[:cap(p.response)]
	}
	b.Fatal("the front page is not in the cache")
	return nil
}

const pagecacheHit = "Cache-Status: Inkfeed; hit\r\n"

// sampling returns a provider that samples a part of the traces, or nil for a negative part.
func sampling(b *testing.B, part float64) trace.TracerProvider {
	b.Helper()
	if part < 0 {
		return nil
	}
	b.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", webtest.NewCollector(b).URL+"/v1/traces")
	b.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
	b.Setenv("OTEL_TRACES_SAMPLER_ARG", fmt.Sprint(part))
	exporters, err := telemetry.Start(b.Context(), "v1", prometheus.NewRegistry(), slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = exporters.Stop(b.Context()) }) // the rest is not needed
	return exporters.Traces
}

// get requests the page and reads all of the response.
func (p *cachedPage) get(b *testing.B) {
	b.Helper()
	if _, err := p.Write(p.request); err != nil {
		b.Fatal(err)
	}
	if _, err := io.ReadFull(p, p.response); err != nil {
		b.Fatal(err)
	}
	if !bytes.HasPrefix(p.response, []byte("HTTP/1.1 200 OK\r\n")) {
		b.Fatalf("%.100s", p.response)
	}
}
