package model

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos"
	cosmosfeeds "inkfeed/cosmos/changefeed"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/feeds"
	"inkfeed/cosmos/verify"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/names"
	"inkfeed/web/cli/systemtest/harness"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/projection"
)

// crashingTransport passes storage calls on until a simulated crash of the process. After the crash all calls fail.
type crashingTransport struct {
	policy.Transporter
	mu      sync.Mutex
	calls   int
	crash   crash
	crashed bool
}

// crash is the storage call at which a process crashes.
type crash struct {
	after      int  // number of calls that pass before the crash, or neverCrash
	carriedOut bool // whether the call of the crash is carried out
	writes     bool // count only calls that write
}

const neverCrash = -1

func (d crash) String() string {
	call := "call"
	if d.writes {
		call = "write"
	}
	switch {
	case d.after == neverCrash:
		return "without a crash"
	case d.carriedOut:
		return fmt.Sprintf("crash after %s %d is carried out", call, d.after)
	}
	return fmt.Sprintf("crash before %s %d", call, d.after)
}

func (p *crashingTransport) Do(r *http.Request) (*http.Response, error) {
	if !harness.IsStorageCall(r) {
		return p.Transporter.Do(r)
	}
	p.mu.Lock()
	last := false
	if harness.IsWrite(r) || !p.crash.writes {
		last = p.calls == p.crash.after
		p.calls++
	}
	p.crashed = p.crashed || last
	crashed := p.crashed
	p.mu.Unlock()
	if !crashed {
		return p.Transporter.Do(r)
	}
	if last && p.crash.carriedOut {
		resp, err := p.Transporter.Do(r)
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
	}
	// The SDK does not retry after this status, and neither does a crashed process.
	return &http.Response{StatusCode: http.StatusForbidden, Status: "403 Forbidden", Request: r,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"code":"Forbidden","message":"crashed"}`))}, nil
}

// world is a database, a model of it, and projectors that tests run step by step.
type world struct {
	t         *testing.T
	store     *cosmos.Store
	close     func()
	transport *crashingTransport
	model     *model
	random    *rand.Rand
	bytes     io.Reader // random bytes for IDs
	made      int
	done      []string // descriptions of the past actions, for failures

	users, names, posts []string          // all IDs and names that exist, existed or may exist
	latePosts           []string          // posts of deleted users, which must not exist
	deleted             map[string]string // usernames of deleted users by ID
	unsettled           map[string]bool   // names that may still be reserved after a sign-up or rename that failed
	erasing             map[string]bool   // posts and names of deleted accounts, which may not be erased yet

	due        map[string]bool // posts whose draft is due
	scheduling bool            // whether any draft was scheduled

	postsFeed *manualFeed[feeds.PostChange]
	usersFeed *manualFeed[feeds.UserChange]
}

func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	return newWorldOn(t, seed, embedded.Options{Ranges: 2})
}

func newWorldOn(t *testing.T, seed uint64, o embedded.Options) *world {
	t.Helper()
	engine, err := embedded.Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	w := &world{t: t, model: newModel(), random: random, bytes: harness.RandomBytes{Random: random},
		unsettled: make(map[string]bool), deleted: make(map[string]string), erasing: make(map[string]bool),
		due:       make(map[string]bool),
		transport: &crashingTransport{Transporter: engine, crash: crash{after: neverCrash}}}
	w.store, err = cosmos.Open(t.Context(), cosmos.Options{Endpoint: engine.Endpoint(), Key: engine.Key(),
		Transport: w.transport, Database: "test"})
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	w.close = func() { once.Do(func() { w.store.Close(); engine.Close() }) }
	t.Cleanup(w.close)
	w.postsFeed = newManualFeed(w.store.Posts.Changes(), projection.Posts(w.store, markdown.New()))
	w.usersFeed = newManualFeed(w.store.Users.Changes(), projection.Users(w.store, slog.New(slog.DiscardHandler)))
	return w
}

// withCrash calls a function in a process with a simulated crash. It reports whether the process crashed.
func (w *world) withCrash(d crash, do func() error) (crashed bool, err error) {
	set := func(d crash) bool {
		w.transport.mu.Lock()
		defer w.transport.mu.Unlock()
		was := w.transport.crashed
		w.transport.calls, w.transport.crash, w.transport.crashed = 0, d, false
		return was
	}
	set(d)
	err = do()
	return set(crash{after: neverCrash}), err
}

// manualFeed passes changes to a projector on demand. Its checkpoints survive a crash of the process.
type manualFeed[T any] struct {
	feed        *cosmosfeeds.Reader[T]
	projector   changefeed.Projector[T]
	pageSize    int
	checkpoints map[feeds.Range]string
	projected   [][]T // pages that a former owner of the range may project again
}

func newManualFeed[T any](feed *cosmosfeeds.Reader[T], projector changefeed.Projector[T]) *manualFeed[T] {
	const small = 8 // for many checkpoints
	return &manualFeed[T]{feed: feed, projector: projector, pageSize: small,
		checkpoints: make(map[feeds.Range]string)}
}

// drain projects all new changes of the feed and reports whether there were any.
func (f *manualFeed[T]) drain(ctx context.Context) (news bool, err error) {
	ranges, err := f.feed.FeedRanges(ctx)
	if err != nil {
		return false, err
	}
	for _, r := range ranges {
		for {
			page, err := f.feed.Read(ctx, r, f.checkpoints[r], f.pageSize)
			if err != nil {
				return news, err
			}
			if page.Drained {
				break
			}
			changes := make([]T, len(page.Changes))
			for i, c := range page.Changes {
				changes[i] = c.Value
			}
			f.projected = append(f.projected, changes)
			if len(changes) > 0 {
				news = true
				if err := f.projector.Project(ctx, changes); err != nil {
					return news, err
				}
			}
			f.checkpoints[r] = page.Continuation
		}
	}
	return news, nil
}

// replay projects a random page again, like a former owner of the range that has not noticed yet that its lease is
// lost.
func (f *manualFeed[T]) replay(ctx context.Context, random *rand.Rand) error {
	if len(f.projected) == 0 {
		return nil
	}
	return f.projector.Project(ctx, f.projected[random.IntN(len(f.projected))])
}

// replayAll projects all pages again, the newest first.
func (f *manualFeed[T]) replayAll(ctx context.Context) error {
	for _, page := range slices.Backward(f.projected) {
		if err := f.projector.Project(ctx, page); err != nil {
			return err
		}
	}
	return nil
}

// rounds limits how often the projectors may cause changes for each other.
const rounds = 50

// drain runs both projectors and the scheduler until there are no new changes.
func (w *world) drain(ctx context.Context) error {
	for range rounds {
		posts, err := w.postsFeed.drain(ctx)
		if err != nil {
			return err
		}
		users, err := w.usersFeed.drain(ctx)
		if err != nil {
			return err
		}
		published, err := w.publishDue(ctx)
		if err != nil {
			return err
		}
		if !posts && !users && !published {
			return nil
		}
	}
	return fmt.Errorf("the projectors are not done after %d rounds", rounds)
}

// settle runs the projectors once with each of the crashes, and then until they are done.
func (w *world) settle(crashes ...crash) {
	w.t.Helper()
	for _, d := range crashes {
		crashed, err := w.withCrash(d, func() error { return w.drain(w.t.Context()) })
		w.done = append(w.done, fmt.Sprintf("projectors %v: %v", d, err))
		if err != nil && !crashed {
			w.fatal("projectors: %v", err)
		}
	}
	if err := w.drain(w.t.Context()); err != nil {
		w.fatal("projectors: %v", err)
	}
	w.fanOut()
	clear(w.erasing)
}

// verifyState checks that the database has no violation and equals one of the models. It returns the index of that
// model.
func (w *world) verifyState(what string, models ...*model) int {
	w.t.Helper()
	_, err := verify.Verify(w.t.Context(), w.store.Database, markdown.New(), func(int) {}, func(v verify.Violation) {
		w.t.Errorf("%s: violation: %s", what, v)
	})
	if err != nil {
		w.fatal("verify: %v", err)
	}
	got, err := stored(w.t.Context(), w.store, w.users, w.settledNames(), slices.Concat(w.posts, w.latePosts))
	if err != nil {
		w.fatal("%s: %v", what, err)
	}
	for i, m := range models {
		if slices.Equal(got, m.state(w.unsettled)) {
			if w.t.Failed() {
				w.fatal("%s", what)
			}
			return i
		}
	}
	for _, m := range models {
		w.t.Errorf("%s: the database differs from the model:\n%s", what, difference(got, m.state(w.unsettled)))
	}
	w.fatal("%s", what)
	return 0
}

// settledNames returns the keys of all names except the unsettled ones. It takes a while until the name of a failed
// sign-up or rename is free again.
func (w *world) settledNames() []string {
	var sure []string
	for _, name := range w.names {
		if key := names.NameKey(name); !w.unsettled[key] {
			sure = append(sure, key)
		}
	}
	slices.Sort(sure)
	return slices.Compact(sure)
}

// fatal ends the test and prints the last actions.
func (w *world) fatal(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf(format+"\nlast actions:\n%s", append(args, strings.Join(w.done[max(0, len(w.done)-30):], "\n"))...)
}

// recordErasures records the posts and names of a deleted account, which are erased later.
func (w *world) recordErasures(before, after *model) {
	for id, name := range before.names {
		if after.names[id] == "" {
			w.deleted[id] = name
		}
	}
	for id, p := range before.posts {
		if after.posts[id] == nil && after.names[p.author] == "" {
			w.erasing[id] = true
		}
	}
	for name := range before.owner {
		if after.owner[name] == "" {
			w.erasing[name] = true
		}
	}
}

// act performs an action in a process with a simulated crash and compares the answer with that of the model. It returns
// the models before and after the action. They are the same if there was an answer: then the action must have happened.
// Without an answer, it may have happened.
func (w *world) act(a action, d crash) (crashed bool, before, after *model) {
	w.t.Helper()
	before, after = w.model, w.model.clone()
	want := a.apply(after)
	crashed, err := w.withCrash(d, func() error { return a.do(w.t.Context()) })
	w.done = append(w.done, fmt.Sprintf("%s, %v: %v", a.what, d, err))
	switch {
	case err == nil && want == nil, err != nil && want != nil && domain.KindOf(err) == domain.KindOf(want):
		w.recordErasures(before, after)
		before = after // there was an answer, so a later crash does not matter
	case domain.Is(want, domain.NotFound) && w.erasing[a.post] && (err == nil || domain.Is(err, domain.Forbidden)):
		// The action found a post that is being erased with its author's account.
	case !crashed:
		w.fatal("%s: %v, want %v", a.what, err, want)
	case a.name != "":
		w.unsettled[names.NameKey(a.name)] = true
	}
	return crashed, before, after
}
