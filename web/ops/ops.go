// Package ops serves metrics, profiles and checks to operators, on a separate address.
package ops

import (
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// VerifyPages is the path at which a server verifies its cached pages.
const VerifyPages = "/verify-pages"

// Handler returns a handler that serves metrics at /metrics and verify at VerifyPages. With
// profiles, it also serves net/http/pprof at /debug/pprof/. Its address must not be public.
func Handler(metrics prometheus.Gatherer, verify http.Handler, profiles bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST "+VerifyPages, verify)
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	if profiles {
		mux.HandleFunc("/debug/pprof/", pprof.Index) // and each profile below, by its name
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return mux
}
