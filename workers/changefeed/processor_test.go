package changefeed

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/changefeed/feedtest"
)

func TestProcessor(t *testing.T) {
	run := func(name string, test func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test(t, feedtest.New(2), newFakeLeases(), &collector{})
			})
		})
	}

	run("projects what was there before it started, and what comes", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		feed.Write(0, 1, 2)
		feed.Write(1, 10)
		stop := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"}))
		defer stop()
		synctest.Wait()
		feed.Write(1, 11)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		got := seen.all()
		slices.Sort(got)
		if !slices.Equal(got, []int{1, 2, 10, 11}) {
			t.Errorf("projected %v", got)
		}
	})

	run("keeps the order within a range", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		for i := range 50 {
			feed.Write(0, i)
		}
		stop := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a", PageSize: 7}))
		defer stop()
		synctest.Wait()
		if got := seen.all(); !slices.IsSorted(got) || len(got) != 50 {
			t.Errorf("projected %v", got)
		}
	})

	run("polls at once when woken after a silence, and reads a burst of writes together", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		p := NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a", PollInterval: time.Hour, Pause: time.Second})
		stop := start(t, p)
		defer stop()
		time.Sleep(time.Minute)
		feed.Write(0, 1)
		p.Wake()
		synctest.Wait()
		if got := seen.all(); len(got) != 1 {
			t.Errorf("projected %v of the first write", got)
		}
		before := feed.Reads
		for i := range 9 {
			time.Sleep(100 * time.Millisecond)
			feed.Write(0, 2+i)
			p.Wake()
		}
		synctest.Wait()
		if got := seen.all(); len(got) != 1 {
			t.Errorf("projected %v before the pause was over", got)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
			t.Errorf("projected %v after the pause", got)
		}
		if reads := feed.Reads - before; reads > 2 {
			t.Errorf("%d reads of two ranges for the burst", reads)
		}
	})

	run("goes on from its checkpoint after a restart", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		feed.Write(0, 1, 2)
		stop := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"}))
		synctest.Wait()
		stop()
		feed.Write(0, 3)
		stop = start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "b"}))
		defer stop()
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1, 2, 3}) {
			t.Errorf("projected %v", got)
		}
	})

	run("a graceful stop hands over at once", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		stop := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"}))
		synctest.Wait()
		stop()
		if owners := leases.owners(); owners[""] != 2 {
			t.Errorf("owners %v", owners)
		}
	})

	run("a page that fails comes again, in order, and nothing is skipped", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		seen.setFailure(domain.Errorf(domain.Unavailable, "throttled"))
		feed.Write(0, 1, 2)
		stop := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"}))
		defer stop()
		time.Sleep(time.Minute)
		feed.Write(0, 3)
		seen.setFailure(nil)
		time.Sleep(time.Minute)
		if got := seen.all(); !slices.Equal(got, []int{1, 2, 3}) {
			t.Errorf("projected %v", got)
		}
	})

	run("a page is not lost when the checkpoint fails", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		p := NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"})
		stop := start(t, p)
		defer stop()
		synctest.Wait()
		leases.setFailure(domain.Errorf(domain.Unavailable, "throttled"))
		feed.Write(0, 1)
		time.Sleep(5 * time.Second)
		if ok, _ := p.CaughtUp(t.Context()); ok {
			t.Error("caught up without a checkpoint")
		}
		leases.setFailure(nil)
		time.Sleep(time.Minute)
		if ok, err := p.CaughtUp(t.Context()); !ok || err != nil {
			t.Errorf("caught up: %t, %v", ok, err)
		}
	})

	run("outlives a feed that cannot be read", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		feed.SetFailure(errors.New("unreachable"))
		stop := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"}))
		defer stop()
		time.Sleep(time.Minute)
		feed.SetFailure(nil)
		feed.Write(1, 1)
		time.Sleep(time.Minute)
		if got := seen.all(); !slices.Equal(got, []int{1}) {
			t.Errorf("projected %v", got)
		}
	})

	run("takes over from an instance that died, once its leases expire", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		for _, r := range feed.Ranges {
			leases.Create(t.Context(), domain.Lease{Range: r, Owner: "dead", Renewed: time.Now()})
		}
		feed.Write(0, 1)
		stop := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"}))
		defer stop()
		time.Sleep(13 * time.Second) // one lease may be balanced away before that
		synctest.Wait()
		if owners := leases.owners(); owners["dead"] == 0 {
			t.Errorf("owners %v before the leases expired", owners)
		}
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if owners := leases.owners(); owners["a"] != 2 {
			t.Errorf("owners %v", owners)
		}
		if got := seen.all(); !slices.Equal(got, []int{1}) {
			t.Errorf("projected %v", got)
		}
	})

	run("takes its own leases back at once after a crash", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		for _, r := range feed.Ranges {
			leases.Create(t.Context(), domain.Lease{Range: r, Owner: "embedded", Renewed: time.Now()})
		}
		feed.Write(0, 1)
		stop := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "embedded"}))
		defer stop()
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1}) {
			t.Errorf("projected %v", got)
		}
	})

	run("a lost lease stops its reader before it can checkpoint", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		stop := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"}))
		defer stop()
		synctest.Wait()
		leases.change(func(l *domain.Lease) { seizedBy("b")(l); l.Continuation = feed.ContinuationOf(l.Range, 5) })
		feed.Write(0, 1)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		all, _ := leases.List(t.Context(), "p")
		for _, l := range all {
			if l.Continuation != feed.ContinuationOf(l.Range, 5) {
				t.Errorf("checkpoint %q of another's lease", l.Continuation)
			}
		}
	})

	run("a lease that another has taken is not released, and that is no failure", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		var log bytes.Buffer
		stop := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a", Logger: slog.New(slog.NewTextHandler(&log, nil))}))
		synctest.Wait()
		leases.change(seizedBy("b"))
		stop()
		if owners := leases.owners(); owners["b"] != 2 {
			t.Errorf("owners %v", owners)
		}
		if strings.Contains(log.String(), "level=WARN") {
			t.Errorf("logged:\n%s", &log)
		}
	})

	run("its own write whose answer was lost does not cost it the lease", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		stop := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"}))
		synctest.Wait()
		leases.change(func(*domain.Lease) {}) // the etag alone changes
		feed.Write(0, 1)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1}) {
			t.Errorf("projected %v", got)
		}
		leases.change(func(*domain.Lease) {})
		stop()
		if owners := leases.owners(); owners[""] != 2 {
			t.Errorf("owners %v", owners)
		}
	})

	run("pages without a relevant change cost no lease write", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		p := NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"})
		stop := start(t, p)
		synctest.Wait()
		_, before := counts(feed, leases)
		feed.Write(0, feedtest.Irrelevant, feedtest.Irrelevant)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if _, after := counts(feed, leases); after != before {
			t.Errorf("%d lease writes", after-before)
		}
		if ok, err := p.CaughtUp(t.Context()); !ok || err != nil {
			t.Errorf("caught up: %t, %v", ok, err)
		}
		stop() // what was passed is kept when the lease is released
		for _, r := range feed.Ranges {
			if l, _ := leases.Read(t.Context(), "p", r); l.Continuation == "" && r == feed.Ranges[0] {
				t.Error("the continuation is lost")
			}
		}
	})

	run("two instances share the ranges", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		stopA := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"}))
		defer stopA()
		synctest.Wait()
		stopB := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "b"}))
		defer stopB()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if owners := leases.owners(); owners["a"] != 1 || owners["b"] != 1 {
			t.Errorf("owners %v", owners)
		}
		feed.Write(0, 1)
		feed.Write(1, 2)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := seen.all(); len(got) != 2 {
			t.Errorf("projected %v", got)
		}
	})

	run("an idle processor neither writes leases nor reads more than it must", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		stop := start(t, NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"}))
		defer stop()
		synctest.Wait()
		readsBefore, writesBefore := counts(feed, leases)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		reads, writes := counts(feed, leases)
		if reads-readsBefore > 20 || writes != writesBefore {
			t.Errorf("%d reads and %d lease writes in ten seconds", reads-readsBefore, writes-writesBefore)
		}
	})

	run("has not caught up where no lease is, or one of another container", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		p := NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"})
		for _, want := range []bool{false, false, true} {
			if ok, err := p.CaughtUp(t.Context()); ok != want || err != nil {
				t.Errorf("leases %v, caught up: %t, %v", leases.leases, ok, err)
			}
			leases.Create(t.Context(), domain.Lease{Range: feed.Ranges[len(leases.leases)%2], Container: "rid"})
		}
		leases.change(func(l *domain.Lease) { l.Container = "gone" })
		if ok, err := p.CaughtUp(t.Context()); ok || err != nil {
			t.Errorf("caught up: %t, %v", ok, err)
		}
	})
}
