// Package app wires the storage, the workers and the features of the site into one server.
package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"inkfeed/cosmos"
	"inkfeed/cosmos/client"
	"inkfeed/domain"
	"inkfeed/domain/importing/jobs"
	"inkfeed/domain/markdown"
	"inkfeed/domain/picture"
	"inkfeed/domain/portable/subprocess"
	"inkfeed/domain/screening"
	"inkfeed/domain/throttle"
	"inkfeed/web"
	"inkfeed/web/cli/config"
	"inkfeed/web/graceful"
	"inkfeed/web/mail"
	"inkfeed/web/ops"
	"inkfeed/web/pagecache"
	"inkfeed/web/telemetry"
	"inkfeed/workers"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/loop"
	"inkfeed/workers/search"
)

// server holds what the parts of a running server share.
type server struct {
	*config.Config
	options   *config.Serve
	logger    *slog.Logger
	registry  *prometheus.Registry
	exporters *telemetry.Exporters
	traces    traces
	markdown  *markdown.Renderer
	policy    screening.Policy
	writes    workers.WriteNotifier

	store    *cosmos.Store
	files    config.Files
	keys     [][]byte // of sessions
	index    *search.Index
	mailer   *mail.Mailer
	turns    *throttle.Throttle
	pace     *throttle.Pace
	pictures *picture.Maker
	uploads  *subprocess.Reader

	feeds      changefeed.Options
	background *background
	ready      func(context.Context) error
}

// Serve runs the blog until the context ends. It starts the storage, the background work and the HTTP servers, in
// this order, and stops them in the reverse order.
func Serve(ctx context.Context, c *config.Config, o *config.Serve, stdout, stderr io.Writer) (err error) {
	if !o.Pprof {
		// The runtime samples memory allocations because the profiler is linked in. The samples take three megabytes.
		runtime.MemProfileRate = 0
	}
	s := &server{Config: c, options: o, logger: telemetry.NewLogger(stderr, o.LogFormat, o.LogLevel),
		registry: prometheus.NewRegistry(), markdown: markdown.New()}
	s.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	s.policy = screening.Policy{Markdown: s.markdown, Host: screening.HostOf(o.URL)}

	if s.exporters, err = telemetry.Start(ctx, telemetry.Version(), s.registry, s.logger); err != nil {
		return err
	}
	defer stopExporters(ctx, s.exporters, s.logger)
	s.traces = newTraces(s.exporters)
	closeStore, err := s.openStore(ctx)
	if err != nil {
		return err
	}
	defer closeStore()
	if err := s.openFiles(ctx); err != nil {
		return err
	}
	if s.keys, err = c.SessionKeys(); err != nil {
		return err
	}
	s.traces.hashWith(s.keys)
	if s.index, err = search.Open(c.Data, s.markdown, s.logger); err != nil {
		return fmt.Errorf("--data or INKFEED_DATA: %w", err)
	}
	defer s.index.Close()
	if err := s.prepareBackground(); err != nil {
		return err
	}
	s.ready = readyUntil(ctx, shared(s.store.Ping))
	handler, err := s.handler()
	if err != nil {
		return err
	}
	return s.serve(ctx, handler, stdout)
}

// review decides how the post of a draft is held for review.
func (s *server) review(ctx context.Context, author domain.User, before domain.Post, d domain.Draft) (
	domain.Hold, error) {
	return s.policy.Draft(ctx, author, before, d, time.Now())
}

// openStore opens the storage. The returned function closes it.
func (s *server) openStore(ctx context.Context) (closeStore func(), err error) {
	s.store, closeStore, err = s.Open(ctx, cosmos.Options{
		Observers: append(s.traces.writes, client.NewMetrics(s.registry), client.OnWrite(s.writes.Notify)),
		Tracing:   s.traces.storage, Review: s.review, Mentioned: s.markdown.Mentioned,
	}, s.logger)
	if err == nil {
		s.policy.Settings = s.store.Settings // before the scheduler starts, which reads them
	}
	return closeStore, err
}

// openFiles opens the files of pictures, and logs what an operator of a new site should know.
func (s *server) openFiles(ctx context.Context) (err error) {
	if s.files, err = s.OpenFiles(); err != nil {
		return err
	}
	if err := s.files.Prepare(ctx); err != nil {
		return s.ExplainFilesError(err)
	}
	s.LogMediaFolder(s.logger)
	beginIfNew(ctx, s.store, s.logger)
	logIfEmpty(ctx, s.store.Feed, s.logger)
	warnIfNoAdministrator(ctx, s.store, s.logger)
	return nil
}

// prepareBackground makes the background work, which serve starts.
func (s *server) prepareBackground() (err error) {
	s.options.Mail.Logger, s.options.Mail.Keys = s.logger, s.keys
	if s.mailer, err = mail.New(s.options.Mail); err != nil {
		return err
	}
	s.turns = throttle.New(s.Embedded())
	s.pace = throttle.NewPace(s.turns, client.Measure)
	s.pictures = picture.NewMaker(s.turns)
	s.feeds = s.Workers(s.logger)
	s.feeds.Metrics, s.feeds.Tracing = changefeed.NewMetrics(s.registry), s.traces.projections
	s.feeds.Activity = loop.NewActivity(s.options.IdleAfter)
	s.uploads = subprocess.NewReader(subprocess.DefaultLimits, s.logger)
	store := s.store
	imports := jobs.NewRunner(jobs.Config{
		Jobs: store.ImportJobs, Users: store.Users, Profiles: store.Profiles, Posts: store.Posts,
		Drafts: store.Drafts, Records: store.Imports, Redirects: store.Redirects, Images: store.Images,
		Texts: store.Export, Files: s.files, Maker: s.pictures, Read: s.uploads.Read, Throttle: s.turns, Pace: s.pace,
		Screen: s.review, Logger: s.logger,
	})
	s.background = newBackground(store, s.index, s.mailer, s.markdown, s.pace, s.files, s.pictures, imports, s.options,
		s.feeds, s.registry)
	s.background.subscribe(&s.writes)
	if cache := s.background.pages.cache(); cache != nil {
		store.Recorder.FollowCache(cache.Figures)
	}
	return nil
}

// handler makes the handler of the site.
func (s *server) handler() (http.Handler, error) {
	o := s.options
	return web.New(web.Config{
		Stores: web.StoresOf(s.store, s.files, s.pictures), URL: o.URL, Mailer: s.mailer, Search: s.index,
		Files: s.files, Pictures: s.pictures, Throttle: s.turns, Pace: s.pace,
		WakeImports: s.background.imports.Wake, Lags: s.background.lags(s.store, s.feeds), Prices: o.Prices,
		Current: s.background.settings, CurrentPages: s.background.pageList, ReadUpload: s.uploads.Read,
		SignupTime: o.SignupTime, DeletionGrace: o.DeletionGrace, Markdown: s.markdown, SessionKeys: s.keys,
		Embedded: s.Embedded(), BounceToken: o.BounceToken, Composer: s.background.mailings.composer,
		Ready: s.ready, Tailers: s.background.tailerStates, Visits: s.background.visits(),
		Proxies: o.Proxies, StrictTransport: o.StrictTransport, RateLimits: o.RateLimits,
		Meter: client.Measure, Cache: s.background.pages.cache(), Traces: s.exporters.Traces, Logger: s.logger,
	})
}

// serve answers requests, and does the background work, until the context ends.
func (s *server) serve(ctx context.Context, handler http.Handler, stdout io.Writer) error {
	listener, err := s.Listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	o := s.options
	opsListener, err := listenOps(o.OpsAddr)
	if err != nil {
		return err
	}

	// The workers stop after the web server, so that they can project what the last requests wrote. The next start
	// projects the rest.
	s.background.readSite(ctx)
	warnOfClaims(ctx, *s.background.pageList.Current(), s.store.Redirects, s.logger)
	working, stopWorkers := context.WithCancel(context.WithoutCancel(ctx))
	wait := s.background.start(working, o.TuneGC)
	defer wait()
	defer stopWorkers()

	fmt.Fprintf(stdout, "Inkfeed is at http://%s/\n", listener.Addr())
	servers := []graceful.Server{{Server: graceful.NewServer(handler, s.logger), Listener: listener}}
	if opsListener != nil {
		fmt.Fprintf(stdout, "Metrics are at http://%s/metrics\n", opsListener.Addr())
		handler := ops.Handler(ops.Options{Metrics: s.registry,
			Verify: s.background.whileInUse(pagecache.Verifier(s.background.pages.cache())),
			Ready:  s.ready, Behind: s.background.behind(o.LagLimit, s.store.DeadLetters), Profiles: o.Pprof,
			Hosts: o.OpsHosts})
		servers = append(servers, graceful.Server{Server: graceful.NewServer(handler, s.logger), Listener: opsListener})
	}
	o.Stopping.Logger = s.logger
	return graceful.Serve(ctx, o.Stopping, servers...)
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
