package changefeed

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/workers/changefeed/feedtest"
)

// TestReadsThatMakeNoProgressAreRepeatedWithPausesAndLoggedOnce lets a storage fail in the same way for ten minutes.
func TestReadsThatMakeNoProgressAreRepeatedWithPausesAndLoggedOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		fail func(*feedtest.Feed)
		line string
	}{
		"errors, each with another activity id": {func(f *feedtest.Feed) {
			n := 0
			f.Fail = func() error { n++; return fmt.Errorf("503 Service Unavailable, activity %d", n) }
		}, "cannot read the change feed"},
		"answers with neither changes nor a new position": {func(f *feedtest.Feed) { f.Silent = true }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(1)
				var log bytes.Buffer
				p := c.processor(Options{Instance: "a", PollInterval: 500 * time.Millisecond,
					Logger: slog.New(slog.NewTextHandler(&log, nil))})
				defer start(t, p)()
				time.Sleep(time.Minute)
				c.feed.Set(func() { tt.fail(c.feed); c.feed.Reads = 0 })
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if most := 2 * 10 * 60; c.feed.Reads > most || c.feed.Reads < 10 {
					t.Errorf("%d reads in ten minutes, want 10 to %d", c.feed.Reads, most)
				}
				if tt.line != "" && strings.Count(log.String(), tt.line) != 1 {
					t.Errorf("the log does not say once %q:\n%.500s", tt.line, log.String())
				}
				c.feed.Set(func() { c.feed.Fail, c.feed.Silent = nil, false })
				c.feed.Write(0, 7)
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := c.seen.all(); !slices.Equal(got, []int{7}) {
					t.Errorf("projected %v after the failure, want 7", got)
				}
			})
		})
	}
}
