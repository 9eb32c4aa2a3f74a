package changefeed

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/changefeed/feedtest"
	"inkfeed/workers/loop"
)

func TestPoison(t *testing.T) {
	run := func(name string, test func(t *testing.T, feed *feedtest.Feed, letters *fakeLetters, seen *collector, p *Processor[int])) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				feed, letters, seen := feedtest.New(1), &fakeLetters{}, &collector{reject: map[int]error{}}
				test(t, feed, letters, seen, NewProcessor("p", feed, newFakeLeases(), letters, seen, Options{Instance: "a"}))
			})
		})
	}
	wantCaughtUp := func(t *testing.T, p *Processor[int], want bool) {
		t.Helper()
		if ok, err := p.CaughtUp(t.Context()); ok != want || err != nil {
			t.Errorf("caught up: %t, %v", ok, err)
		}
	}

	run("a change that keeps failing is put aside, and its neighbours go on in order", func(t *testing.T, feed *feedtest.Feed, letters *fakeLetters, seen *collector, p *Processor[int]) {
		seen.reject[2] = errors.New("too odd")
		feed.Write(0, 1, 2, 3, 4)
		began := time.Now()
		defer start(t, p)()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1, 3, 4}) {
			t.Errorf("projected %v", got)
		}
		if seen.attempts != 5+1+5+1+1 {
			t.Errorf("%d attempts: the page five times, the change five times, its neighbours once", seen.attempts)
		}
		if len(letters.letters) != 1 {
			t.Fatalf("dead letters %+v", letters.letters)
		}
		l := letters.letters[0]
		if l.Processor != "p" || l.Range != feed.Ranges[0] || l.Item != (domain.ItemRef{PartitionKey: "0", ID: "2"}) ||
			string(l.Body) != `{"id":"2"}` || l.Error != "too odd" || l.Attempts != 10 || !l.First.After(began) || l.Last != l.First {
			t.Errorf("dead letter %+v", l)
		}
		wantCaughtUp(t, p, true)
		feed.Write(0, 5)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1, 3, 4, 5}) {
			t.Errorf("projected %v after the checkpoint", got)
		}
	})

	run("a page of one is not tried twice as often", func(t *testing.T, feed *feedtest.Feed, letters *fakeLetters, seen *collector, p *Processor[int]) {
		seen.reject[1] = errors.New("too odd")
		feed.Write(0, 1)
		defer start(t, p)()
		time.Sleep(time.Minute)
		synctest.Wait()
		if seen.attempts != 5 || !slices.Equal(letters.items(), []string{"1"}) || letters.letters[0].Attempts != 5 {
			t.Errorf("%d attempts, dead letters %+v", seen.attempts, letters.letters)
		}
	})

	run("pauses between attempts grow", func(t *testing.T, feed *feedtest.Feed, letters *fakeLetters, seen *collector, p *Processor[int]) {
		var at []time.Time
		seen.during = func(context.Context, []int) error {
			at = append(at, time.Now())
			return errors.New("too odd")
		}
		feed.Write(0, 1)
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

	run("what fails a few times and then succeeds is no dead letter", func(t *testing.T, feed *feedtest.Feed, letters *fakeLetters, seen *collector, p *Processor[int]) {
		failures := 4
		seen.during = func(context.Context, []int) error {
			if failures--; failures >= 0 {
				return errors.New("not yet")
			}
			return nil
		}
		feed.Write(0, 1, 2)
		defer start(t, p)()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1, 2}) || len(letters.letters) != 0 {
			t.Errorf("projected %v, dead letters %v", got, letters.items())
		}
	})

	run("an unavailable storage is never a dead letter", func(t *testing.T, feed *feedtest.Feed, letters *fakeLetters, seen *collector, p *Processor[int]) {
		seen.setFailure(unavailable)
		feed.Write(0, 1, 2)
		defer start(t, p)()
		time.Sleep(24 * time.Hour)
		wantCaughtUp(t, p, false)
		if n := len(letters.items()); n != 0 {
			t.Errorf("%d dead letters", n)
		}
		seen.setFailure(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1, 2}) {
			t.Errorf("projected %v", got)
		}
	})

	run("nothing is skipped when a dead letter cannot be stored", func(t *testing.T, feed *feedtest.Feed, letters *fakeLetters, seen *collector, p *Processor[int]) {
		seen.reject[1] = errors.New("too odd")
		letters.setFailure(errors.New("full"))
		feed.Write(0, 1, 2)
		defer start(t, p)()
		time.Sleep(time.Hour)
		wantCaughtUp(t, p, false)
		if got := seen.all(); len(got) != 0 {
			t.Errorf("projected %v before the dead letter was stored", got)
		}
		letters.setFailure(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{2}) || !slices.Equal(letters.items(), []string{"1"}) {
			t.Errorf("projected %v, dead letters %v", got, letters.items())
		}
		wantCaughtUp(t, p, true)
	})

	run("an item that cannot be decoded is put aside and does not fail its page", func(t *testing.T, feed *feedtest.Feed, letters *fakeLetters, seen *collector, p *Processor[int]) {
		feed.Write(0, 1)
		feed.WriteBroken(0, 2, errors.New("not of its shape"))
		feed.Write(0, 3)
		letters.setFailure(errors.New("full"))
		defer start(t, p)()
		time.Sleep(time.Minute)
		wantCaughtUp(t, p, false)
		letters.setFailure(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1, 3}) || seen.attempts != 1 {
			t.Errorf("projected %v in %d attempts", got, seen.attempts)
		}
		if l := letters.letters[0]; len(letters.letters) != 1 || l.Item.ID != "2" || l.Error != "not of its shape" || l.Attempts != 1 {
			t.Errorf("dead letters %+v", letters.letters)
		}
		wantCaughtUp(t, p, true)
	})

	run("a projector that panics does not end the process", func(t *testing.T, feed *feedtest.Feed, letters *fakeLetters, seen *collector, p *Processor[int]) {
		seen.during = func(_ context.Context, page []int) error {
			if slices.Contains(page, 2) {
				panic("no such thing")
			}
			return nil
		}
		feed.Write(0, 1, 2, 3)
		defer start(t, p)()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1, 3}) || len(letters.letters) != 1 || !strings.Contains(letters.letters[0].Error, "no such thing") {
			t.Errorf("projected %v, dead letters %+v", got, letters.letters)
		}
	})

	run("an attempt that never ends is cut off, and that counts when the storage is not to blame", func(t *testing.T, feed *feedtest.Feed, letters *fakeLetters, seen *collector, p *Processor[int]) {
		seen.during = func(ctx context.Context, page []int) error {
			if page[0] == 1 {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		feed.Write(0, 1)
		defer start(t, p)()
		time.Sleep(24 * time.Minute)
		if n := len(letters.items()); n != 0 {
			t.Errorf("%d dead letters before five attempts of five minutes", n)
		}
		time.Sleep(2 * time.Minute)
		if got := letters.items(); !slices.Equal(got, []string{"1"}) {
			t.Errorf("dead letters %v", got)
		}
	})

	run("work that takes long and resumes gets through", func(t *testing.T, feed *feedtest.Feed, letters *fakeLetters, seen *collector, p *Processor[int]) {
		left := time.Hour
		seen.during = func(ctx context.Context, page []int) error {
			began := time.Now()
			select {
			case <-time.After(left):
				return nil
			case <-ctx.Done():
				left -= time.Since(began)
				return &domain.Error{Kind: domain.Unavailable, Err: ctx.Err()} // as the storage says it
			}
		}
		feed.Write(0, 1)
		defer start(t, p)()
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1}) || len(letters.letters) != 0 {
			t.Errorf("projected %v, dead letters %v", got, letters.items())
		}
	})
}

func TestRetry(t *testing.T) {
	letter := domain.DeadLetter{Item: domain.ItemRef{PartitionKey: "0", ID: "1"}}
	for name, c := range map[string]struct {
		prepare func(feed *feedtest.Feed, seen *collector)
		want    error
		seen    []int
	}{
		"projects the item as it is now":          {func(f *feedtest.Feed, _ *collector) { f.Write(0, 1) }, nil, []int{1}},
		"of an item that is gone is done":         {func(f *feedtest.Feed, _ *collector) { f.Write(0, 1); f.Forget(1) }, nil, nil},
		"fails as the projector does":             {func(f *feedtest.Feed, s *collector) { f.Write(0, 1); s.fail = errDead }, errDead, nil},
		"fails when the item cannot be decoded":   {func(f *feedtest.Feed, _ *collector) { f.WriteBroken(0, 1, errDead) }, errDead, nil},
		"fails when the item cannot be looked up": {func(f *feedtest.Feed, _ *collector) { f.Write(0, 1); f.Failure = unavailable }, unavailable, nil},
	} {
		t.Run(name, func(t *testing.T) {
			feed, seen := feedtest.New(1), &collector{}
			c.prepare(feed, seen)
			p := NewProcessor("p", feed, newFakeLeases(), &fakeLetters{}, seen, Options{})
			if err := p.Retry(t.Context(), letter); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if got := seen.all(); !slices.Equal(got, c.seen) {
				t.Errorf("projected %v", got)
			}
		})
	}
}
