package performance

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/cosmos"
	"inkfeed/web/cli/config"
	"inkfeed/web/cli/systemtest/harness"
)

// BenchmarkLag measures the time from the acknowledgement of a new post to its entry in the feed. Two servers use one
// engine, first without other writes, and then while a few readers comment and like as fast as they can. All posts are
// published on the same server, and the workers of either server may project them.
func BenchmarkLag(b *testing.B) {
	for _, readers := range []int{0, 8} {
		b.Run(fmt.Sprintf("readers=%d", readers), func(b *testing.B) {
			env := harness.OnEngine(b, "--ranges", "3")
			maps.Copy(env, map[string]string{"INKFEED_LEASE_ACQUIRE": "500ms"}) // the servers soon share the leases
			first, _ := harness.Serve(b, env, "--addr", "127.0.0.1:0")
			second, _ := harness.Serve(b, env, "--addr", "127.0.0.1:0")
			c := config.New(func(name string) string { return env[name] })
			logger := slog.New(slog.NewTextHandler(io.Discard, nil))
			store, closeStore, err := c.Open(b.Context(), cosmos.Options{}, logger)
			if err != nil {
				b.Fatal(err)
			}
			defer closeStore()
			author := harness.NewVisitor(b, first)
			author.SignUp("author")
			target := strings.Split(author.Publish("What all read", "text").URL.Path, "/")[2]
			awaitShare(b, store)

			loaded, stop := context.WithCancel(b.Context())
			var group sync.WaitGroup
			var writes atomic.Int64
			for i := range readers {
				v := harness.NewVisitor(b, []string{first, second}[i%2])
				v.SignUp(fmt.Sprint("reader", i))
				group.Go(func() {
					for loaded.Err() == nil {
						v.TryForm("/posts/"+target+"/comments", map[string][]string{"content": {"Hello"}})
						v.TryForm("/posts/"+target+"/like", nil)
						v.TryForm("/posts/"+target+"/unlike", nil)
						writes.Add(3)
					}
				})
			}
			start, before := time.Now(), writes.Load()
			var lags []time.Duration
			for n := 0; b.Loop(); n++ {
				id := strings.Split(author.Publish(fmt.Sprint("Post ", n), "text").URL.Path, "/")[2]
				published := time.Now()
				for !onFront(b, store, id) {
					time.Sleep(time.Millisecond)
				}
				lags = append(lags, time.Since(published))
			}
			b.ReportMetric(float64(writes.Load()-before)/time.Since(start).Seconds(), "other-writes/s")
			stop()
			group.Wait()
			slices.Sort(lags)
			for _, q := range []int{50, 99} {
				b.ReportMetric(float64(lags[(len(lags)-1)*q/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", q))
			}
		})
	}
}

// awaitShare waits until both servers own leases of the posts.
func awaitShare(tb testing.TB, store *cosmos.Store) {
	harness.Eventually(tb, "the servers share the leases", func() bool {
		leases, err := store.Leases.List(tb.Context(), "posts")
		if err != nil {
			tb.Fatal(err)
		}
		owners := make(map[string]bool)
		for _, l := range leases {
			owners[l.Owner] = true
		}
		return len(owners) == 2 && !owners[""]
	})
}

// onFront reports whether a post is on the front page.
func onFront(tb testing.TB, store *cosmos.Store, id string) bool {
	page, err := store.Feed.FrontPage(tb.Context(), 1)
	if err != nil {
		tb.Fatal(err)
	}
	for _, s := range page.Items {
		if s.PostID == id {
			return true
		}
	}
	return false
}
