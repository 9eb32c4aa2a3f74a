package cli

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"inkfeed/cosmos"
	cosmosfeeds "inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/domain"
	"inkfeed/domain/dependency"
	"inkfeed/domain/importing/jobs"
	"inkfeed/domain/markdown"
	"inkfeed/domain/picture"
	"inkfeed/domain/sample"
	"inkfeed/domain/screening"
	"inkfeed/static"
	"inkfeed/web"
	"inkfeed/web/cli/config"
	"inkfeed/web/garbage"
	"inkfeed/web/graceful"
	"inkfeed/web/mail"
	"inkfeed/web/ops"
	"inkfeed/web/pagecache"
	"inkfeed/web/settings"
	"inkfeed/workers"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/projection"
	"inkfeed/workers/schedule"
	"inkfeed/workers/search"
	"inkfeed/workers/tailer"
)

func setupServe(c *config.Config) func(context.Context, output) error {
	o := c.BindServe()
	return func(ctx context.Context, out output) error { return serve(ctx, c, o, out) }
}

// serve runs the blog until the context ends: the storage, what works in the background, and
// the servers, which stop in the other order.
func serve(ctx context.Context, c *config.Config, o *config.Serve, out output) error {
	if !o.Pprof {
		// That profiles are linked in has the runtime note where memory is allocated, which takes
		// three megabytes of it.
		runtime.MemProfileRate = 0
	}
	logger := slog.New(slog.NewTextHandler(out.stderr, nil))
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	var writes workers.WriteNotifier
	markdown := markdown.New()
	policy := screening.Policy{Markdown: markdown, Host: screening.HostOf(o.URL)}
	store, closeStore, err := c.Open(ctx, cosmos.Options{Metrics: client.NewMetrics(registry), OnWrite: writes.Notify,
		Review: func(ctx context.Context, author domain.User, before domain.Post, d domain.Draft) (domain.Hold, error) {
			return policy.Draft(ctx, author, before, d, time.Now())
		}}, logger)
	if err != nil {
		return err
	}
	defer closeStore()
	policy.Settings = store.Settings // before the scheduler runs, which asks
	files, err := c.OpenFiles()
	if err != nil {
		return err
	}
	if err := files.Prepare(ctx); err != nil {
		return fmt.Errorf("%s: %w", c.MediaSetting(), err)
	}
	c.TellOfMedia(logger)
	tellIfEmpty(ctx, store.Feed, logger)
	tellIfUngoverned(ctx, store.Users, logger)
	keys, err := c.SessionKeys()
	if err != nil {
		return err
	}

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
	pictures := picture.NewMaker()
	options := c.Workers(logger)
	options.Metrics = changefeed.NewMetrics(registry)
	background := newBackground(store, index, mailer, markdown, o, options, registry)
	background.hear(&writes)

	imports := jobs.NewRunner(jobs.Config{Jobs: store.ImportJobs, Users: store.Users, Posts: store.Posts, Drafts: store.Drafts,
		Records: store.Imports, Redirects: store.Redirects, Images: store.Images, Texts: store.Export, Files: files, Maker: pictures,
		Screen: func(ctx context.Context, author domain.User, before domain.Post, d domain.Draft) (domain.Hold, error) {
			return policy.Draft(ctx, author, before, d, time.Now())
		}, Logger: logger})
	background.imports = imports
	handler, err := web.New(web.Config{URL: o.URL, Tags: store.Tags, Users: store.Users, Sessions: store.Sessions, Secrets: store.Secrets, Mailer: mailer, Posts: store.Posts, Drafts: store.Drafts, Feed: store.Feed,
		Search: index,
		Images: store.Images, Files: files, Pictures: pictures,
		Export: store.Export, Imports: store.ImportJobs, WakeImports: imports.Wake, Redirects: store.Redirects, Reports: store.Reports, Reviews: store.Reviews, Audit: store.Audit,
		Settings: store.Settings, Closed: background.registration.Closed, Invitations: store.Invitations, SignupTime: o.SignupTime, DeletionGrace: o.DeletionGrace,
		Markdown: markdown, SessionKeys: keys, Ready: readyUntil(ctx, store.Ping), Behind: background.behind(o.LagLimit, store.DeadLetters), Proxies: o.Proxies, StrictTransport: o.StrictTransport,
		RateLimits: o.RateLimits, Counters: store.Counters, Cache: background.pages.cache(), Logger: logger})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("--addr or INKFEED_ADDR: %w", err)
	}
	defer listener.Close()
	inside, err := listenOps(o.OpsAddr)
	if err != nil {
		return err
	}

	// Workers outlive the web server: what the last requests wrote is
	// projected, or left to the next start.
	working, stopWorkers := context.WithCancel(context.WithoutCancel(ctx))
	wait := background.start(working, o.BoundGarbage)
	defer wait()
	defer stopWorkers()

	fmt.Fprintf(out.stdout, "Inkfeed is at http://%s/\n", listener.Addr())
	servers := []graceful.Server{{Server: graceful.NewServer(handler, logger), Listener: listener}}
	if inside != nil {
		fmt.Fprintf(out.stdout, "Metrics are at http://%s/metrics\n", inside.Addr())
		servers = append(servers, graceful.Server{Server: graceful.NewServer(ops.Handler(registry, pagecache.Verifier(background.pages.cache()), o.Pprof), logger), Listener: inside})
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

// background is what a server does besides answering.
type background struct {
	processors   projection.Processors
	search       *tailer.Tailer[domain.PostChange]
	pages        *pageCache
	registration *workers.RegistrationWatcher
	publisher    *schedule.Scheduler
	deleter      *schedule.Scheduler
	mailer       *mail.Mailer
	imports      *jobs.Runner
}

// deletionPoll is the interval at which a server looks for scheduled deletions that other servers stored. It reads those
// of the next minutes, and carries them out at their time.
const deletionPoll = 30 * time.Second

func newBackground(store *cosmos.Store, index *search.Index, mailer *mail.Mailer, markdown *markdown.Renderer,
	o *config.Serve, options changefeed.Options, registry *prometheus.Registry) *background {
	logger := options.Logger
	scheduleMetrics := schedule.NewMetrics(registry)
	b := &background{
		processors: projection.NewProcessors(store, markdown, options),
		search:     tailer.New("search", store.Posts.Changes(), index, tailer.Options{PollInterval: options.PollInterval, Logger: logger}),
		pages:      newPageCache(o.CacheBytes, store, options.PollInterval, registry, logger),
		publisher: schedule.NewPublisher(store.ScheduledPosts, store.Drafts,
			schedule.Options{Interval: o.SchedulePoll, Metrics: scheduleMetrics, Logger: logger}),
		deleter: schedule.NewDeleter(store.ScheduledDeletions, store.Users, settings.AbandonedDeletionMailer{Users: store.Users, Mailer: mailer, URL: o.URL, Logger: logger}.Mail,
			schedule.Options{Interval: deletionPoll, Metrics: scheduleMetrics, Logger: logger}),
		mailer: mailer,
	}
	b.registration = workers.NewRegistrationWatcher(store.Settings, b.pages.clear, logger)
	registry.MustRegister(b.search.Metrics()...)
	return b
}

// hear lets what this process writes be worked on at once, and its pages be dropped before
// the write is answered.
func (b *background) hear(writes *workers.WriteNotifier) {
	writes.Subscribe(b.pages.wrote)
	writes.Subscribe(func(part dependency.PartitionRef, _ dependency.Facets) {
		if part == settingsPart {
			b.registration.Wake()
		}
	})
	writes.WakeOnWrite("schedule", b.publisher)
	writes.WakeOnWrite("schedule", b.deleter)
	for container, processor := range b.processors {
		writes.WakeOnWrite(container, processor)
	}
	writes.WakeOnWrite("posts", b.search)
}

// settingsPart is where the settings of the site are.
var settingsPart = dependency.PartitionRef{Container: "moderation", Key: "settings"}

// start works until the context ends. The function that it returns waits for that.
func (b *background) start(ctx context.Context, boundGarbage bool) (wait func()) {
	projected := b.processors.Start(ctx)
	var others sync.WaitGroup
	for _, run := range []func(context.Context){b.publisher.Run, b.deleter.Run, b.registration.Run, b.imports.Run, b.search.Run, b.pages.run, b.mailer.Run} {
		others.Go(func() { run(ctx) })
	}
	if boundGarbage {
		others.Go(func() { garbage.Bound(ctx) })
	}
	others.Go(static.Pack)
	return func() { projected(); others.Wait() }
}

// behind reports how far the copies are behind, how many changes could not be projected, and which
// tailers have not reached the ends of their feeds.
func (b *background) behind(limit time.Duration, letters *cosmosfeeds.DeadLetters) func(context.Context) []string {
	estimators := make(map[string]workers.Estimator)
	for name, p := range b.processors {
		estimators[name] = p
	}
	tailers := append([]workers.TailerStatus{b.search}, b.pages.statuses()...)
	return workers.NewWatch(limit, estimators, letters, tailers...).Behind
}

// readyUntil is ready until the context ends, when visitors are to be sent elsewhere.
func readyUntil(ctx context.Context, ready func(context.Context) error) func(context.Context) error {
	return func(asking context.Context) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return ready(asking)
	}
}

// pageCache is the cache of pages with what tells it of changes; nil when pages are not kept.
type pageCache struct {
	*pagecache.Cache
	tailers *tailer.PageTailers
}

// maxPagePoll is how often the feeds are read at least of which pages are made: what another
// instance writes shows here within that, and the time that it takes to be projected.
const maxPagePoll = 600 * time.Millisecond

// pagePause is the least time between two reads of a range in which this process writes. Whoever
// wrote is shown pages made anew for longer than that; for others a tenth of a second is at
// once, and a burst of writes drops the pages that show it ten times a second, not forty.
const pagePause = 100 * time.Millisecond

func newPageCache(bytes int64, store *cosmos.Store, poll time.Duration, registry *prometheus.Registry, logger *slog.Logger) *pageCache {
	if bytes == 0 {
		return nil
	}
	cache := pagecache.NewCache(bytes)
	tailers := tailer.NewPageTailers(store.PartChanges(time.Now().Add(-tailer.PagesMargin)), cache,
		tailer.Options{PollInterval: min(poll, maxPagePoll), Pause: pagePause, Logger: logger})
	cache.Follow(tailers.Current)
	registry.MustRegister(append(tailers.Metrics(), cache)...)
	return &pageCache{cache, tailers}
}

// cache is what the site keeps pages in, or nil.
func (p *pageCache) cache() *pagecache.Cache {
	if p == nil {
		return nil
	}
	return p.Cache
}

// run follows what others write until the context ends.
func (p *pageCache) run(ctx context.Context) {
	if p != nil {
		p.tailers.Run(ctx)
	}
}

// statuses returns the statuses of the tailers, if there are any.
func (p *pageCache) statuses() []workers.TailerStatus {
	if p == nil {
		return nil
	}
	var all []workers.TailerStatus
	for _, t := range p.tailers.All() {
		all = append(all, t)
	}
	return all
}

// clear drops everything.
func (p *pageCache) clear() {
	if p != nil {
		p.Clear()
	}
}

// wrote drops what this process has changed, before it says that it has. The copies of posts in
// lists are left to the tailers, which can tell a new count from a new title, and look at once.
func (p *pageCache) wrote(part dependency.PartitionRef, aspects dependency.Facets) {
	if p == nil {
		return
	}
	switch part.Container {
	case "users":
		aspects &= dependency.FacetAccount | dependency.FacetReactions
	case "feed", "tags":
		aspects = 0
	}
	if aspects != 0 {
		p.Drop(part, aspects)
	}
	p.tailers.Wake(part.Container)
}

// hintTimeout is how long starting waits to find out what is worth telling.
const hintTimeout = 10 * time.Second

// tellIfEmpty tells whoever runs a new blog how to have something to look at. Readers
// could do nothing with that.
func tellIfEmpty(ctx context.Context, feed *copies.Feed, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, hintTimeout)
	defer cancel()
	if page, err := feed.FrontPage(ctx, 1); err == nil && len(page.Items) == 0 { // otherwise the front page shows it
		logger.Info("the blog is empty; for sample posts stop the server, run the command seed and start it again")
	}
}

// tellIfUngoverned tells whoever runs a site on which nobody decides about accounts, and
// nobody will come to by signing up, how to change that.
func tellIfUngoverned(ctx context.Context, users *cosmos.Users, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, hintTimeout)
	defer cancel()
	if governed, err := users.HasAdministrator(ctx); governed || err != nil {
		return
	}
	if name, err := users.SignedUpSince(ctx, sample.UsersEnd()); err == nil && name != "" {
		logger.Warn("nobody administers this site; to give a user that role run the command: inkfeed user promote NAME")
	}
}
