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
	"inkfeed/cosmos/verify"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/names"
	"inkfeed/web/cli/systemtest/harness"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/projection"
)

// mortal passes storage calls on until the process dies, for which it is told when.
type mortal struct {
	policy.Transporter
	mu    sync.Mutex
	calls int
	die   death
	dead  bool
}

// death is the call at which a process dies, and whether that call is still carried out.
type death struct {
	after  int // so many calls pass; immortal: all
	lost   bool
	writes bool // only calls that write count
}

const immortal = -1

func (d death) String() string {
	call := "call"
	if d.writes {
		call = "write"
	}
	switch {
	case d.after == immortal:
		return "living on"
	case d.lost:
		return fmt.Sprintf("dying in %s %d, which was carried out", call, d.after)
	}
	return fmt.Sprintf("dying before %s %d", call, d.after)
}

func (p *mortal) Do(r *http.Request) (*http.Response, error) {
	if !harness.IsStorageCall(r) {
		return p.Transporter.Do(r)
	}
	p.mu.Lock()
	last := false
	if harness.IsWrite(r) || !p.die.writes {
		last = p.calls == p.die.after
		p.calls++
	}
	p.dead = p.dead || last
	dead := p.dead
	p.mu.Unlock()
	if !dead {
		return p.Transporter.Do(r)
	}
	if last && p.die.lost {
		resp, err := p.Transporter.Do(r)
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
	}
	// Nothing tries again after this status, as nothing does in a dead process.
	return &http.Response{StatusCode: http.StatusForbidden, Status: "403 Forbidden", Request: r,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"code":"Forbidden","message":"dead"}`))}, nil
}

// world is a database, the model of it, and projectors that are driven by hand.
type world struct {
	t      *testing.T
	store  *cosmos.Store
	close  func()
	mortal *mortal
	model  *model
	random *rand.Rand
	bytes  io.Reader // of ids
	made   int
	done   []string // what was done, to tell

	users, names, posts []string          // all there ever were, or may be
	latePosts           []string          // of deleted users, that nobody is to see
	deleted             map[string]string // users that were deleted, and what they were called
	limbo               map[string]bool   // names that may stay reserved for a while
	fading              map[string]bool   // posts and names of accounts that were deleted, perhaps not erased yet

	due        map[string]bool // drafts whose time has come, by their posts
	scheduling bool            // some draft was scheduled

	postsFeed *handFeed[domain.PostChange]
	usersFeed *handFeed[domain.UserChange]
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
	w := &world{t: t, model: newModel(), random: random, bytes: harness.RandomBytes{Random: random}, limbo: make(map[string]bool),
		deleted: make(map[string]string), fading: make(map[string]bool), due: make(map[string]bool),
		mortal: &mortal{Transporter: engine, die: death{after: immortal}}}
	w.store, err = cosmos.Open(t.Context(), cosmos.Options{Endpoint: engine.Endpoint(), Key: engine.Key(),
		Transport: w.mortal, Database: "test"})
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	w.close = func() { once.Do(func() { w.store.Close(); engine.Close() }) }
	t.Cleanup(w.close)
	w.postsFeed = newHandFeed(w.store.Posts.Changes(), projection.Posts(w.store, markdown.New()))
	w.usersFeed = newHandFeed(w.store.Users.Changes(), projection.Users(w.store, slog.New(slog.DiscardHandler)))
	return w
}

// living does something in a process that dies as told, and reports whether it did.
func (w *world) living(d death, do func() error) (died bool, err error) {
	set := func(d death) bool {
		w.mortal.mu.Lock()
		defer w.mortal.mu.Unlock()
		was := w.mortal.dead
		w.mortal.calls, w.mortal.die, w.mortal.dead = 0, d, false
		return was
	}
	set(d)
	err = do()
	return set(death{after: immortal}), err
}

// handFeed feeds a projector by hand: its checkpoints outlive the process.
type handFeed[T any] struct {
	feed        *cosmosfeeds.Reader[T]
	projector   changefeed.Projector[T]
	pageSize    int
	checkpoints map[domain.FeedRange]string
	stale       [][]T // pages that a former owner of the range still has at hand
}

func newHandFeed[T any](feed *cosmosfeeds.Reader[T], projector changefeed.Projector[T]) *handFeed[T] {
	const small = 8 // so that there are checkpoints between the changes
	return &handFeed[T]{feed: feed, projector: projector, pageSize: small, checkpoints: make(map[domain.FeedRange]string)}
}

// drain projects all new changes of the feed and reports whether there were any.
func (f *handFeed[T]) drain(ctx context.Context) (news bool, err error) {
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
			f.stale = append(f.stale, changes)
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

// again projects a page that was projected before, as a former owner of the range does
// that does not know yet that it is one.
func (f *handFeed[T]) again(ctx context.Context, random *rand.Rand) error {
	if len(f.stale) == 0 {
		return nil
	}
	return f.projector.Project(ctx, f.stale[random.IntN(len(f.stale))])
}

// rounds bounds how often the projectors may give each other new work.
const rounds = 50

// drain runs both projectors until nothing new comes.
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

// settle runs the projectors until they are done, in processes that die as told, one
// after another.
func (w *world) settle(deaths ...death) {
	w.t.Helper()
	for _, d := range deaths {
		died, err := w.living(d, func() error { return w.drain(w.t.Context()) })
		w.done = append(w.done, fmt.Sprintf("projectors %v: %v", d, err))
		if err != nil && !died {
			w.fatal("projectors: %v", err)
		}
	}
	if err := w.drain(w.t.Context()); err != nil {
		w.fatal("projectors: %v", err)
	}
	clear(w.fading)
}

// sound holds that the database has no violation and is as one of the models says. It
// returns which.
func (w *world) sound(what string, models ...*model) int {
	w.t.Helper()
	_, err := verify.Verify(w.t.Context(), w.store.Database, markdown.New(), func(int) {}, func(v verify.Violation) {
		w.t.Errorf("%s: violation: %s", what, v)
	})
	if err != nil {
		w.fatal("verify: %v", err)
	}
	got, err := stored(w.t.Context(), w.store, w.users, w.certain(), slices.Concat(w.posts, w.latePosts))
	if err != nil {
		w.fatal("%s: %v", what, err)
	}
	for i, m := range models {
		if slices.Equal(got, m.state(w.limbo)) {
			if w.t.Failed() {
				w.fatal("%s", what)
			}
			return i
		}
	}
	for _, m := range models {
		w.t.Errorf("%s: the state is not as it should be:\n%s", what, difference(got, m.state(w.limbo)))
	}
	w.fatal("%s", what)
	return 0
}

// certain lists the names of which it is known whom they lead to. Of those that a
// sign-up or rename did not come to have, it takes a while until they lead nowhere.
func (w *world) certain() []string {
	var sure []string
	for _, name := range w.names {
		if key := names.NameKey(name); !w.limbo[key] {
			sure = append(sure, key)
		}
	}
	slices.Sort(sure)
	return slices.Compact(sure)
}

// fatal ends the test with what led there.
func (w *world) fatal(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf(format+"\nwhat was done:\n%s", append(args, strings.Join(w.done[max(0, len(w.done)-30):], "\n"))...)
}

// fade notes what goes with an account, but not at once.
func (w *world) fade(before, after *model) {
	for id, name := range before.names {
		if after.names[id] == "" {
			w.deleted[id] = name
		}
	}
	for id, p := range before.posts {
		if after.posts[id] == nil && after.names[p.author] == "" {
			w.fading[id] = true
		}
	}
	for name := range before.owner {
		if after.owner[name] == "" {
			w.fading[name] = true
		}
	}
}

// act does an action in a process that dies as told and compares the answer with the
// model's. After an answer the action must be there; without one, it may.
func (w *world) act(a action, d death) (died bool, before, after *model) {
	w.t.Helper()
	before, after = w.model, w.model.clone()
	want := a.apply(after)
	died, err := w.living(d, func() error { return a.do(w.t.Context()) })
	w.done = append(w.done, fmt.Sprintf("%s, %v: %v", a.what, d, err))
	switch {
	case err == nil && want == nil, err != nil && want != nil && domain.KindOf(err) == domain.KindOf(want):
		w.fade(before, after)
		before = after // an answer: whatever happened after it
	case domain.Is(want, domain.NotFound) && w.fading[a.post] && (err == nil || domain.Is(err, domain.Forbidden)):
		// It found a post whose author is gone, and goes with it.
	case !died:
		w.fatal("%s: %v, want %v", a.what, err, want)
	case a.name != "":
		w.limbo[names.NameKey(a.name)] = true
	}
	return died, before, after
}
