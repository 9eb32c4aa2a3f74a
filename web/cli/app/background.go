package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"inkfeed/cosmos"
	cosmosfeeds "inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain/importing/jobs"
	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
	"inkfeed/domain/picture"
	"inkfeed/domain/throttle"
	"inkfeed/static"
	"inkfeed/web"
	"inkfeed/web/cli/config"
	"inkfeed/web/gctune"
	"inkfeed/web/mail"
	"inkfeed/web/settings"
	"inkfeed/workers"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/delivery"
	"inkfeed/workers/embeds"
	"inkfeed/workers/fanout"
	"inkfeed/workers/loop"
	"inkfeed/workers/projection"
	"inkfeed/workers/schedule"
	"inkfeed/workers/search"
	"inkfeed/workers/tailer"
)

// background is the work of a server besides answering requests.
type background struct {
	processors projection.Processors
	search     *tailer.Tailer[feeds.PostChange]
	pages      *pageCache
	settings   *workers.SettingsWatcher
	pageList   *workers.PagesWatcher
	publisher  *schedule.Scheduler
	deleter    *schedule.Scheduler
	continuer  *schedule.Scheduler
	embedder   *schedule.Scheduler
	purger     *schedule.Scheduler
	mailer     *mail.Mailer
	dispatcher *delivery.Dispatcher
	mailings   mailings
	users      *projection.UsersProjector // for deliveries that were left
	logger     *slog.Logger
	imports    *jobs.Runner
	activity   *loop.Activity // nil: the server is always in use
	refreshes  singleflight.Group
}

// deletionPoll is the interval at which a server looks for account deletions that other servers scheduled. It
// reads deletions minutes before they are due, and carries out those that it has read on time.
const deletionPoll = 30 * time.Second

// purgePoll is the interval at which a server looks for posts whose time in the trash is over. It deletes those that it
// has read on time.
const purgePoll = time.Hour

// searchPause is the shortest interval between two reads of a feed range by the search index. It reads whole texts, so
// many likes of a post within a second cost one reading of it. A text that is published after a quieter second is found
// at once.
const searchPause = time.Second

func newBackground(store *cosmos.Store, index *search.Index, mailer *mail.Mailer, markdown *markdown.Renderer,
	pace *throttle.Pace, files picture.Files, maker *picture.Maker, imports *jobs.Runner, o *config.Serve,
	options changefeed.Options, registry *prometheus.Registry) *background {
	logger, activity := options.Logger, options.Activity
	scheduleMetrics := schedule.NewMetrics(registry)
	pages := newPageCache(o.CacheBytes, store, options.PollInterval, activity, registry, logger)
	current := workers.NewSettingsWatcher(store.Settings, pages.clear, activity, logger)
	fetcher := embeds.New(embeds.Config{Posts: store.Posts, Images: store.Images, Items: store.Embeds,
		Counters: store.Counters, Files: files, Maker: maker, Markdown: markdown, Settings: current.Current,
		Client: embeds.NewClient(embeds.DialPublic, nil), Logger: logger})
	fan := fanout.New(store.Follows, store.Deliveries, fanout.Options{MergeAbove: o.MergeAbove,
		// Each chunk has many writes under way, so it occupies all processors.
		Rest:    func(took time.Duration) time.Duration { return 2 * pace.Rest(took) },
		Entries: fanout.NewCounter(registry), Logger: logger})
	mails := newMailings(store, mailer, web.NewComposer(store, markdown, o.URL, current), current, pace, logger)
	b := &background{
		processors: projection.NewProcessors(store, markdown, pace, mails.mails, options),
		search: tailer.New("search", store.Posts.Changes(), index, tailer.Options{Activity: activity, Logger: logger,
			PollInterval: max(options.PollInterval, searchPause), Pause: searchPause}),
		pages:    pages,
		settings: current,
		pageList: workers.NewPagesWatcher(store.Pages, pages.clear, activity, logger),
		publisher: schedule.NewPublisher(store.ScheduledPosts, store.Drafts,
			schedule.Options{Interval: o.SchedulePoll, Activity: activity, Metrics: scheduleMetrics, Logger: logger}),
		deleter: schedule.NewDeleter(store.ScheduledDeletions, store.AccountDeletions,
			settings.AbandonedDeletionMailer{Users: store.Users, Credentials: store.Credentials, Mailer: mailer,
				URL: o.URL, Current: current, Languages: locale.NewSet(locale.All()...)}.Mail,
			schedule.Options{Interval: deletionPoll, Activity: activity, Metrics: scheduleMetrics, Logger: logger}),
		continuer: schedule.NewContinuer(store.Continuations, store.Users,
			schedule.Options{Interval: deletionPoll, Activity: activity, Metrics: scheduleMetrics, Logger: logger}),
		embedder: schedule.NewEmbedder(store.Embeds, fetcher,
			schedule.Options{Interval: deletionPoll, Activity: activity, Metrics: scheduleMetrics, Logger: logger}),
		purger: schedule.NewPurger(store.Purges, store.Posts,
			schedule.Options{Interval: purgePoll, Activity: activity, Metrics: scheduleMetrics, Logger: logger}),
		mailer: mailer,
		dispatcher: delivery.New(store.Deliveries, delivery.Transports{"mail": mailer, "timelines": fan,
			"mailings": mails.transport, "imports": mails.transport},
			delivery.Options{Interval: deletionPoll, Activity: activity, Rest: pace.Rest,
				Metrics: delivery.NewMetrics(registry), Logger: logger}),
		mailings: mails,
		imports:  imports,
		activity: activity,
		users:    projection.Users(store, logger),
		logger:   logger,
	}
	store.Deliveries.OnDue(b.dispatcher.Wake)
	registry.MustRegister(append(b.search.Metrics(), b.idleMetric())...)
	return b
}

// subscribe subscribes to the writes of this process: the workers process them at once, and the cache drops the pages
// that show them before the write is answered.
func (b *background) subscribe(writes *workers.WriteNotifier) {
	writes.Subscribe(b.pages.wrote)
	writes.Subscribe(func(part dependency.PartitionRef, _ dependency.Facets) {
		if part == settingsPart {
			b.settings.Wake()
			b.pageList.Wake()
		}
	})
	writes.WakeOnWrite("schedule", b.publisher)
	writes.WakeOnWrite("schedule", b.deleter)
	writes.WakeOnWrite("schedule", b.continuer)
	writes.WakeOnWrite("schedule", b.embedder)
	for container, processor := range b.processors {
		writes.WakeOnWrite(container, processor)
	}
	writes.WakeOnWrite("posts", b.search)
	// A write counts as use, so that a scheduled post, for example, is projected at once.
	writes.Subscribe(func(part dependency.PartitionRef, _ dependency.Facets) {
		if b.processors[part.Container] != nil {
			b.activity.Use()
		}
	})
}

// settingsPart is the partition with the settings of the site and the list of its static pages.
var settingsPart = dependency.PartitionRef{Container: "moderation", Key: "settings"}

// firstReadTime bounds the time that a start waits for what the site says about itself.
const firstReadTime = 5 * time.Second

// readSite reads the settings and the list of static pages, so that the first visitors see the site as it is. While the
// storage does not answer, the server starts with the default settings.
func (b *background) readSite(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, firstReadTime)
	defer cancel()
	b.settings.Read(ctx)
	b.pageList.Read(ctx)
}

// start starts the work, which goes on until the context ends. The returned function waits for the end.
func (b *background) start(ctx context.Context, tuneGC bool) (wait func()) {
	projected := b.processors.Start(ctx)
	var others sync.WaitGroup
	for _, run := range []func(context.Context){b.publisher.Run, b.deleter.Run, b.continuer.Run, b.embedder.Run,
		b.purger.Run, b.dispatcher.Run, b.mailer.Check, b.forwardLeft,
		b.settings.Run, b.pageList.Run, b.imports.Run, b.search.Run, b.pages.run} {
		others.Go(func() { run(ctx) })
	}
	if tuneGC {
		others.Go(func() { gctune.Run(ctx) })
	}
	if b.mailings.mails != nil {
		others.Go(func() { b.mailings.digester.Run(ctx) })
	}
	others.Go(static.Pack)
	return func() { projected(); others.Wait() }
}

// forwardPause is the interval at which a server looks for deliveries that were left.
const forwardPause = 10 * time.Minute

// forwardLeft forwards the deliveries that were left, now and then, until the context ends.
func (b *background) forwardLeft(ctx context.Context) {
	for ctx.Err() == nil {
		if err := b.users.ForwardLeft(ctx); err != nil && ctx.Err() == nil {
			b.logger.WarnContext(ctx, "cannot forward deliveries that were left", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(forwardPause):
		}
	}
}

// tailers returns the tailers of this process.
func (b *background) tailers() []workers.TailerStatus {
	return append([]workers.TailerStatus{b.search}, b.pages.statuses()...)
}

// behind returns a function that lists the reasons for outdated pages: copies that lag behind, changes that could
// not be projected, and tailers that have not reached the ends of their feeds.
func (b *background) behind(limit time.Duration, letters *cosmosfeeds.DeadLetters) func(context.Context) []string {
	return workers.NewLagReport(limit, b.processors.Estimators(), letters, b.tailers()...).Behind
}
