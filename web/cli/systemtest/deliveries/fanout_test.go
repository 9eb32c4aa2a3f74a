package deliveries

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos"
	"inkfeed/cosmos/client"
	"inkfeed/cosmos/verify"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/web/cli/systemtest/harness"
	"inkfeed/workers/changefeed"
	"inkfeed/workers/delivery"
	"inkfeed/workers/fanout"
	"inkfeed/workers/progress"
	"inkfeed/workers/projection"
)

// fanPosts adds posts to timelines until the process is killed. It prints a line after each step.
func fanPosts(folder string) error {
	store, closeStore, err := open(folder)
	if err != nil {
		return err
	}
	defer closeStore()
	dispatcher(store, printed{store.Deliveries}, 100, slog.New(slog.NewTextHandler(os.Stderr, nil))).Run(
		context.Background())
	return nil
}

// printed prints a line whenever a position is stored.
type printed struct{ delivery.Positions }

func (p printed) Advance(ctx context.Context, d domain.Delivery) error {
	err := p.Positions.Advance(ctx, d)
	fmt.Println(d.ID, d.Position)
	return err
}

// lease is the expiration of the ownership of a delivery.
const lease = 300 * time.Millisecond

func dispatcher(store *cosmos.Store, positions delivery.Positions, step int, logger *slog.Logger) *delivery.Dispatcher {
	fan := fanout.New(store.Follows, positions, fanout.Options{MergeAbove: 1 << 30, Step: step, Logger: logger})
	return delivery.New(store.Deliveries, delivery.Transports{"timelines": fan, "mailings": nothing{}},
		delivery.Options{Lease: lease, Interval: 100 * time.Millisecond, Logger: logger})
}

// nothing is a transport that has nothing to deliver.
type nothing struct{}

func (nothing) Route(string) delivery.Route { return delivery.Route{Host: "nothing", Limit: 1} }

func (nothing) Open(context.Context, string) (delivery.Session, error) { return nothing{}, nil }

func (nothing) Deliver(context.Context, domain.Delivery, func()) error {
	return &domain.Error{Kind: domain.NotFound}
}

func (nothing) Close() {}

// TestKilledFanOutsReachAllFollowers kills the process that adds posts to timelines again and again.
// INKFEED_TEST_KILLS and INKFEED_TEST_FOLLOWERS are the numbers of kills and of followers.
func TestKilledFanOutsReachAllFollowers(t *testing.T) {
	kills, followers := numberOf("INKFEED_TEST_KILLS", 5), numberOf("INKFEED_TEST_FOLLOWERS", 300)
	seed := uint64(time.Now().UnixNano())
	t.Logf("%d kills, %d followers, seed %d", kills, followers, seed)
	random := rand.New(rand.NewPCG(seed, 0))
	folder := t.TempDir()
	store, closeStore, err := open(folder)
	if err != nil {
		t.Fatal(err)
	}
	publish(t, store, followers, 4*kills*100/followers+1) // four steps for each kill
	closeStore()
	interrupted := 0
	for range kills {
		life := exec.Command(os.Args[0])
		life.Env = append(os.Environ(), fanFolder+"="+folder)
		lines, err := life.StdoutPipe()
		if err == nil {
			err = life.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		stop := time.AfterFunc(10*time.Second, func() { life.Process.Kill() }) // if nothing is left to do
		steps, scanner := random.IntN(4), bufio.NewScanner(lines)
		for range steps {
			if !scanner.Scan() {
				break
			}
		}
		time.Sleep(time.Duration(random.Int64N(int64(20 * time.Millisecond))))
		life.Process.Kill()
		life.Wait()
		if stop.Stop() {
			interrupted++
		}
	}
	if interrupted < kills {
		t.Errorf("only %d processes were killed while they worked", interrupted)
	}
	if store, closeStore, err = open(folder); err != nil {
		t.Fatal(err)
	}
	defer closeStore()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	finish(ctx, t, store)
	t.Logf("completed %s after the last kill", time.Since(begin).Round(time.Millisecond))
	if _, err := verify.Verify(t.Context(), store.Database, markdown.New(), func(int) {}, func(v verify.Violation) {
		t.Error(v)
	}); err != nil {
		t.Fatal(err)
	}
}

// publish makes an author publish posts for followers, and projects them. The deliveries wait.
func publish(t *testing.T, store *cosmos.Store, followers, posts int) {
	t.Helper()
	ctx := t.Context()
	author, err := domain.NewUser("author", time.Now())
	if err == nil {
		err = store.Accounts.Create(ctx, author, "hash")
	}
	if err != nil {
		t.Fatal(err)
	}
	var signing errgroup.Group
	signing.SetLimit(8)
	for i := range followers {
		signing.Go(func() error {
			user, err := domain.NewUser(fmt.Sprint("reader", i), time.Now())
			if err == nil {
				err = store.Accounts.Create(ctx, user, "hash")
			}
			if err == nil {
				_, err = store.Follows.Follow(ctx, user.ID, domain.AuthorSource(author.ID), time.Now())
			}
			return err
		})
	}
	if err := signing.Wait(); err != nil {
		t.Fatal(err)
	}
	for i := range posts {
		draft, err := store.Drafts.Save(ctx, domain.Draft{PostID: domain.NewID(), AuthorID: author.ID,
			Title: fmt.Sprint("Post ", i), Content: "Text"})
		if err == nil {
			_, err = store.Drafts.Publish(ctx, author, draft, time.Now())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	err = projection.CatchUp(ctx, store, changefeed.Options{Logger: slog.New(slog.DiscardHandler)}, progress.Unknown,
		io.Discard)
	if err != nil {
		t.Fatal(err)
	}
}

// finish makes the deliveries that wait, once their former owner has lost them.
func finish(ctx context.Context, t *testing.T, store *cosmos.Store) {
	t.Helper()
	working, stop := context.WithCancel(ctx)
	defer stop()
	var running sync.WaitGroup
	running.Go(func() { dispatcher(store, store.Deliveries, 1000, slog.New(slog.DiscardHandler)).Run(working) })
	for {
		due, err := store.Deliveries.Due(ctx, time.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if len(due) == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	running.Wait()
}

// BenchmarkFanOut adds a post to the timelines of many followers. It reports the rate, the charge of an entry, and how
// much the heap grows. INKFEED_TEST_FOLLOWERS is their number.
func BenchmarkFanOut(b *testing.B) {
	followers := numberOf("INKFEED_TEST_FOLLOWERS", 2000)
	for b.Loop() {
		b.StopTimer()
		store, closeStore, err := open(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		source := domain.AuthorSource(domain.NewUserID(nil))
		if err := harness.AddFollowers(store, source, followers); err != nil {
			b.Fatal(err)
		}
		ctx, charge := client.Measure(context.Background())
		news := domain.TimelineEntry{Source: source, PostID: domain.NewID(), AuthorID: source.AuthorID,
			Created: domain.Timestamp(time.Now())}
		before, most, working := heap(), atomic.Uint64{}, make(chan struct{})
		var measuring sync.WaitGroup
		measuring.Go(func() {
			for {
				select {
				case <-working:
					return
				case <-time.After(time.Second):
					most.Store(max(most.Load(), heap()))
				}
			}
		})
		b.StartTimer()
		begin := time.Now()
		if err := store.Deliveries.Put(ctx, domain.NewsDelivery(news, followers, time.Now())); err != nil {
			b.Fatal(err)
		}
		if err := dispatcher(store, store.Deliveries, 1000, slog.New(slog.DiscardHandler)).Drain(ctx); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(followers)/time.Since(begin).Seconds(), "entries/s")
		b.StopTimer()
		close(working)
		measuring.Wait()
		b.ReportMetric(charge()/float64(followers), "RU/entry")
		b.ReportMetric(max(0, float64(most.Load())-float64(before))/(1<<20), "MB/heap")
		closeStore()
		b.StartTimer()
	}
}
