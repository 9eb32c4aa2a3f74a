package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/workers"
)

func setupServe(flags *flag.FlagSet, c *config) func(context.Context, output) error {
	c.obeyAddr(flags, defaultAddr, "listen on this `host:port`")
	c.obeyOpsAddr(flags)
	c.obeyStore(flags)
	c.obeySessionKeys()
	c.obeyIntervals(flags)
	var limit time.Duration
	c.obeyDuration(flags, &limit, "lag-limit", "INKFEED_LAG_LIMIT", "1m", "say on /readyz when workers are behind by more")
	return func(ctx context.Context, out output) error {
		logger := slog.New(slog.NewTextHandler(out.stderr, nil))
		registry := prometheus.NewRegistry()
		registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

		var projectors projectors
		store, closeStore, err := c.open(ctx, cosmos.Options{Metrics: cosmos.NewMetrics(registry), OnWrite: projectors.wake}, logger)
		if err != nil {
			return err
		}
		defer closeStore()
		keys, err := c.loadSessionKeys()
		if err != nil {
			return err
		}
		markdown := domain.NewMarkdown()
		options := c.workers(logger)
		options.Metrics = workers.NewMetrics(registry)
		processors := newProcessors(store, markdown, options)
		watch := newLagWatch(limit, processors, store.DeadLetters)
		handler, err := web.New(web.Config{Users: store.Users, Posts: store.Posts, Feed: store.Feed,
			Markdown: markdown, SessionKeys: keys, Ready: store.Ping, Behind: watch.behind, Logger: logger})
		if err != nil {
			return err
		}
		listener, err := net.Listen("tcp", c.addr)
		if err != nil {
			return fmt.Errorf("--addr or INKFEED_ADDR: %w", err)
		}
		defer listener.Close()
		ops, err := listenOps(c.opsAddr)
		if err != nil {
			return err
		}

		// Workers outlive the web server: what the last requests wrote is
		// projected, or left to the next start.
		working, stopWorkers := context.WithCancel(context.WithoutCancel(ctx))
		projectors.start(working, processors)
		defer projectors.wait()
		defer stopWorkers()

		fmt.Fprintf(out.stdout, "Inkfeed is at http://%s/\n", listener.Addr())
		servers := []served{{newServer(handler, logger), listener}}
		if ops != nil {
			mux := http.NewServeMux()
			mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
			fmt.Fprintf(out.stdout, "Metrics are at http://%s/metrics\n", ops.Addr())
			servers = append(servers, served{newServer(mux, logger), ops})
		}
		return serveUntil(ctx, servers)
	}
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

// Limits of a connection, so that a slow client holds no more than itself.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 60 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 2 * time.Minute
	shutdownTimeout   = 6 * time.Second // so that leases are released within the 10 that containers are given
)

func newServer(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

type served struct {
	server   *http.Server
	listener net.Listener
}

// serveUntil serves until the context ends, then lets the requests at hand
// finish.
func serveUntil(ctx context.Context, servers []served) error {
	failed := make(chan error, len(servers))
	for _, s := range servers {
		go func() { failed <- s.server.Serve(s.listener) }()
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	for _, s := range servers {
		err = errors.Join(err, s.server.Shutdown(stopping))
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
