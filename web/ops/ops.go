// Package ops serves metrics, profiles and checks to operators, on a separate address.
package ops

import (
	"context"
	"fmt"
	"net/http"
	"net/http/pprof"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// VerifyPages is the path at which a server verifies its cached pages.
const VerifyPages = "/verify-pages"

// Options are what a Handler serves, and to whom.
type Options struct {
	Metrics  prometheus.Gatherer
	Verify   http.Handler                   // verifies the cached pages
	Ready    func(context.Context) error    // returns an error while the data cannot be reached
	Behind   func(context.Context) []string // describes, in lines, which workers are behind
	Profiles bool                           // serves net/http/pprof
	// Hosts are names in lower case that requests may ask for. Names of this machine and IP addresses need none.
	Hosts []string
}

// Handler returns a handler that serves metrics at /metrics, the state of the workers at /readyz, o.Verify at
// VerifyPages and, with profiles, net/http/pprof at /debug/pprof/. Its address must not be public.
func Handler(o Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST "+VerifyPages, o.Verify)
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.Metrics, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /readyz", o.readiness)
	if o.Profiles {
		mux.HandleFunc("/debug/pprof/", pprof.Index) // and each profile below, by its name
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return guard(mux, o.Hosts)
}

// readiness has the status of the public /readyz, and adds lines about workers. While these are behind, the instance
// stays ready: all instances read the same data.
func (o Options) readiness(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if err := o.Ready(r.Context()); err != nil {
		http.Error(w, "not ready", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	fmt.Fprintln(w, strings.Join(append([]string{"ok"}, o.Behind(r.Context())...), "\n"))
}
