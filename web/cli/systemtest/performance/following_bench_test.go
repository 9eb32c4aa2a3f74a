package performance

import (
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/web/cli/config"
	"inkfeed/web/cli/systemtest/harness"
)

// BenchmarkFollowingLag measures the time from the acknowledgement of a new post until it is in the personal feed of a
// follower at another server. The author has a thousand followers, of whom the one who reads is the last. Two servers
// use one engine, and the workers of either may do the work. The reader looks 40 times a second: more would slow the
// fan-out, which rests while its server is busy with pages.
func BenchmarkFollowingLag(b *testing.B) {
	env := harness.OnEngine(b, "--ranges", "3")
	maps.Copy(env, map[string]string{"INKFEED_LEASE_ACQUIRE": "500ms"}) // the servers soon share the leases
	first, _ := harness.Serve(b, env, "--addr", "127.0.0.1:0")
	second, _ := harness.Serve(b, env, "--addr", "127.0.0.1:0")
	c := config.New(func(name string) string { return env[name] })
	store, closeStore, err := c.Open(b.Context(), cosmos.Options{}, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		b.Fatal(err)
	}
	defer closeStore()
	author, reader := harness.NewVisitor(b, first), harness.NewVisitor(b, second)
	author.SignUp("author")
	reader.SignUp("reader")
	author.Publish("Before", "text")
	user, err := store.Users.ByName(b.Context(), "author")
	if err != nil {
		b.Fatal(err)
	}
	if err := harness.AddFollowers(store, domain.AuthorSource(user.ID), 999); err != nil {
		b.Fatal(err)
	}
	awaitShare(b, store)
	reader.TryForm("/@author/follow", nil)
	var lags []time.Duration
	for n := 0; b.Loop(); n++ {
		title := fmt.Sprint("Post number ", n)
		author.Publish(title, "text")
		published := time.Now()
		for !strings.Contains(harness.Text(reader.Get("/following").Find("main h2, main h3").First()), title) {
			if time.Since(published) > time.Minute {
				b.Fatal("the post does not come")
			}
			time.Sleep(25 * time.Millisecond)
		}
		lags = append(lags, time.Since(published))
	}
	slices.Sort(lags)
	for _, q := range []int{50, 99} {
		b.ReportMetric(float64(lags[(len(lags)-1)*q/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", q))
	}
}
