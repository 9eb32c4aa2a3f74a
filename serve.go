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
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"inkfeed/cosmos"
	"inkfeed/cosmos/embedded"
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
		estimators := make(map[string]workers.Estimator)
		for name, p := range processors {
			estimators[name] = p
		}
		watch := workers.NewWatch(limit, estimators, store.DeadLetters)
		handler, err := web.New(web.Config{Users: store.Users, Posts: store.Posts, Feed: store.Feed,
			Markdown: markdown, SessionKeys: keys, Ready: store.Ping, Behind: watch.Behind, Logger: logger})
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
	return &workers.UsersProjector{Users: store.Users, Posts: store.Posts, Logger: logger}
}

func postsProjector(store *cosmos.Store, markdown *domain.Markdown) *workers.PostsProjector {
	return &workers.PostsProjector{Users: store.Users, Feed: store.Feed, Posts: store.Posts, Markdown: markdown,
		Authorship: workers.Authorship{Authors: store.Users, Written: store.Posts}}
}

// rewritingProjector is the posts' projector that looks at what a copy says, too,
// not only at its version.
func rewritingProjector(store *cosmos.Store, markdown *domain.Markdown) *workers.PostsProjector {
	p := postsProjector(store, markdown)
	p.Rewrite = true
	return p
}

// projectors are the change feed processors this process runs.
type projectors struct {
	mu      sync.RWMutex // wake may come before start
	running map[string]processor
	started sync.WaitGroup
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

// wake lets what this process writes be projected at once.
func (p *projectors) wake(container string) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if processor := p.running[container]; processor != nil {
		processor.Wake()
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
