// Package app wires the storage, the workers and the features of the site into one server.
package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"inkfeed/cosmos"
	"inkfeed/cosmos/client"
	"inkfeed/domain"
	"inkfeed/domain/importing"
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
	"inkfeed/workers/search"
)

// Serve runs the blog until the context ends. It starts the storage, the background work and the HTTP servers, in
// this order, and stops them in the reverse order.
func Serve(ctx context.Context, c *config.Config, o *config.Serve, stdout, stderr io.Writer) error {
	if !o.Pprof {
		// The runtime samples memory allocations because the profiler is linked in. The samples take three megabytes.
		runtime.MemProfileRate = 0
	}
	logger := telemetry.NewLogger(stderr, o.LogFormat, o.LogLevel)
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	exporters, err := telemetry.Start(ctx, telemetry.Version(), registry, logger)
	if err != nil {
		return err
	}
	defer stopExporters(ctx, exporters, logger)
	traces := newTraces(exporters)

	var writes workers.WriteNotifier
	markdown := markdown.New()
	policy := screening.Policy{Markdown: markdown, Host: screening.HostOf(o.URL)}
	review := func(ctx context.Context, author domain.User, before domain.Post, d domain.Draft) (domain.Hold, error) {
		return policy.Draft(ctx, author, before, d, time.Now())
	}
	store, closeStore, err := c.Open(ctx, cosmos.Options{
		Observers: []client.Observer{client.NewMetrics(registry)}, Tracing: traces.storage, OnWrite: writes.Notify,
		Review: review,
	}, logger)
	if err != nil {
		return err
	}
	defer closeStore()
	policy.Settings = store.Settings // before the scheduler starts, which reads them
	files, err := c.OpenFiles()
	if err != nil {
		return err
	}
	if err := files.Prepare(ctx); err != nil {
		return c.ExplainFilesError(err)
	}
	c.LogMediaFolder(logger)
	logIfEmpty(ctx, store.Feed, logger)
	warnIfNoAdministrator(ctx, store.Users, logger)
	keys, err := c.SessionKeys()
	if err != nil {
		return err
	}
	traces.hashWith(keys)

	index, err := search.Open(c.Data, markdown, logger)
	if err != nil {
		return fmt.Errorf("--data or INKFEED_DATA: %w", err)
	}
	defer index.Close()
	o.Mail.Logger = logger
	mailer, err := mail.New(o.Mail)
	if err != nil {
		return err
	}
	turns := throttle.New(c.Embedded())
	pace := throttle.NewPace(turns, client.Measure)
	pictures := picture.NewMaker(turns)
	options := c.Workers(logger)
	options.Metrics, options.Tracing = changefeed.NewMetrics(registry), traces.projections
	background := newBackground(store, index, mailer, markdown, pace, o, options, registry)
	background.subscribe(&writes)
	if cache := background.pages.cache(); cache != nil {
		store.Recorder.FollowCache(cache.Figures)
	}

	uploads := subprocess.NewReader(subprocess.DefaultLimits, logger)
	imports := jobs.NewRunner(jobs.Config{
		Jobs: store.ImportJobs, Users: store.Users, Posts: store.Posts, Drafts: store.Drafts, Records: store.Imports,
		Redirects: store.Redirects, Images: store.Images, Texts: store.Export, Files: files, Maker: pictures,
		Read: uploads.Read, Throttle: turns, Pace: pace, Screen: review, Logger: logger,
	})
	background.imports = imports
	ready := readyUntil(ctx, shared(store.Ping))
	handler, err := web.New(web.Config{
		URL: o.URL, Tags: store.Tags, Users: store.Users, Sessions: store.Sessions, Secrets: store.Secrets,
		Mailer: mailer, Posts: store.Posts, Drafts: store.Drafts, Feed: store.Feed, Search: index, Images: store.Images,
		Files: files, Pictures: pictures, Throttle: turns, Pace: pace, Export: store.Export, Imports: store.ImportJobs,
		WakeImports: imports.Wake,
		Redirects:   store.Redirects, Reports: store.Reports, Reviews: store.Reviews, Audit: store.Audit,
		Costs: store.Costs, Lags: background.lags(store, options), DeadLetters: store.DeadLetters,
		Deletions: store.ScheduledDeletions, Prices: o.Prices,
		Settings: store.Settings, Current: background.settings,
		Importer: importing.Importer{Posts: store.Posts, Drafts: store.Drafts, Records: store.Imports,
			Redirects: store.Redirects, Images: store.Images, Files: files, Maker: pictures},
		ReadUpload: uploads.Read,
		Pages:      store.Pages, CurrentPages: background.pageList, Invitations: store.Invitations,
		SignupTime: o.SignupTime, DeletionGrace: o.DeletionGrace, Markdown: markdown, SessionKeys: keys,
		Ready: ready, Tailers: background.tailerStates,
		Proxies: o.Proxies, StrictTransport: o.StrictTransport, RateLimits: o.RateLimits, Counters: store.Counters,
		Meter: client.Measure,
		Cache: background.pages.cache(), Traces: exporters.Traces, Logger: logger,
	})
	if err != nil {
		return err
	}
	listener, err := c.Listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	opsListener, err := listenOps(o.OpsAddr)
	if err != nil {
		return err
	}

	// The workers stop after the web server, so that they can project what the last requests wrote. The next start
	// projects the rest.
	background.readSite(ctx)
	working, stopWorkers := context.WithCancel(context.WithoutCancel(ctx))
	wait := background.start(working, o.TuneGC)
	defer wait()
	defer stopWorkers()

	fmt.Fprintf(stdout, "Inkfeed is at http://%s/\n", listener.Addr())
	servers := []graceful.Server{{Server: graceful.NewServer(handler, logger), Listener: listener}}
	if opsListener != nil {
		fmt.Fprintf(stdout, "Metrics are at http://%s/metrics\n", opsListener.Addr())
		handler := ops.Handler(ops.Options{Metrics: registry, Verify: pagecache.Verifier(background.pages.cache()),
			Ready: ready, Behind: background.behind(o.LagLimit, store.DeadLetters), Profiles: o.Pprof,
			Hosts: o.OpsHosts})
		servers = append(servers, graceful.Server{Server: graceful.NewServer(handler, logger), Listener: opsListener})
	}
	o.Stopping.Logger = logger
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
