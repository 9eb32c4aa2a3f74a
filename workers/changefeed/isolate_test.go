package changefeed

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/loop"
)

func TestPoisonChanges(t *testing.T) {
	run := func(name string, test func(t *testing.T, c *cluster, p *Processor[int])) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(1)
				test(t, c, c.processor(Options{Instance: "a"}))
			})
		})
	}
	wantCaughtUp := func(t *testing.T, p *Processor[int], want bool) {
		t.Helper()
		if ok, err := p.CaughtUp(t.Context()); ok != want || err != nil {
			t.Errorf("caught up: %t, %v", ok, err)
		}
	}

	run("a change that keeps failing becomes a dead letter", func(t *testing.T, c *cluster, p *Processor[int]) {
		c.seen.reject[2] = errors.New("too odd")
		c.feed.Write(0, 1, 2, 3, 4)
		began := time.Now()
		defer start(t, p)()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1, 3, 4}) {
			t.Errorf("projected %v", got)
		}
		if c.seen.attempts != 5+1+5+1+1 {
			t.Errorf("%d attempts: the page five times, the change five times, its neighbours once", c.seen.attempts)
		}
		if len(c.letters.letters) != 1 {
			t.Fatalf("dead letters %+v", c.letters.letters)
		}
		l := c.letters.letters[0]
		if l.Processor != "p" || l.Range != c.feed.Ranges[0] ||
			l.Item != (feeds.ItemRef{PartitionKey: "0", ID: "2"}) ||
			l.Error != "too odd" || l.Attempts != 10 || !l.First.After(began) ||
			l.Last != l.First {
			t.Errorf("dead letter %+v", l)
		}
		wantCaughtUp(t, p, true)
		c.feed.Write(0, 5)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1, 3, 4, 5}) {
			t.Errorf("projected %v after the checkpoint", got)
		}
	})

	run("a page of one change is tried five times, not ten", func(t *testing.T, c *cluster, p *Processor[int]) {
		c.seen.reject[1] = errors.New("too odd")
		c.feed.Write(0, 1)
		defer start(t, p)()
		time.Sleep(time.Minute)
		synctest.Wait()
		if c.seen.attempts != 5 || !slices.Equal(c.letters.items(), []string{"1"}) ||
			c.letters.letters[0].Attempts != 5 {
			t.Errorf("%d attempts, dead letters %+v", c.seen.attempts, c.letters.letters)
		}
	})

	run("pauses between attempts grow", func(t *testing.T, c *cluster, p *Processor[int]) {
		var at []time.Time
		c.seen.during = func(context.Context, []int) error {
			at = append(at, time.Now())
			return errors.New("too odd")
		}
		c.feed.Write(0, 1)
		defer start(t, p)()
		time.Sleep(time.Minute)
		synctest.Wait()
		for i := range 4 {
			full := loop.FirstBackoff << i
			if pause := at[i+1].Sub(at[i]); pause < full/2 || pause >= full {
				t.Errorf("pause %d is %v, want %v to %v", i, pause, full/2, full)
			}
		}
	})

	run("a page that fails and then succeeds causes no dead letter", func(t *testing.T, c *cluster, p *Processor[int]) {
		failures := 4
		c.seen.during = func(context.Context, []int) error {
			if failures--; failures >= 0 {
				return errors.New("not yet")
			}
			return nil
		}
		c.feed.Write(0, 1, 2)
		defer start(t, p)()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1, 2}) || len(c.letters.letters) != 0 {
			t.Errorf("projected %v, dead letters %v", got, c.letters.items())
		}
	})

	run("an unavailable storage never causes a dead letter", func(t *testing.T, c *cluster, p *Processor[int]) {
		c.seen.setFailure(unavailable)
		c.feed.Write(0, 1, 2)
		defer start(t, p)()
		time.Sleep(24 * time.Hour)
		wantCaughtUp(t, p, false)
		if n := len(c.letters.items()); n != 0 {
			t.Errorf("%d dead letters", n)
		}
		c.seen.setFailure(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1, 2}) {
			t.Errorf("projected %v", got)
		}
	})

	run("nothing is skipped when a dead letter cannot be stored", func(t *testing.T, c *cluster, p *Processor[int]) {
		c.seen.reject[1] = errors.New("too odd")
		c.letters.setFailure(errors.New("full"))
		c.feed.Write(0, 1, 2)
		defer start(t, p)()
		time.Sleep(time.Hour)
		wantCaughtUp(t, p, false)
		if got := c.seen.all(); len(got) != 0 {
			t.Errorf("projected %v before the dead letter was stored", got)
		}
		c.letters.setFailure(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{2}) || !slices.Equal(c.letters.items(), []string{"1"}) {
			t.Errorf("projected %v, dead letters %v", got, c.letters.items())
		}
		wantCaughtUp(t, p, true)
	})

	run("an item that cannot be decoded does not fail its page", func(t *testing.T, c *cluster, p *Processor[int]) {
		c.feed.Write(0, 1)
		c.feed.WriteBroken(0, 2, errors.New("not of its shape"))
		c.feed.Write(0, 3)
		c.letters.setFailure(errors.New("full"))
		defer start(t, p)()
		time.Sleep(time.Minute)
		wantCaughtUp(t, p, false)
		c.letters.setFailure(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1, 3}) || c.seen.attempts != 1 {
			t.Errorf("projected %v in %d attempts", got, c.seen.attempts)
		}
		if l := c.letters.letters[0]; len(c.letters.letters) != 1 || l.Item.ID != "2" ||
			l.Error != "not of its shape" || l.Attempts != 1 {
			t.Errorf("dead letters %+v", c.letters.letters)
		}
		wantCaughtUp(t, p, true)
	})

	run("a projector that panics does not end the process", func(t *testing.T, c *cluster, p *Processor[int]) {
		c.seen.during = func(_ context.Context, page []int) error {
			if slices.Contains(page, 2) {
				panic("no such thing")
			}
			return nil
		}
		c.feed.Write(0, 1, 2, 3)
		defer start(t, p)()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1, 3}) || len(c.letters.letters) != 1 ||
			!strings.Contains(c.letters.letters[0].Error, "no such thing") {
			t.Errorf("projected %v, dead letters %+v", got, c.letters.letters)
		}
	})

	run("an attempt that never ends is cancelled and counts", func(t *testing.T, c *cluster, p *Processor[int]) {
		c.seen.during = func(ctx context.Context, page []int) error {
			if page[0] == 1 {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		c.feed.Write(0, 1)
		defer start(t, p)()
		time.Sleep(24 * time.Minute)
		if n := len(c.letters.items()); n != 0 {
			t.Errorf("%d dead letters before five attempts of five minutes", n)
		}
		time.Sleep(2 * time.Minute)
		if got := c.letters.items(); !slices.Equal(got, []string{"1"}) {
			t.Errorf("dead letters %v", got)
		}
	})

	run("a projector that resumes may take longer than an attempt", func(t *testing.T, c *cluster, p *Processor[int]) {
		left := time.Hour
		c.seen.during = func(ctx context.Context, page []int) error {
			began := time.Now()
			select {
			case <-time.After(left):
				return nil
			case <-ctx.Done():
				left -= time.Since(began)
				return &domain.Error{Kind: domain.Unavailable, Err: ctx.Err()} // as the storage says it
			}
		}
		c.feed.Write(0, 1)
		defer start(t, p)()
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1}) || len(c.letters.letters) != 0 {
			t.Errorf("projected %v, dead letters %v", got, c.letters.items())
		}
	})
}

func TestRetryingADeadLetterProjectsThePresentItem(t *testing.T) {
	letter := feeds.DeadLetter{Item: feeds.ItemRef{PartitionKey: "0", ID: "1"}}
	for name, tt := range map[string]struct {
		prepare func(c *cluster)
		want    error
		seen    []int
	}{
		"projects the present state of the item": {
			func(c *cluster) { c.feed.Write(0, 1) }, nil, []int{1}},
		"succeeds if the item is gone": {
			func(c *cluster) { c.feed.Write(0, 1); c.feed.Forget(1) }, nil, nil},
		"fails if the projector fails": {
			func(c *cluster) { c.feed.Write(0, 1); c.seen.fail = errDead }, errDead, nil},
		"fails if the item cannot be decoded": {
			func(c *cluster) { c.feed.WriteBroken(0, 1, errDead) }, errDead, nil},
		"fails if the item cannot be read": {
			func(c *cluster) { c.feed.Write(0, 1); c.feed.Failure = unavailable }, unavailable, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(1)
			tt.prepare(c)
			err := c.processor(Options{}).Retry(t.Context(), letter)
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if got := c.seen.all(); !slices.Equal(got, tt.seen) {
				t.Errorf("projected %v, want %v", got, tt.seen)
			}
		})
	}
}
