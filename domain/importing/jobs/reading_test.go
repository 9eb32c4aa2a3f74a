package jobs_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing/jobs"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// reading returns a runner whose reader of uploads calls a function before it reads.
func (w *world) reading(before func(ctx context.Context) error) *jobs.Runner {
	return w.runner(w.store, func(c *jobs.Config) {
		c.Read = func(ctx context.Context, name string, file *os.File, o portable.Options, now time.Time) (
			*portable.Blog, error) {
			if err := before(ctx); err != nil {
				return nil, err
			}
			return readHere(ctx, name, file, o, now)
		}
	})
}

func TestAnUploadIsReadAtMostFourTimesIfEachInstanceStopsMeanwhile(t *testing.T) {
	for _, c := range []struct{ works, want domain.ImportState }{
		{domain.ImportReading, domain.ImportRefused},
		{domain.ImportRunning, domain.ImportFailed},
	} {
		t.Run("when it is "+string(c.works), func(t *testing.T) {
			w := newWorld(t)
			w.upload("blog.zip", zipped(t, blog(t)))
			if c.works == domain.ImportRunning {
				w.work(w.runner(w.store))
				w.change(c.works)
			}
			now, read := time.Now(), 0
			for range 10 {
				now = now.Add(10 * time.Minute)
				ctx, stop := context.WithCancel(t.Context())
				r := w.reading(func(ctx context.Context) error { read++; stop(); return ctx.Err() })
				w.must(r.Look(ctx, now))
				r.Wait()
			}
			if j := w.wantState(c.want); read != 4 || j.Owner != "" || j.Problem == "" {
				t.Errorf("after %d times the job is %+v", read, j)
			}
		})
	}
}

func TestAnUploadWhoseReaderDiedIsRefusedAndNotReadAgain(t *testing.T) {
	for _, c := range []struct{ works, want domain.ImportState }{
		{domain.ImportReading, domain.ImportRefused},
		{domain.ImportRunning, domain.ImportFailed},
	} {
		t.Run("when it is "+string(c.works), func(t *testing.T) {
			w := newWorld(t)
			w.upload("blog.zip", zipped(t, blog(t)))
			if c.works == domain.ImportRunning {
				w.work(w.runner(w.store))
				w.change(c.works)
			}
			read := 0
			died := portable.NewFault(locale.M("reading it takes more memory than this site allows"), nil)
			r := w.reading(func(context.Context) error { read++; return died })
			for range 3 {
				w.work(r)
			}
			j := w.wantState(c.want)
			if why := j.Problem.String(); read != 1 || !strings.Contains(why, "more memory than this site allows") {
				t.Errorf("after %d times the problem is %q", read, why)
			}
		})
	}
}

func TestAReaderThatCannotStartIsTriedAgain(t *testing.T) {
	w := newWorld(t)
	w.upload("blog.zip", zipped(t, blog(t)))
	w.work(w.reading(func(context.Context) error { return errors.New("fork: resource temporarily unavailable") }))
	if j := w.wantState(domain.ImportReading); j.Attempts != 1 || j.Owner != "" {
		t.Errorf("the job is %+v", j)
	}
	w.work(w.runner(w.store))
	w.wantState(domain.ImportReady)
}
