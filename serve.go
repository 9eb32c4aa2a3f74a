package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/workers"
)

func setupServe(_ *flag.FlagSet, c *config) func(context.Context, output) error {
	return func(ctx context.Context, out output) error {
		if err := c.checkSessionKeys(); err != nil {
			return err
		}
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
		handler, err := web.New(web.Config{Users: store.Users, Posts: store.Posts, Feed: store.Feed,
			Markdown: markdown, SessionKeys: keys, Ready: store.Ping, Logger: logger})
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
		projectors.start(working, store, markdown, workers.Options{Instance: c.instance(),
			Metrics: workers.NewMetrics(registry), Logger: logger})
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

// projectors are the change feed processors this process runs.
type projectors struct {
	posts   *workers.Processor[domain.PostChange]
	users   *workers.Processor[domain.UserChange]
	started sync.WaitGroup
	ready   sync.RWMutex // guards posts and users: wake may come before start
}

func (p *projectors) start(ctx context.Context, store *cosmos.Store, markdown *domain.Markdown, options workers.Options) {
	options.PollInterval = time.Second // for writes of other processes: those of this one wake it
	p.ready.Lock()
	defer p.ready.Unlock()
	p.posts = workers.NewProcessor("posts", store.Posts.Changes(), store.Leases, store.DeadLetters,
		&workers.PostsProjector{Users: store.Users, Feed: store.Feed, Posts: store.Posts, Markdown: markdown,
			Authorship: workers.Authorship{Authors: store.Users, Written: store.Posts}}, options)
	p.users = workers.NewProcessor("users", store.Users.Changes(), store.Leases, store.DeadLetters,
		&workers.UsersProjector{Users: store.Users, Posts: store.Posts, Logger: options.Logger}, options)
	p.started.Go(func() { p.posts.Run(ctx) })
	p.started.Go(func() { p.users.Run(ctx) })
}

func (p *projectors) wait() { p.started.Wait() }

// wake lets what this process writes be projected at once.
func (p *projectors) wake(container string) {
	p.ready.RLock()
	defer p.ready.RUnlock()
	switch {
	case container == "posts" && p.posts != nil:
		p.posts.Wake()
	case container == "users" && p.users != nil:
		p.users.Wake()
	}
}

// caughtUp reports whether both processors have projected all there is. Each
// writes what the other reads, so both must be idle at once.
func (p *projectors) caughtUp(ctx context.Context) (bool, error) {
	for range 2 {
		if ok, err := p.users.CaughtUp(ctx); !ok || err != nil {
			return false, err
		}
		if ok, err := p.posts.CaughtUp(ctx); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// waitCaughtUp returns when all changes are projected.
func (p *projectors) waitCaughtUp(ctx context.Context) error {
	for {
		ok, err := p.caughtUp(ctx)
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// instance names this process among those that share the leases. Nobody shares
// the embedded engine's, so a fixed name lets a restart take its own back at
// once instead of waiting for them to expire.
func (c *config) instance() string {
	if c.embedded() {
		return "embedded"
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()[:8])
}
