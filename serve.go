package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/domain/sample"
	"inkfeed/static"
	"inkfeed/web"
	"inkfeed/web/garbage"
	"inkfeed/web/graceful"
	"inkfeed/web/mail"
	"inkfeed/web/ops"
	"inkfeed/workers"
	"inkfeed/workers/search"
)

func setupServe(flags *flag.FlagSet, c *config) func(context.Context, output) error {
	c.obeyAddr(flags, defaultAddr, "listen on this `host:port`")
	c.obeyOps(flags)
	c.keepsFiles = true
	c.obeyStore(flags)
	c.obeyMedia(flags)
	c.obeySessionKeys()
	c.obeyIntervals(flags)
	var url string
	c.obeyURL(flags, &url)
	var mailing mail.Options
	c.obeyMail(&url, &mailing)
	var strictTransport string
	c.obeyStrictTransport(flags, &strictTransport)
	var proxies web.Proxies
	c.obeyProxies(flags, &proxies)
	var limits web.RateLimits
	c.obeyRateLimits(flags, &limits)
	var signupTime time.Duration
	c.obeySignupTime(flags, &signupTime)
	var stopping graceful.Options
	c.obeyStopping(flags, &stopping)
	var grace time.Duration
	c.obeyDeletionGrace(flags, &grace)
	var cacheSize int64
	c.obeyCache(flags, &cacheSize)
	var limit time.Duration
	var schedulePoll time.Duration
	c.obeyDuration(flags, &schedulePoll, "schedule-poll", "INKFEED_SCHEDULE_POLL", "2s", "look this often for drafts to publish that other processes scheduled")
	c.obeyDuration(flags, &limit, "lag-limit", "INKFEED_LAG_LIMIT", "1m", "say on /readyz when workers are behind by more")
	return func(ctx context.Context, out output) error {
		logger := slog.New(slog.NewTextHandler(out.stderr, nil))
		registry := prometheus.NewRegistry()
		registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

		var projectors projectors
		markdown := domain.NewMarkdown()
		screening := domain.Screening{Markdown: markdown, Host: domain.HostOf(url)}
		store, closeStore, err := c.open(ctx, cosmos.Options{Metrics: cosmos.NewMetrics(registry), OnWrite: projectors.wrote,
			Review: func(ctx context.Context, author domain.User, before domain.Post, d domain.Draft) (domain.Hold, error) {
				return screening.Draft(ctx, author, before, d, time.Now())
			}}, logger)
		if err != nil {
			return err
		}
		defer closeStore()
		screening.Settings = store.Settings // before the scheduler runs, which asks
		files, err := c.openFiles()
		if err != nil {
			return err
		}
		if err := files.Prepare(ctx); err != nil {
			return fmt.Errorf("%s: %w", c.mediaSetting(), err)
		}
		c.tellOfMedia(logger)
		tellIfEmpty(ctx, store.Feed, logger)
		tellIfUngoverned(ctx, store.Users, logger)
		keys, err := c.loadSessionKeys()
		if err != nil {
			return err
		}
		options := c.workers(logger)
		options.Metrics = workers.NewMetrics(registry)
		processors := newProcessors(store, markdown, options)
		index, err := search.Open(c.data, markdown, logger)
		if err != nil {
			return fmt.Errorf("--data or INKFEED_DATA: %w", err)
		}
		defer index.Close()
		tailer := workers.NewTailer("search", store.Posts.Changes(), index, workers.TailerOptions{PollInterval: c.intervals.poll, Logger: logger})
		registry.MustRegister(tailer.Metric())
		projectors.tailer.Store(tailer)
		pages := newPageCache(cacheSize, store, c.intervals.poll, registry, logger)
		projectors.pages.Store(pages)
		door := workers.NewDoor(store.Settings, pages.clear, logger)
		projectors.door.Store(door)
		scheduler := workers.NewScheduler(store.Schedule, store.Drafts,
			workers.SchedulerOptions{Interval: schedulePoll, Metrics: options.Metrics, Logger: logger})
		projectors.scheduler.Store(scheduler)
		estimators := make(map[string]workers.Estimator)
		for name, p := range processors {
			estimators[name] = p
		}
		watch := workers.NewWatch(limit, estimators, store.DeadLetters)
		mailing.Outbox, mailing.Logger = filepath.Join(c.data, "outbox"), logger
		mailer, err := mail.New(mailing)
		if err != nil {
			return err
		}
		departures := workers.NewDepartures(store.Departures, store.Users, web.Kept{Users: store.Users, Mailer: mailer, URL: url, Logger: logger}.Tell,
			workers.SchedulerOptions{Interval: departurePoll, Metrics: options.Metrics, Logger: logger})
		projectors.departures.Store(departures)
		handler, err := web.New(web.Config{URL: url, Tags: store.Tags, Users: store.Users, Sessions: store.Sessions, Secrets: store.Secrets, Mailer: mailer, Posts: store.Posts, Drafts: store.Drafts, Feed: store.Feed,
			Search: index,
			Images: store.Images, Files: files, Pictures: picture.NewMaker(),
			Export: store.Export, Redirects: store.Redirects, Reports: store.Reports, Reviews: store.Reviews, Audit: store.Audit,
			Settings: store.Settings, Closed: door.Closed, Invitations: store.Invitations, SignupTime: signupTime, DeletionGrace: grace,
			Markdown: markdown, SessionKeys: keys, Ready: readyUntil(ctx, store.Ping), Behind: watch.Behind, Proxies: proxies, StrictTransport: strictTransport,
			RateLimits: limits, Counters: store.Counters, Cache: pages.cache(), Logger: logger})
		if err != nil {
			return err
		}
		listener, err := net.Listen("tcp", c.addr)
		if err != nil {
			return fmt.Errorf("--addr or INKFEED_ADDR: %w", err)
		}
		defer listener.Close()
		inside, err := listenOps(c.opsAddr)
		if err != nil {
			return err
		}

		// Workers outlive the web server: what the last requests wrote is
		// projected, or left to the next start.
		working, stopWorkers := context.WithCancel(context.WithoutCancel(ctx))
		projectors.start(working, processors)
		projectors.started.Go(func() { scheduler.Run(working) })
		projectors.started.Go(func() { departures.Run(working) })
		projectors.started.Go(func() { door.Run(working) })
		projectors.started.Go(func() { tailer.Run(working) })
		projectors.started.Go(func() { pages.run(working) })
		projectors.started.Go(func() { mailer.Run(working) })
		if c.getenv("GOGC") == "" {
			projectors.started.Go(func() { garbage.Bound(working) })
		}
		projectors.started.Go(static.Pack)
		defer projectors.wait()
		defer stopWorkers()

		fmt.Fprintf(out.stdout, "Inkfeed is at http://%s/\n", listener.Addr())
		servers := []graceful.Server{{Server: newServer(handler, logger), Listener: listener}}
		if inside != nil {
			fmt.Fprintf(out.stdout, "Metrics are at http://%s/metrics\n", inside.Addr())
			servers = append(servers, graceful.Server{Server: newServer(ops.Handler(registry, web.Verifier(pages.cache()), c.pprof), logger), Listener: inside})
		}
		stopping.Logger = logger
		return graceful.Serve(ctx, stopping, servers...)
	}
}

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

// pageCache is the cache of pages with what tells it of changes; nil when pages are not kept.
type pageCache struct {
	*web.Cache
	tailers *workers.PageTailers
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
	cache := web.NewCache(bytes)
	tailers := workers.NewPageTailers(store.PartChanges(time.Now().Add(-workers.PagesMargin)), cache,
		workers.TailerOptions{PollInterval: min(poll, maxPagePoll), Pause: pagePause, Logger: logger})
	cache.Follow(tailers.Current)
	registry.MustRegister(append(tailers.Metrics(), cache)...)
	return &pageCache{cache, tailers}
}

// cache is what the site keeps pages in, or nil.
func (p *pageCache) cache() *web.Cache {
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

// clear drops everything.
func (p *pageCache) clear() {
	if p != nil {
		p.Clear()
	}
}

// wrote drops what this process has changed, before it says that it has. The copies of posts in
// lists are left to the tailers, which can tell a new count from a new title, and look at once.
func (p *pageCache) wrote(part domain.Part, aspects domain.Aspects) {
	if p == nil {
		return
	}
	switch part.Container {
	case "users":
		aspects &= domain.AspectAccount | domain.AspectMarks
	case "feed", "tags":
		aspects = 0
	}
	if aspects != 0 {
		p.Drop(part, aspects)
	}
	p.tailers.Wake(part.Container)
}

// maxCache is, in megabytes, more memory than any machine has.
const maxCache = 1 << 20

// obeyCache registers how much memory pages are kept in.
func (c *config) obeyCache(flags *flag.FlagSet, bytes *int64) {
	text := flags.String("cache-mb", c.or("INKFEED_CACHE_MB", "64"), "keep pages ready in so many `megabytes`, until what they show changes; 0: make each anew (INKFEED_CACHE_MB)")
	c.checking(func() error {
		n, err := strconv.ParseInt(*text, 10, 64)
		if err != nil || n < 0 || n > maxCache {
			return fmt.Errorf("--cache-mb or INKFEED_CACHE_MB: %q is no number of megabytes", *text)
		}
		*bytes = n << 20
		return nil
	})
}

// tellOfMedia tells whoever runs several servers what they have to share: those of an
// engine on this machine only have to be given the same folder.
func (c *config) tellOfMedia(logger *slog.Logger) {
	if c.embedded() || c.keepsBlobs() {
		return
	}
	level := slog.LevelWarn
	if c.onThisMachine() {
		level = slog.LevelInfo
	}
	logger.Log(context.Background(), level, "pictures are kept in a folder of this machine, which other instances on the account have to share", "folder", c.mediaPath())
}

// tellIfEmpty tells whoever runs a new blog how to have something to look at. Readers
// could do nothing with that.
func tellIfEmpty(ctx context.Context, feed *cosmos.Feed, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, readHeaderTimeout)
	defer cancel()
	if page, err := feed.FrontPage(ctx, 1); err == nil && len(page.Items) == 0 { // otherwise the front page shows it
		logger.Info("the blog is empty; for sample posts stop the server, run the command seed and start it again")
	}
}

// tellIfUngoverned tells whoever runs a site on which nobody decides about accounts, and
// nobody will come to by signing up, how to change that.
func tellIfUngoverned(ctx context.Context, users *cosmos.Users, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, readHeaderTimeout)
	defer cancel()
	if governed, err := users.HasAdministrator(ctx); governed || err != nil {
		return
	}
	if name, err := users.SignedUpSince(ctx, sample.UsersEnd()); err == nil && name != "" {
		logger.Warn("nobody administers this site; to give a user that role run the command: inkfeed user promote NAME")
	}
}

// Limits of a connection, so that a slow client holds no more than itself.
const (
	readHeaderTimeout = 10 * time.Second
	maxHeader         = 64 << 10
	readTimeout       = 60 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 2 * time.Minute
)

func newServer(handler http.Handler, logger *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		MaxHeaderBytes:    maxHeader,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
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

// obeyStopping registers how long it takes to stop. By default there is time to release
// leases within the 10 seconds that containers are given.
func (c *config) obeyStopping(flags *flag.FlagSet, o *graceful.Options) {
	c.obeyDuration(flags, &o.Drain, "drain-time", "INKFEED_DRAIN_TIME", "250ms", "when told to stop take requests for so long still, while /readyz says that others are to be asked")
	c.obeyDuration(flags, &o.Finish, "finish-time", "INKFEED_FINISH_TIME", "6s", "cut requests off that are not answered so long after that")
}

// obeySignupTime registers how long people take to sign up at least.
func (c *config) obeySignupTime(flags *flag.FlagSet, least *time.Duration) {
	text := flags.String("signup-time", c.or("INKFEED_SIGNUP_TIME", web.DefaultSignupTime.String()), "people take this `time` to sign up at least and, while their accounts are new, to write: who is faster is asked to try again; 0: nobody is (INKFEED_SIGNUP_TIME)")
	c.checking(func() error {
		var err error
		if *least, err = time.ParseDuration(*text); err != nil || *least < 0 {
			return fmt.Errorf("--signup-time or INKFEED_SIGNUP_TIME: %q is not a time such as 2s", *text)
		}
		return nil
	})
}

// departurePoll is how often a server looks for accounts that are to be deleted of which
// another one knows. What it knows of, minutes before, it deletes at the time.
const departurePoll = 30 * time.Second

// maxDeletionGrace is more than anybody waits.
const maxDeletionGrace = 365 * 24 * time.Hour

// obeyDeletionGrace registers how long accounts stay that are to be deleted.
func (c *config) obeyDeletionGrace(flags *flag.FlagSet, grace *time.Duration) {
	text := flags.String("deletion-grace", c.or("INKFEED_DELETION_GRACE", "14d"), "delete an account so long after its user asked for it, a `time` such as 14d or 36h, in which the user can take it back; 0: at once (INKFEED_DELETION_GRACE)")
	c.checking(func() error {
		var err error
		if days, ok := strings.CutSuffix(*text, "d"); ok {
			var n int
			n, err = strconv.Atoi(days)
			*grace = time.Duration(min(max(n, -1), 1000)) * 24 * time.Hour
		} else {
			*grace, err = time.ParseDuration(*text)
		}
		if err != nil || *grace < 0 || *grace > maxDeletionGrace {
			return fmt.Errorf("--deletion-grace or INKFEED_DELETION_GRACE: %q is not a time such as 14d or 36h, of a year at most", *text)
		}
		return nil
	})
}

// obeyURL registers the address at which the world finds the site.
func (c *config) obeyURL(flags *flag.FlagSet, url *string) {
	text := flags.String("url", c.getenv("INKFEED_URL"), "the world finds the site at this `address`, such as https://blog.example.org; empty: where each request was sent (INKFEED_URL)")
	c.checking(func() error {
		if *text == "" {
			return nil
		}
		parsed, err := web.ParseURL(*text)
		if err != nil {
			return fmt.Errorf("--url or INKFEED_URL: %q is %w", *text, err)
		}
		*url = parsed
		return nil
	})
}

// obeyStrictTransport registers what browsers are told that came encrypted.
func (c *config) obeyStrictTransport(flags *flag.FlagSet, header *string) {
	text := flags.String("hsts", c.or("INKFEED_HSTS", web.DefaultStrictTransport), "tell browsers that came encrypted to come so only, in the `words` of Strict-Transport-Security: max-age=63072000; includeSubDomains; preload; off: do not (INKFEED_HSTS)")
	c.checking(func() (err error) {
		if *header, err = web.ParseStrictTransport(*text); err != nil {
			return fmt.Errorf("--hsts or INKFEED_HSTS: %w", err)
		}
		return nil
	})
}

// obeyProxies registers whose word is believed about where a request comes from.
func (c *config) obeyProxies(flags *flag.FlagSet, proxies *web.Proxies) {
	text := flags.String("trusted-proxies", c.getenv("INKFEED_TRUSTED_PROXIES"), "believe X-Forwarded-For and X-Forwarded-Proto from these `addresses`, such as 10.0.0.7,10.1.0.0/16; loopback: this machine; empty: nobody (INKFEED_TRUSTED_PROXIES)")
	c.checking(func() (err error) {
		if *proxies, err = web.ParseProxies(*text); err != nil {
			return fmt.Errorf("--trusted-proxies or INKFEED_TRUSTED_PROXIES: %w", err)
		}
		return nil
	})
}

// obeyRateLimits registers how often visitors may do what. Without limits only who is on
// this machine can reach the server, as a load test does.
func (c *config) obeyRateLimits(flags *flag.FlagSet, limits *web.RateLimits) {
	text := flags.String("rate-limits", c.getenv("INKFEED_RATE_LIMITS"), "`limits` other than the usual, such as login=5/15m,search=off (docs/security.md lists them); off: none, on loopback addresses only (INKFEED_RATE_LIMITS)")
	c.checking(func() (err error) {
		if *limits, err = web.ParseRateLimits(*text); err != nil {
			return fmt.Errorf("--rate-limits or INKFEED_RATE_LIMITS: %w", err)
		}
		if host, _, _ := net.SplitHostPort(c.addr); limits.Off() && !isLoopback(host) {
			return fmt.Errorf("--rate-limits or INKFEED_RATE_LIMITS: cannot be off on %s, which is not a loopback address", c.addr)
		}
		return nil
	})
}

// obeyMail registers how mails are sent. What says so may hold a password, and has no flag.
func (c *config) obeyMail(url *string, options *mail.Options) {
	c.variables = append(c.variables, "INKFEED_SMTP_URL and INKFEED_MAIL_FROM: a mail server, and who mails are from; without them mails go to the folder outbox of the data")
	options.SMTP, options.From = c.getenv("INKFEED_SMTP_URL"), c.getenv("INKFEED_MAIL_FROM")
	c.checking(func() error {
		if _, err := mail.New(*options); err != nil {
			return err
		}
		if options.SMTP != "" && *url == "" {
			return errors.New("INKFEED_SMTP_URL: needs --url or INKFEED_URL, for the links in mails must not lead where whoever asks for them likes")
		}
		return nil
	})
}

// obeySessionKeys registers the secrets of the session cookies. They have no
// flag: other users of a machine can read a process's arguments.
func (c *config) obeySessionKeys() {
	c.variables = append(c.variables, "INKFEED_SESSION_KEYS: needed with an account")
	c.checking(func() error {
		if _, err := parseSessionKeys(c.sessionKeys); c.sessionKeys != "" && err != nil {
			return fmt.Errorf("INKFEED_SESSION_KEYS: %w", err)
		}
		if c.sessionKeys == "" && !c.embedded() {
			return errors.New("INKFEED_SESSION_KEYS: not set; instances on a Cosmos DB account must share their keys")
		}
		return nil
	})
}

// minSessionKey is the least length of a session key in bytes.
const minSessionKey = 32

func parseSessionKeys(text string) ([][]byte, error) {
	var keys [][]byte
	for i, part := range strings.Split(text, ",") {
		key, err := hex.DecodeString(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("key %d is not hexadecimal", i+1)
		}
		if len(key) < minSessionKey {
			return nil, fmt.Errorf("key %d has %d bytes, fewer than %d", i+1, len(key), minSessionKey)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// loadSessionKeys returns the configured keys or, on the embedded engine, the
// one made for this data directory, making it first if there is none.
func (c *config) loadSessionKeys() ([][]byte, error) {
	if c.sessionKeys != "" {
		return parseSessionKeys(c.sessionKeys)
	}
	path := filepath.Join(c.data, "session.key")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		key := make([]byte, minSessionKey)
		rand.Read(key)
		text = []byte(hex.EncodeToString(key) + "\n")
		err = embedded.WritePrivate(path, text)
	}
	if err != nil {
		return nil, fmt.Errorf("session key: %w", err)
	}
	keys, err := parseSessionKeys(string(bytes.TrimSpace(text)))
	if err != nil {
		return nil, fmt.Errorf("session key in %s: %w", path, err)
	}
	return keys, nil
}

// processor is what commands need of a change feed processor, whatever it reads.
type processor interface {
	Run(ctx context.Context)
	Wake()
	CaughtUp(ctx context.Context) (bool, error)
	Lag(ctx context.Context) ([]workers.RangeLag, error)
	RecentLag(ctx context.Context) ([]workers.RangeLag, error)
	Retry(ctx context.Context, l domain.DeadLetter) error
}

// projections names the processors by the containers that they read, in the
// order in which it is best to ask them: users change posts.
var projections = [...]string{"users", "posts"}

// newProcessors makes the processors that keep the views current.
func newProcessors(store *cosmos.Store, markdown *domain.Markdown, options workers.Options) map[string]processor {
	return processorsOf(store, postsProjector(store, markdown), options)
}

// newRetriers makes the processors that project dead letters' items again.
func newRetriers(store *cosmos.Store, options workers.Options) map[string]processor {
	return processorsOf(store, rewritingProjector(store, domain.NewMarkdown()), options)
}

func processorsOf(store *cosmos.Store, posts *workers.PostsProjector, options workers.Options) map[string]processor {
	return map[string]processor{
		"users": workers.NewProcessor("users", store.Users.Changes(), store.Leases, store.DeadLetters,
			usersProjector(store, options.Logger), options),
		"posts": workers.NewProcessor("posts", store.Posts.Changes(), store.Leases, store.DeadLetters, posts, options),
	}
}

func usersProjector(store *cosmos.Store, logger *slog.Logger) *workers.UsersProjector {
	return &workers.UsersProjector{Users: store.Users, Posts: store.Posts, Drafts: store.Drafts, Schedule: store.Schedule, Departures: store.Departures, Images: store.Images, Logger: logger}
}

func postsProjector(store *cosmos.Store, markdown *domain.Markdown) *workers.PostsProjector {
	return &workers.PostsProjector{Users: store.Users, Feed: store.Feed, Tags: store.Tags, Posts: store.Posts,
		Drafts: store.Drafts, Reviews: store.Reviews, Markdown: markdown,
		Authorship: workers.Authorship{Authors: store.Users, Written: store.Posts}}
}

// rewritingProjector is the posts' projector that looks at what a copy says, too,
// not only at its version.
func rewritingProjector(store *cosmos.Store, markdown *domain.Markdown) *workers.PostsProjector {
	p := postsProjector(store, markdown)
	p.Rewrite = true
	return p
}

// settingsPart is where the settings of the site are.
var settingsPart = domain.Part{Container: "moderation", Key: "settings"}

// scheduleContainer is what the schedulers read.
const scheduleContainer = "schedule"

// projectors are the change feed processors this process runs.
type projectors struct {
	mu      sync.RWMutex // wake may come before start
	running map[string]processor
	started sync.WaitGroup
	// scheduler is woken by what this process schedules; nil but in serve.
	scheduler atomic.Pointer[workers.Scheduler]
	// departures is woken by whoever is to be deleted; nil but in serve.
	departures atomic.Pointer[workers.Scheduler]
	// tailer brings what this process writes to its search index; nil but in serve.
	tailer atomic.Pointer[workers.Tailer[domain.PostChange]]
	// pages are dropped by what this process writes; nil but in serve.
	pages atomic.Pointer[pageCache]
	// door is woken by changed settings of the site; nil but in serve.
	door atomic.Pointer[workers.Door]
}

func (p *projectors) start(ctx context.Context, processors map[string]processor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = processors
	for _, processor := range processors {
		p.started.Go(func() { processor.Run(ctx) })
	}
}

func (p *projectors) wait() { p.started.Wait() }

// wrote is told of each write of this process, before it is answered.
func (p *projectors) wrote(part domain.Part, aspects domain.Aspects) {
	p.pages.Load().wrote(part, aspects)
	if door := p.door.Load(); door != nil && part == settingsPart {
		door.Wake()
	}
	p.wake(part.Container)
}

// wake lets what this process writes be projected at once.
func (p *projectors) wake(container string) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if container == scheduleContainer {
		for _, scheduler := range []*workers.Scheduler{p.scheduler.Load(), p.departures.Load()} {
			if scheduler != nil {
				scheduler.Wake()
			}
		}
	}
	if processor := p.running[container]; processor != nil {
		processor.Wake()
	}
	if tailer := p.tailer.Load(); tailer != nil && container == "posts" {
		tailer.Wake()
	}
}

// caughtUp reports whether the processors have projected all there is. Each
// writes what the other reads, so both must be idle at once.
func caughtUp(ctx context.Context, processors map[string]processor) (bool, error) {
	for range 2 {
		for _, name := range projections {
			if ok, err := processors[name].CaughtUp(ctx); !ok || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// Waiting for workers asks seldomer the longer it takes, for asking has its price,
// and tells at times what there is to wait for.
const (
	askFirst  = 100 * time.Millisecond
	askEvery  = 2 * time.Second
	tellAfter = 10 * time.Second
)

// waitUntil asks until the answer is yes.
func waitUntil(ctx context.Context, ask func(context.Context) (bool, error), tell func(context.Context)) error {
	pause := askFirst
	for last := time.Now(); ; pause = min(pause*5/4, askEvery) {
		ok, err := ask(ctx)
		if ok || err != nil {
			return err
		}
		if time.Since(last) >= tellAfter {
			tell(ctx)
			last = time.Now()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// catchUp runs the workers until every copy is current. changes is about how
// many there are to project, or unknown.
func catchUp(ctx context.Context, c *config, store *cosmos.Store, changes int64, logger *slog.Logger, w io.Writer) error {
	return runWorkers(ctx, c, store, changes, logger, w, caughtUp)
}

// runWorkers runs the workers until they are done.
func runWorkers(ctx context.Context, c *config, store *cosmos.Store, changes int64, logger *slog.Logger, w io.Writer,
	done func(context.Context, map[string]processor) (bool, error)) error {
	working, stop := context.WithCancel(ctx)
	bar := newBar(w, changes, "views")
	options := c.workers(logger)
	options.OnProjected = func(n int) { advance(bar, int64(n)) }
	processors := newProcessors(store, domain.NewMarkdown(), options)
	var p projectors
	p.start(working, processors)
	err := waitUntil(ctx,
		func(ctx context.Context) (bool, error) { return done(ctx, processors) },
		func(ctx context.Context) {
			for _, line := range waitingFor(ctx, processors, options) {
				say(bar, line)
			}
		})
	stop()
	p.wait()
	return errors.Join(err, bar.Finish(), bar.Close())
}

// waitingFor says what is yet to be projected, and who is to do it: the leases of
// a process that was killed have to expire before another one goes on.
func waitingFor(ctx context.Context, processors map[string]processor, o workers.Options) []string {
	var lines []string
	for _, name := range projections {
		lags, err := processors[name].Lag(ctx)
		if err != nil {
			lines = append(lines, fmt.Sprintf("waiting: how far %s is behind is not known: %v", name, err))
		}
		for _, lag := range lags {
			if lag.Transactions == 0 {
				continue
			}
			line := fmt.Sprintf("waiting: %s %s", name, lag)
			switch lag.Owner {
			case o.Instance:
			case "":
				line += "; nobody has the lease yet"
			default:
				line += fmt.Sprintf("; %s has the lease, which this process takes within %s if that one is dead",
					lag.Owner, o.Expiration+o.AcquireInterval)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// workers are the options of the processors of this process.
func (c *config) workers(logger *slog.Logger) workers.Options {
	return workers.Options{Instance: c.instance(), AcquireInterval: c.intervals.acquire, RenewInterval: c.intervals.renew,
		Expiration: c.intervals.expiration, PollInterval: c.intervals.poll, Logger: logger}
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
