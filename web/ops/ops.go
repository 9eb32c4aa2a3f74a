// Package ops is what operators see of a server from within, on an address of its own.
package ops

import (
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// VerifyPages is the path at which a server compares the pages that it keeps.
const VerifyPages = "/verify-pages"

// Handler shows metrics at /metrics and, with profiles, those of net/http/pprof; verify answers
// at VerifyPages. None is for readers: its address must not be public.
func Handler(metrics prometheus.Gatherer, verify http.Handler, profiles bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST "+VerifyPages, verify)
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	if profiles {
		mux.HandleFunc("/debug/pprof/", pprof.Index) // and each profile by its name
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return mux
}
