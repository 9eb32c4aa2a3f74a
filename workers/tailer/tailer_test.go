package tailer

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/changefeed/feedtest"
	"inkfeed/workers/loop"
)

// notebook is a follower in memory that outlives its tailers, like a file.
type notebook struct {
	mu        sync.Mutex
	container string
	marks     map[feeds.Range]Mark
	seen      []int
	begun     int
	calls     int // of Follow
	fail      error
	inside    int  // calls of Follow under way
	overlap   bool // whether two were under way at once
}

func (n *notebook) enter() func() {
	n.mu.Lock()
	return n.mu.Unlock
}

func (n *notebook) Marks(context.Context) (string, []Mark, error) {
	defer n.enter()()
	return n.container, slices.Collect(maps.Values(n.marks)), n.fail
}

func (n *notebook) Begin(_ context.Context, container string) error {
	defer n.enter()()
	if n.fail != nil {
		return n.fail
	}
	n.container, n.marks, n.seen = container, map[feeds.Range]Mark{}, nil
	n.begun++
	return nil
}

func (n *notebook) Replace(_ context.Context, ranges []feeds.Range, marks []Mark) error {
	defer n.enter()()
	if n.fail != nil {
		return n.fail
	}
	for _, r := range ranges {
		if _, ok := n.marks[r]; !ok {
			return errors.New("there is no such mark")
		}
		delete(n.marks, r)
	}
	for _, m := range marks {
		n.marks[m.Range] = m
	}
	return nil
}

func (n *notebook) Follow(_ context.Context, changes []feeds.Change[int], m Mark) error {
	leave := n.enter()
	n.inside++
	n.overlap = n.overlap || n.inside > 1
	leave()
	time.Sleep(time.Millisecond) // so that overlapping calls would be noticed
	synctest.Wait()
	defer n.enter()()
	n.inside--
	n.calls++
	if n.fail != nil {
		return n.fail
	}
	if _, ok := n.marks[m.Range]; !ok {
		return ErrLost
	}
	for _, c := range changes {
		n.seen = append(n.seen, c.Value)
	}
	n.marks[m.Range] = m
	return nil
}

func (n *notebook) all() []int {
	defer n.enter()()
	return slices.Sorted(slices.Values(n.seen))
}

func (n *notebook) set(change func()) {
	defer n.enter()()
	change()
}

// tail runs a tailer until stop is called.
func tail(t *testing.T, feed *feedtest.Feed, n *notebook, o Options) (tailer *Tailer[int], stop func()) {
	t.Helper()
	tailer = New("index", feed, n, o)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { tailer.Run(ctx); close(done) }()
	return tailer, func() { cancel(); <-done }
}

func TestTailer(t *testing.T) {
	run := func(name string, test func(t *testing.T, feed *feedtest.Feed, n *notebook)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				feed, n := feedtest.New(3), &notebook{}
				test(t, feed, n)
				if feed.Misused != nil {
					t.Error(feed.Misused)
				}
				if n.overlap {
					t.Error("two calls of the follower at once")
				}
			})
		})
	}
	settle := func() { time.Sleep(time.Minute); synctest.Wait() }
	wants := func(t *testing.T, n *notebook, want ...int) {
		t.Helper()
		if got := n.all(); !slices.Equal(got, want) {
			t.Errorf("followed %v, want %v", got, want)
		}
	}

	run("follows changes from before and after its start, in all ranges",
		func(t *testing.T, feed *feedtest.Feed, n *notebook) {
			feed.Write(0, 1, 2)
			feed.Write(2, 5)
			_, stop := tail(t, feed, n, Options{})
			defer stop()
			settle()
			feed.Write(1, 3)
			settle()
			wants(t, n, 1, 2, 3, 5)
			for r, m := range n.marks {
				if !m.Complete || time.Since(m.Read) > 2*time.Minute {
					t.Errorf("the mark of %v: %+v", r, m)
				}
			}
		})

	run("follows soon after a long failure if its waits are limited",
		func(t *testing.T, feed *feedtest.Feed, n *notebook) {
			tailer, stop := tail(t, feed, n, Options{PollInterval: 100 * time.Millisecond, MaxBackoff: time.Second})
			defer stop()
			settle()
			feed.SetFailure(errors.New("the storage is overloaded"))
			time.Sleep(10 * time.Minute)
			feed.SetFailure(nil)
			recovered := time.Now()
			time.Sleep(3 * time.Second)
			if current := tailer.Current(); current.Before(recovered) {
				t.Errorf("the tailer is current up to %s before the recovery", recovered.Sub(current))
			}
		})

	run("keeps the order within a range", func(t *testing.T, feed *feedtest.Feed, n *notebook) {
		for i := range 50 {
			feed.Write(0, i)
		}
		_, stop := tail(t, feed, n, Options{PageSize: 7})
		defer stop()
		settle()
		if len(n.seen) != 50 || !slices.IsSorted(n.seen) {
			t.Errorf("followed %v", n.seen)
		}
	})

	run("follows each change once although it is stopped and started",
		func(t *testing.T, feed *feedtest.Feed, n *notebook) {
			for i := range 40 {
				feed.Write(i%3, i)
				_, stop := tail(t, feed, n, Options{PageSize: 1})
				time.Sleep(time.Duration(i) * time.Millisecond / 2)
				stop()
			}
			_, stop := tail(t, feed, n, Options{})
			defer stop()
			settle()
			if got := n.all(); len(got) != 40 || n.begun != 1 {
				t.Errorf("followed %v, begun %d times", got, n.begun)
			}
		})

	run("reads at once when woken, but not for each write of a burst",
		func(t *testing.T, feed *feedtest.Feed, n *notebook) {
			tailer, stop := tail(t, feed, n, Options{PollInterval: time.Hour, KeepInterval: time.Hour,
				ReviewInterval: time.Hour})
			defer stop()
			time.Sleep(time.Second)
			synctest.Wait()
			before := feed.Reads
			for i := range 100 {
				feed.Write(0, i)
				tailer.Wake()
				time.Sleep(5 * time.Millisecond)
				synctest.Wait()
			}
			time.Sleep(200 * time.Millisecond)
			synctest.Wait()
			if got := len(n.all()); got != 100 {
				t.Errorf("followed %d of 100", got)
			}
			if reads := feed.Reads - before; reads > 3*10 {
				t.Errorf("%d reads of 3 ranges for a burst of half a second", reads)
			}
		})

	run("reads once a minute while the instance is idle, and until a given time when asked to",
		func(t *testing.T, feed *feedtest.Feed, n *notebook) {
			activity := loop.NewActivity(time.Minute)
			tailer, stop := tail(t, feed, n, Options{PollInterval: 500 * time.Millisecond, Activity: activity})
			defer stop()
			time.Sleep(3 * time.Minute)
			synctest.Wait()
			before := feed.CountReads()
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			if reads := feed.CountReads() - before; reads > 11*3 {
				t.Errorf("%d reads of three ranges in ten idle minutes", reads)
			}
			if behind := tailer.Behind(); behind != 0 {
				t.Errorf("%v behind", behind)
			}
			feed.Write(2, 8)
			asked := time.Now()
			tailer.CatchUp(t.Context())
			wants(t, n, 8)
			if took := time.Since(asked); took > time.Second || tailer.Current().Before(asked) {
				t.Errorf("current up to %s before the call after %s", asked.Sub(tailer.Current()), took)
			}
			activity.Use()
			before = feed.CountReads()
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if reads := feed.CountReads() - before; reads < 3*18 {
				t.Errorf("%d reads of three ranges in the ten seconds after a use", reads)
			}
		})

	run("follows each change once after splits", func(t *testing.T, feed *feedtest.Feed, n *notebook) {
		feed.WriteKey("05", 1)
		feed.WriteKey("01", 2)
		_, stop := tail(t, feed, n, Options{})
		defer stop()
		settle()
		feed.Split(0, "03")
		feed.WriteKey("05", 3)
		feed.WriteKey("01", 4)
		settle()
		feed.Split(0, "02")
		feed.WriteKey("01", 5)
		settle()
		wants(t, n, 1, 2, 3, 4, 5)
		var ranges []string
		for r := range n.marks {
			ranges = append(ranges, r.MinInclusive+"-"+r.MaxExclusive)
		}
		slices.Sort(ranges)
		if got := strings.Join(ranges, " "); got != "0-02 02-03 03-1 1-2 2-3" {
			t.Errorf("marks of %s", got)
		}
	})

	run("reads a range undivided if its continuation cannot be narrowed",
		func(t *testing.T, feed *feedtest.Feed, n *notebook) {
			feed.Opaque = true
			feed.WriteKey("05", 1)
			_, stop := tail(t, feed, n, Options{})
			defer stop()
			settle()
			feed.Split(0, "03")
			feed.WriteKey("05", 3)
			feed.WriteKey("01", 4)
			settle()
			wants(t, n, 1, 3, 4)
		})

	run("starts from the beginning when the container is recreated",
		func(t *testing.T, feed *feedtest.Feed, n *notebook) {
			feed.Write(0, 1)
			_, stop := tail(t, feed, n, Options{})
			defer stop()
			settle()
			feed.Mu.Lock()
			feed.ID, feed.Log, feed.LSN = "another", nil, 0
			feed.Mu.Unlock()
			feed.Write(1, 7)
			settle()
			feed.Misused = nil // the tailer uses the old continuation until it checks the container
			wants(t, n, 7)
			if n.container != "another" || n.begun != 2 {
				t.Errorf("container %q, begun %d times", n.container, n.begun)
			}
		})

	run("starts from the beginning if the container was recreated while it was stopped",
		func(t *testing.T, feed *feedtest.Feed, n *notebook) {
			feed.Write(0, 1)
			_, stop := tail(t, feed, n, Options{})
			settle()
			stop()
			feed.ID, feed.Log = "another", nil
			feed.Write(1, 7)
			_, stop = tail(t, feed, n, Options{})
			defer stop()
			settle()
			wants(t, n, 7)
		})

	run("starts from the beginning if the container was restored to an older state",
		func(t *testing.T, feed *feedtest.Feed, n *notebook) {
			feed.Write(0, 1, 2, 3, 4)
			_, stop := tail(t, feed, n, Options{})
			settle()
			stop()
			feed.Log, feed.LSN = feed.Log[:1], 1
			feed.Write(0, 9)
			_, stop = tail(t, feed, n, Options{})
			defer stop()
			settle()
			settle()
			wants(t, n, 1, 9)
		})

	run("waits while the storage is unavailable, and continues", func(t *testing.T, feed *feedtest.Feed, n *notebook) {
		feed.SetFailure(domain.NewError(domain.Unavailable, "away"))
		tailer, stop := tail(t, feed, n, Options{})
		defer stop()
		settle()
		if behind := tailer.Behind(); behind < 50*time.Second {
			t.Errorf("%v behind after a minute without an answer", behind)
		}
		feed.SetFailure(nil)
		feed.Write(0, 1)
		settle()
		wants(t, n, 1)
		feed.SetFailure(domain.NewError(domain.Unavailable, "away again"))
		time.Sleep(time.Hour)
		synctest.Wait()
		if behind := tailer.Behind(); behind < 50*time.Minute {
			t.Errorf("%v behind after an hour without an answer", behind)
		}
		if feed.Reads > 3*20+3*60*60/10 {
			t.Errorf("%d reads within an hour of failures", feed.Reads)
		}
		feed.SetFailure(nil)
		feed.Write(1, 2)
		settle()
		wants(t, n, 1, 2)
		if behind := tailer.Behind(); behind != 0 {
			t.Errorf("%v behind when all is read", behind)
		}
	})

	run("is catching up until it has reached the end of every range once",
		func(t *testing.T, feed *feedtest.Feed, n *notebook) {
			feed.SetFailure(domain.NewError(domain.Unavailable, "away"))
			tailer, stop := tail(t, feed, n, Options{})
			defer stop()
			settle()
			settle()
			if got := tailer.CatchingUp(); got != 2*time.Minute {
				t.Errorf("catching up for %v after two minutes of failures", got)
			}
			feed.SetFailure(nil)
			settle()
			if got := tailer.CatchingUp(); got != 0 {
				t.Errorf("catching up for %v at the end", got)
			}
			feed.Split(0, "03")
			feed.SetFailure(domain.NewError(domain.Unavailable, "away again"))
			settle()
			if got := tailer.CatchingUp(); got != 0 {
				t.Errorf("catching up for %v after it has reached the end", got)
			}
		})

	run("is complete after one read that reaches the end", func(t *testing.T, feed *feedtest.Feed, n *notebook) {
		for i := range 3 {
			feed.Write(i, i)
		}
		tailer, stop := tail(t, feed, n, Options{PollInterval: time.Hour})
		defer stop()
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		wants(t, n, 0, 1, 2)
		if behind := tailer.Behind(); behind != 0 {
			t.Errorf("%v behind when all is read", behind)
		}
		for _, m := range n.marks {
			if !m.Complete {
				t.Errorf("%+v is not complete", m)
			}
		}
	})

	run("repeats changes that its follower could not apply", func(t *testing.T, feed *feedtest.Feed, n *notebook) {
		feed.Write(0, 1)
		_, stop := tail(t, feed, n, Options{})
		defer stop()
		settle()
		n.set(func() { n.fail = errors.New("disk full") })
		feed.Write(0, 2)
		feed.Write(1, 3)
		settle()
		wants(t, n, 1)
		n.set(func() { n.fail = nil })
		settle()
		wants(t, n, 1, 2, 3)
	})

	run("starts from the beginning when its follower has lost its data",
		func(t *testing.T, feed *feedtest.Feed, n *notebook) {
			feed.Write(0, 1)
			feed.Write(1, 2)
			_, stop := tail(t, feed, n, Options{})
			defer stop()
			settle()
			n.set(func() { n.container, n.marks, n.seen = "", nil, nil })
			feed.Write(0, 3)
			settle()
			wants(t, n, 1, 2, 3)
		})

	run("skips an item that cannot be decoded, and logs it", func(t *testing.T, feed *feedtest.Feed, n *notebook) {
		var log bytes.Buffer
		feed.Write(0, 1)
		feed.WriteBroken(0, 2, errors.New("not a number"))
		feed.Write(0, 3)
		_, stop := tail(t, feed, n, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		settle()
		stop()
		wants(t, n, 1, 3)
		if !strings.Contains(log.String(), "cannot decode a change") || !strings.Contains(log.String(), "item=2") {
			t.Errorf("log %s", log.String())
		}
	})

	run("stores its marks at intervals without changes, and not at each poll",
		func(t *testing.T, feed *feedtest.Feed, n *notebook) {
			_, stop := tail(t, feed, n, Options{PollInterval: time.Second})
			defer stop()
			time.Sleep(time.Hour)
			synctest.Wait()
			if n.calls < 3*55 || n.calls > 3*65 {
				t.Errorf("%d calls in an hour of three ranges", n.calls)
			}
		})
}
