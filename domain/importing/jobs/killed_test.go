package jobs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing/jobs"
)

// kill lets an instance look for work and kills it as soon as it has taken a job.
func (w *world) kill(now time.Time) {
	w.Helper()
	ctx, stop := context.WithCancel(w.Context())
	defer stop()
	cut := &outage{transporter: w.engine, stop: stop, left: 1000}
	r := w.runner(w.open(cut), func(c *jobs.Config) { c.Beat = time.Hour })
	cut.left = 3 // the list of entries, the job, and the write that takes it
	w.must(r.Look(ctx, now))
	r.Wait()
}

func TestWorkThatKillsInstancesIsGivenUp(t *testing.T) {
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
			now := time.Now()
			for range 6 {
				now = now.Add(10 * time.Minute)
				w.kill(now)
			}
			if j := w.wantState(c.want); j.Owner != "" || j.Problem == "" {
				t.Errorf("the job is %+v", j)
			}
		})
	}
}

func TestPanicsFailTheWorkAndNotTheProcess(t *testing.T) {
	posts := func(c *jobs.Config) { c.Posts = announcing{c.Posts, func() { panic("a defect") }} }
	for _, c := range []struct {
		name   string
		works  domain.ImportState
		broken func(*jobs.Config)
	}{
		{"of an import's post", domain.ImportRunning, posts},
		{"of an import's picture", domain.ImportRunning, func(c *jobs.Config) { c.Images = panicking{c.Images} }},
		{"of an undone post", domain.ImportUndoing, posts},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			if c.works == domain.ImportUndoing {
				w.imported(zipped(t, blog(t)))
			} else {
				w.upload("blog.zip", zipped(t, blog(t)))
				w.work(w.runner(w.store))
			}
			w.change(c.works)
			w.work(w.runner(w.store, c.broken))
			if j := w.wantState(c.works); j.Owner != "" || j.Attempts != 1 {
				t.Errorf("the job is %+v", j)
			}
			w.work(w.runner(w.store))
			if j := w.job(); j.State.Works() {
				t.Errorf("the job is still %s", j.State)
			}
			if c.works == domain.ImportRunning {
				if one := w.post("One"); !strings.Contains(one.Content, "/media/") {
					t.Errorf("the post has lost its picture: %s", one.Content)
				}
			}
		})
	}
}

// panicking panics when a picture is written.
type panicking struct{ jobs.Images }

func (panicking) Begin(context.Context, domain.Image) (domain.Image, error) { panic("a defect") }

func TestStoppedInstancesDoNotCountAsFailedAttempts(t *testing.T) {
	w := newWorld(t)
	w.upload("blog.zip", zipped(t, blog(t)))
	now := time.Now()
	for range 10 {
		now = now.Add(10 * time.Minute)
		ctx, stop := context.WithCancel(t.Context())
		r := w.runner(w.store, func(c *jobs.Config) { c.Users = stopping{c.Users, stop} })
		w.must(r.Look(ctx, now))
		r.Wait()
		if j := w.wantState(domain.ImportReading); j.Owner != "" || j.Attempts != 0 {
			t.Fatalf("the job is %+v", j)
		}
	}
	w.work(w.runner(w.store))
	w.wantState(domain.ImportReady)
}

// stopping stops the instance when the work on a job begins.
type stopping struct {
	jobs.Users
	stop func()
}

func (s stopping) Account(ctx context.Context, userID string) (domain.User, error) {
	s.stop()
	return s.Users.Account(ctx, userID)
}
