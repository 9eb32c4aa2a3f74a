package tailer

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/workers/changefeed/feedtest"
)

// TestFailuresAreRepeatedWithPausesAndLoggedOnce lets a storage fail in the same way for ten minutes.
func TestFailuresAreRepeatedWithPausesAndLoggedOnce(t *testing.T) {
	for name, tt := range map[string]struct {
		fail  func(*feedtest.Feed)
		heal  func(*feedtest.Feed)
		lines int // of the log while it fails
	}{
		"reads of changes fail, each with another activity id": {
			func(f *feedtest.Feed) { f.Fail = unlike("503 Service Unavailable") },
			func(f *feedtest.Feed) { f.Fail = nil }, 3 + 1}, // each range, and the list of ranges
		"answers have neither changes nor a new position": {
			func(f *feedtest.Feed) { f.Silent = true }, func(f *feedtest.Feed) { f.Silent = false }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				feed, n := feedtest.New(3), &notebook{}
				var log bytes.Buffer
				_, stop := tail(t, feed, n, Options{MaxBackoff: time.Second, PollInterval: 500 * time.Millisecond,
					Logger: slog.New(slog.NewTextHandler(&log, nil))})
				defer stop()
				time.Sleep(time.Minute)
				feed.Set(func() { tt.fail(feed); feed.Reads = 0 })
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if most := 3 * 2 * 10 * 60; feed.Reads > most {
					t.Errorf("%d reads of three ranges in ten minutes, want at most %d", feed.Reads, most)
				}
				if got := strings.Count(log.String(), "\n"); got != tt.lines {
					t.Errorf("the log has %d lines, want %d:\n%s", got, tt.lines, log.String())
				}
				feed.Set(func() { tt.heal(feed) })
				feed.Write(1, 7)
				time.Sleep(time.Minute)
				synctest.Wait()
				if got := n.all(); len(got) != 1 || got[0] != 7 {
					t.Errorf("followed %v after the failure, want 7", got)
				}
				if got := strings.Count(log.String(), "\n"); got != 2*tt.lines {
					t.Errorf("the log has %d lines in the end, want %d:\n%s", got, 2*tt.lines, log.String())
				}
			})
		})
	}
}

// unlike returns a function that makes errors whose texts end with different ids, as those of the storage do.
func unlike(text string) func() error {
	n := 0
	return func() error { n++; return fmt.Errorf("%s, activity %d", text, n) }
}

func TestFeedRangesThatCannotBeReadAreAskedForWithGrowingPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		feed := feedtest.New(1)
		feed.LooksFail = errors.New("401 Unauthorized")
		var log bytes.Buffer
		_, stop := tail(t, feed, &notebook{}, Options{MaxBackoff: time.Second,
			Logger: slog.New(slog.NewTextHandler(&log, nil))})
		defer stop()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if most := 2 * 10 * 60; feed.Looks > most || feed.Looks < 60 {
			t.Errorf("asked for the ranges %d times in ten minutes, want 60 to %d", feed.Looks, most)
		}
		if got := strings.Count(log.String(), "\n"); got != 1 {
			t.Errorf("the log has %d lines, want 1:\n%.500s", got, log.String())
		}
	})
}
