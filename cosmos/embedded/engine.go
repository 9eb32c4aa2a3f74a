package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/execution"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/storage"
)

// WellKnownKey is the account key of every Cosmos DB emulator. It is public and protects nothing.
const WellKnownKey = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="

// Options are the settings of an Engine. The zero value is valid.
type Options struct {
	Key    string       // account key in base64; "" means WellKnownKey
	Ranges int          // minimum number of feed ranges of a new container; 0 means 1
	Logger *slog.Logger // nil discards the log

	// SecondaryKey is a second account key in base64, which is accepted like the first. So clients can
	// change to another key one by one, as on the service. "" means none.
	SecondaryKey string

	// Identity describes the account to clients.
	Identity Identity

	// EnforceThroughput limits the request charges per second to the throughput of the container
	// or, if the container has none, of its database. Each feed range has an equal share. Requests
	// beyond it are answered 429.
	EnforceThroughput bool
	// Throughput is the throughput in RU/s of containers for which none was set; 0 means 400.
	Throughput int

	// Permissive allows cross-partition queries that the service's gateway rejects: ORDER BY, TOP,
	// OFFSET, DISTINCT, GROUP BY and aggregates.
	Permissive bool

	// SplitPages is a random seed for tests. Unless it is 0, the pages of queries and change feeds
	// end at random positions: after 1 to 16 items whatever the client asks for, before the first
	// item, or within an aggregate. The service may end a page anywhere, so programs must cope with
	// it.
	SplitPages uint64
}

// MaxRanges is the maximum number of feed ranges of a container.
const MaxRanges = catalog.MaxRanges

// Engine serves the databases of one data directory. It is safe for concurrent use.
type Engine struct {
	key        string
	macs       []*sync.Pool // for each account key, hash.Hash values keyed with it
	endpoint   string
	identity   Identity
	ranges     int
	enforce    bool
	throughput int
	permissive bool
	splitter   *execution.PageSplitter
	log        *slog.Logger
	now        func() time.Time // clock for items and their expiry
	batchTime  time.Duration
	sliceSteps int // see execution.PageOptions

	store   *storage.Store
	catalog *atomic.Pointer[catalog.Catalog] // replaced by the writer
	plans   *execution.PlanCache

	// conditions are those of patches. They have no parameters and may have many texts, which would
	// displace queries from plans.
	conditions *execution.PlanCache

	writer    *items.Writer
	stopPurge chan struct{}
	stop      func() // closes stopPurge

	mu     sync.RWMutex // requests hold a read lock once their body has arrived; Close holds the write lock
	closed bool
}

// engines numbers the engines of this process. The SDK caches account data by host name, so each
// engine needs its own.
var engines atomic.Int64

// Open starts an engine on a data directory and creates the directory if it does not exist. It
// fails if another Engine or another process uses the directory, or if the database file does not
// belong to this engine.
func Open(dir string, o Options) (*Engine, error) {
	return open(dir, o, time.Now)
}

func open(dir string, o Options, now func() time.Time) (*Engine, error) {
	if o.Key == "" {
		o.Key = WellKnownKey
	}
	macs, err := keyedHashes(o.Key, o.SecondaryKey)
	if err != nil {
		return nil, err
	}
	if o.Ranges < 0 || o.Ranges > MaxRanges {
		return nil, fmt.Errorf("the number of feed ranges is %d, not from 1 to %d", o.Ranges, MaxRanges)
	}
	if o.Throughput == 0 {
		o.Throughput = defaultThroughput
	}
	if o.Throughput < 0 {
		return nil, fmt.Errorf("the throughput %d RU/s is negative", o.Throughput)
	}
	identity, err := o.Identity.complete()
	if err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s, err := storage.Open(dir, o.Logger)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		key: o.Key, macs: macs, identity: identity, ranges: max(o.Ranges, 1), log: o.Logger, now: now,
		enforce: o.EnforceThroughput, throughput: o.Throughput, permissive: o.Permissive,
		splitter: execution.NewPageSplitter(o.SplitPages), batchTime: maxBatchTime,
		endpoint: fmt.Sprintf("https://e%d.inkfeed.internal:443/", engines.Add(1)),
		store:    s, catalog: new(atomic.Pointer[catalog.Catalog]), plans: execution.NewPlanCache(query.Parse),
		conditions: execution.NewPlanCache(query.ParseCondition),
		stopPurge:  make(chan struct{}),
	}
	e.stop = sync.OnceFunc(func() { close(e.stopPurge) })
	cat, err := catalog.Load(s.Writer)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the definitions of %s: %w", dir, err), s.Close())
	}
	e.catalog.Store(cat)
	e.writer = items.StartWriter(s, e.catalog, o.Logger, now)
	go e.purgeLoop()
	return e, nil
}

// Endpoint returns the address for a client whose Transporter is the engine. It is unique within
// the process, and nothing listens there.
func (e *Engine) Endpoint() string { return e.endpoint }

// Key returns the account key in base64.
func (e *Engine) Key() string { return e.key }

// Close waits for running requests and releases the data directory. Later requests are answered
// 503. A second Close does nothing.
func (e *Engine) Close() error {
	e.stop() // first, because the purge holds the lock like a request
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	e.writer.Close()
	return e.store.Close()
}
