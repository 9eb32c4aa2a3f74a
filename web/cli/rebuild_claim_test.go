package cli

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos"
	"inkfeed/web/cli/config"
	"inkfeed/workers/changefeed"
)

// TestRebuildOwnsItsLeasesBeforeItReplays checks that a second rebuild is refused from the beginning, because the
// search for orphaned copies takes minutes on a large blog.
func TestRebuildOwnsItsLeasesBeforeItReplays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := rebuilds(t)
		if err := on("a").claim(t.Context(), "posts"); err != nil {
			t.Fatal(err)
		}
		refused := func() {
			t.Helper()
			err := on("b").claim(t.Context(), "posts")
			if err == nil || !strings.Contains(err.Error(), "one is running on a") {
				t.Errorf("a second rebuild: error %v, want one that names the owner", err)
			}
		}
		refused()
		err := on("a").holding(t.Context(), "posts", func() error {
			time.Sleep(10 * time.Minute)
			refused()
			return context.Canceled // as after an interruption
		})
		if err != context.Canceled {
			t.Errorf("error %v, want context.Canceled", err)
		}
		time.Sleep(time.Minute)
		if err := on("b").claim(t.Context(), "posts"); err != nil {
			t.Errorf("a rebuild after an interrupted one: %v", err)
		}
	})
}

// rebuilds returns a function that makes a rebuild on an instance. All instances share one store.
func rebuilds(t *testing.T) func(instance string) *rebuild {
	data := t.TempDir()
	c := config.New(func(name string) string { return map[string]string{"INKFEED_DATA": data}[name] })
	store, closeStore, err := c.Open(t.Context(), cosmos.Options{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		synctest.Wait() // the SDK may be refreshing its endpoints, and would retry on a closed engine
		closeStore()
	})
	return func(instance string) *rebuild {
		return &rebuild{store: store, options: changefeed.Options{Instance: instance,
			RenewInterval: 17 * time.Second, Expiration: time.Minute}}
	}
}

func TestRebuildKeepsTheLeaseOfAConcurrentRebuild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := rebuilds(t)
		before, err := on("b").store.Leases.List(t.Context(), rebuildName("posts"))
		if err != nil {
			t.Fatal(err)
		}
		if err := on("a").claim(t.Context(), "posts"); err != nil {
			t.Fatal(err)
		}
		err = on("b").takeOver(t.Context(), "posts", before)
		if err == nil || !strings.Contains(err.Error(), "one is running on a") {
			t.Errorf("error %v, want one that names the owner", err)
		}
	})
}
