package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// obeyOps registers where operators look at a server from within, and what they see there.
func (c *config) obeyOps(flags *flag.FlagSet) {
	flags.StringVar(&c.opsAddr, "ops-addr", c.getenv("INKFEED_OPS_ADDR"), "Prometheus metrics on this `host:port`; empty: nowhere (INKFEED_OPS_ADDR)")
	inEnvironment := c.or("INKFEED_PPROF", "false")
	on, err := strconv.ParseBool(inEnvironment)
	flags.BoolVar(&c.pprof, "pprof", on, "profiles of this process, by net/http/pprof, beside the metrics (INKFEED_PPROF)")
	c.checking(func() error {
		if err := checkAddr(c.opsAddr); c.opsAddr != "" && err != nil {
			return fmt.Errorf("--ops-addr or INKFEED_OPS_ADDR: %w", err)
		}
		switch {
		case err != nil:
			return fmt.Errorf("INKFEED_PPROF: %q is neither true nor false", inEnvironment)
		case c.pprof && c.opsAddr == "":
			return errors.New("--pprof or INKFEED_PPROF: needs --ops-addr or INKFEED_OPS_ADDR: profiles are not for readers")
		}
		return nil
	})
}

func listenOps(addr string) (net.Listener, error) {
	if addr == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--ops-addr or INKFEED_OPS_ADDR: %w", err)
	}
	return listener, nil
}

// opsHandler is what operators see.
func opsHandler(registry *prometheus.Registry, profiles bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	if profiles {
		mux.HandleFunc("/debug/pprof/", pprof.Index) // and each profile by its name
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return mux
}
