package embedded

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/execution"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/storage"
)

// WellKnownKey is the account key of every Cosmos DB emulator. It is public: it
// protects nothing.
const WellKnownKey = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="

// Options are the settings of an Engine. The zero value is usable.
type Options struct {
	Key    string       // account key in base64; "" is WellKnownKey
	Ranges int          // feed ranges of each new container, if its throughput does not need more; 0 is 1
	Logger *slog.Logger // nil discards

	// Identity is what the account says of itself.
	Identity Identity

	// EnforceThroughput limits what can be spent a second to the throughput of each
	// container or, where that has none of its own, of its database. It is divided evenly
	// between the feed ranges: beyond it, requests are answered 429.
	EnforceThroughput bool
	// Throughput is that of containers for which none was set, in RU a second; 0 is 400.
	Throughput int

	// Permissive has the engine answer what the service's gateway refuses to merge from
	// several partitions: ORDER BY, TOP, OFFSET, DISTINCT, GROUP BY and aggregates.
	Permissive bool

	// SplitPages is a random seed. Unless it is 0, the pages of queries and change feeds end at
	// random places, whatever size the client asks for: after 1 to 16 items, sometimes before the
	// first item, and in the middle of an aggregate. It is for testing programs against page ends
	// that the service may choose anywhere.
	SplitPages uint64
}

// MaxRanges bounds the feed ranges of a container.
const MaxRanges = catalog.MaxRanges

// Engine serves the databases of one data directory. It is safe for concurrent use.
type Engine struct {
	key        string
	macs       sync.Pool // of hash.Hash, keyed
	endpoint   string
	identity   Identity
	ranges     int
	enforce    bool
	throughput int
	permissive bool
	splitter   *execution.PageSplitter
	log        *slog.Logger
	now        func() time.Time // the time of items and their expiry
	batchTime  time.Duration

	store   *storage.Store
	catalog *atomic.Pointer[catalog.Catalog] // the writer replaces it
	plans   *execution.PlanCache

	writer    *items.Writer
	stopPurge chan struct{}
	stop      func() // closes stopPurge

	mu     sync.RWMutex // held for reading by every request once its body is there, for writing by Close
	closed bool
}

// engines numbers the engines of this process, for the SDK caches what it learns of an
// account by the name of its host.
var engines atomic.Int64

// Open starts an engine on a data directory, which is made if it does not exist. It
// fails if another process, or another Engine of this one, has the directory, and if
// its database file is not one of this engine's.
func Open(dir string, o Options) (*Engine, error) {
	return open(dir, o, time.Now)
}

func open(dir string, o Options, now func() time.Time) (*Engine, error) {
	if o.Key == "" {
		o.Key = WellKnownKey
	}
	secret, err := base64.StdEncoding.DecodeString(o.Key)
	if err != nil {
		return nil, fmt.Errorf("the account key is not base64: %w", err)
	}
	if o.Ranges < 0 || o.Ranges > MaxRanges {
		return nil, fmt.Errorf("the number of feed ranges is %d, not from 1 to %d", o.Ranges, MaxRanges)
	}
	if o.Throughput == 0 {
		o.Throughput = defaultThroughput
	}
	if o.Throughput < 0 {
		return nil, fmt.Errorf("the throughput is %d RU a second, less than nothing", o.Throughput)
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
		key: o.Key, identity: identity, ranges: max(o.Ranges, 1), log: o.Logger, now: now,
		enforce: o.EnforceThroughput, throughput: o.Throughput, permissive: o.Permissive,
		splitter: execution.NewPageSplitter(o.SplitPages), batchTime: maxBatchTime,
		endpoint: fmt.Sprintf("https://e%d.inkfeed.internal:443/", engines.Add(1)),
		store:    s, catalog: new(atomic.Pointer[catalog.Catalog]), plans: execution.NewPlanCache(),
		stopPurge: make(chan struct{}),
	}
	e.stop = sync.OnceFunc(func() { close(e.stopPurge) })
	e.macs.New = func() any { return hmac.New(sha256.New, secret) }
	cat, err := catalog.Load(s.Writer)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the definitions of %s: %w", dir, err), s.Close())
	}
	e.catalog.Store(cat)
	e.writer = items.StartWriter(s, e.catalog, o.Logger, now)
	go e.purgeLoop()
	return e, nil
}

// Endpoint is the address to give to a client whose Transporter the engine is. Each
// engine of a process has its own; nothing listens there.
func (e *Engine) Endpoint() string { return e.endpoint }

// Key is the account key, in base64.
func (e *Engine) Key() string { return e.key }

// Close waits for the requests in flight and gives the data directory up. Requests
// that come later are answered 503. Closing again does nothing.
func (e *Engine) Close() error {
	e.stop() // first, for the purge holds the lock as requests do
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	e.writer.Close()
	return e.store.Close()
}
