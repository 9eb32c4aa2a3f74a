// Package jobs runs the imports that users make in the browser. In the background it previews an upload, imports it,
// and undoes the import. See domain.ImportJob.
package jobs

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/picture"
	"inkfeed/domain/portable"
	"inkfeed/domain/throttle"
)

// Store stores the jobs.
type Store interface {
	// Get returns a NotFound error if the user has no job.
	Get(ctx context.Context, userID string) (domain.ImportJob, error)
	// Put replaces the version of a job that its ETag names. It returns a Conflict error if there is another version.
	Put(ctx context.Context, j domain.ImportJob) (domain.ImportJob, error)
	// Entries lists the users whose jobs may need work.
	Entries(ctx context.Context) ([]domain.ImportEntry, error)
	// DeleteEntry deletes an entry, unless it was written again since it was listed.
	DeleteEntry(ctx context.Context, e domain.ImportEntry) error
}

// Users, Posts, Drafts, Records and Images are the stores that an import and its undoing need.
type (
	Users interface {
		importing.Users
		// Account also returns a suspended user.
		Account(ctx context.Context, userID string) (domain.User, error)
	}
	Posts interface {
		importing.Posts
		importing.UndoPosts
	}
	Drafts  interface{ importing.Drafts }
	Records interface {
		importing.Records
		importing.UndoRecords
		// EraseOf deletes all records of a user whose account was deleted, with their redirects.
		EraseOf(ctx context.Context, userID string) error
	}
	Images interface {
		importing.Images
		importing.UndoImages
	}
	// Files are the pictures and the uploaded exports.
	Files interface {
		importing.Files
		Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
		Delete(ctx context.Context, name string) error
	}
)

// Config configures a Runner. All fields are required except Throttle, Pace, Screen, Beat and Interval.
type Config struct {
	Jobs      Store
	Users     Users
	Profiles  importing.Profiles
	Posts     Posts
	Drafts    Drafts
	Records   Records
	Redirects importing.Redirects
	Images    Images
	Texts     importing.Texts
	Files     Files
	Maker     *picture.Maker
	// Read reads uploads, in a process of their own.
	Read portable.ReadUpload
	// Throttle limits the work of imports. Without it, nothing is limited.
	Throttle *throttle.Throttle
	// Pace slows down imports by users who are not administrators. Without it, no import is slowed down.
	Pace *throttle.Pace
	// Screen holds posts of new accounts for review, see importing.Importer.
	Screen importing.Screen
	// Interval is the time between searches for jobs that another instance has abandoned. The default is 30 s.
	Interval time.Duration
	// Beat is the time between two renewals of a job, which also write its progress. The default is 3 s.
	Beat   time.Duration
	Logger *slog.Logger
}

const (
	defaultInterval = 30 * time.Second
	defaultBeat     = 3 * time.Second
	// receiving is the maximum duration of an upload.
	receiving = time.Hour
	// entryTime is how long an entry stays after its job needs no more work, because a job may be about to be
	// written.
	entryTime = time.Minute
	// maxAttempts is the number of times that work is tried if it fails, or if the instance ends meanwhile: an import
	// resumes at most three times.
	maxAttempts = 4
	// retryPause is the pause after the first failure. It grows with each one.
	retryPause = 5 * time.Second
	// closingTime is the time limit of the last writes to a job when the instance stops.
	closingTime = 5 * time.Second
)

// Runner works on jobs. Each instance has one Runner, and a job belongs to one instance at a time. The instance
// writes its name into the job, on the condition that the job has not changed, and renews it while it works.
//
// An instance makes one preview and runs one import at a time. So uploads neither fill the memory nor slow down
// the pages. The next place goes to the user whose uploads took the least time to read in the last hour, so that
// users whose uploads take long do not keep others waiting.
type Runner struct {
	config   Config
	instance string
	woken    chan struct{}
	reading  chan struct{} // the place for a preview
	writing  chan struct{} // the place for an import, or for undoing one
	// These report whether another job waits for the place.
	readingAwaited, writingAwaited atomic.Bool
	work                           sync.WaitGroup
	spent                          spent
}

// NewRunner returns a runner, which does nothing until Run is called.
func NewRunner(c Config) *Runner {
	if c.Interval == 0 {
		c.Interval = defaultInterval
	}
	if c.Beat == 0 {
		c.Beat = defaultBeat
	}
	return &Runner{config: c, instance: domain.NewID(), woken: make(chan struct{}, 1),
		reading: make(chan struct{}, 1), writing: make(chan struct{}, 1)}
}

// Wake makes the runner look for work now. It never blocks.
func (r *Runner) Wake() {
	select {
	case r.woken <- struct{}{}:
	default:
	}
}

// Run works until the context ends. Then it stops between two posts and leaves its jobs to other instances.
func (r *Runner) Run(ctx context.Context) {
	defer r.work.Wait()
	for ctx.Err() == nil {
		if err := r.Look(ctx, time.Now()); err != nil && ctx.Err() == nil {
			r.config.Logger.WarnContext(ctx, "cannot look for imports", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-r.woken:
		case <-time.After(r.config.Interval):
		}
	}
}

// Look checks each job with an entry once, and begins the work for which there is a free place.
func (r *Runner) Look(ctx context.Context, now time.Time) error {
	entries, err := r.config.Jobs.Entries(ctx)
	if err != nil {
		return err
	}
	r.spent.sort(entries)
	r.readingAwaited.Store(false)
	r.writingAwaited.Store(false)
	for _, e := range entries {
		if err := r.look(ctx, e, now); err != nil && ctx.Err() == nil && !domain.Is(err, domain.Conflict) {
			r.config.Logger.WarnContext(ctx, "cannot look at an import", "user", e.UserID, "error", err)
		}
	}
	return nil
}

// Wait waits for the work that Look has begun.
func (r *Runner) Wait() { r.work.Wait() }

func (r *Runner) look(ctx context.Context, e domain.ImportEntry, now time.Time) error {
	j, err := r.config.Jobs.Get(ctx, e.UserID)
	if domain.Is(err, domain.NotFound) {
		return r.forget(ctx, e, now)
	}
	if err != nil {
		return err
	}
	age := now.Sub(j.Changed)
	switch {
	case j.State.Works():
		return r.begin(ctx, j, now)
	case j.State == domain.ImportReceiving && age > receiving,
		j.State == domain.ImportReady && age > domain.ImportUploadTime:
		if j, err = r.config.Jobs.Put(ctx, j.Change(domain.ImportExpired, now)); err != nil {
			return err
		}
	case j.State.HasFile() && age < domain.ImportUploadTime:
		return nil
	}
	if err := r.config.Files.Delete(ctx, domain.ImportFile(j.ID)); err != nil {
		return err
	}
	return r.forget(ctx, e, now)
}

func (r *Runner) forget(ctx context.Context, e domain.ImportEntry, now time.Time) error {
	if now.Sub(e.Created) < entryTime {
		return nil
	}
	return r.config.Jobs.DeleteEntry(ctx, e)
}

// places returns the place for the work on a job, and whether another job waits for it.
func (r *Runner) places(s domain.ImportState) (places chan struct{}, awaited *atomic.Bool) {
	if s == domain.ImportReading {
		return r.reading, &r.readingAwaited
	}
	return r.writing, &r.writingAwaited
}

// begin works on a job in the background, unless another instance does or no place is free.
func (r *Runner) begin(ctx context.Context, j domain.ImportJob, now time.Time) error {
	if j.Held(now) || j.Attempts > 0 && now.Sub(j.Renewed) < time.Duration(j.Attempts*j.Attempts)*retryPause {
		return nil
	}
	if j.Attempts == maxAttempts && j.State != domain.ImportUndoing {
		_, err := r.config.Jobs.Put(ctx, finished(j, failedState[j.State], givenUp, now))
		return err
	}
	r.config.Pace.Restore(j.UserID, j.Budget)
	if !j.Progress.Ends.IsZero() && r.config.Pace.Delay(j.UserID, throttle.Budget/2) > 0 {
		return nil // it has left its place to others
	}
	// A preview that stops has to begin anew, so it does not wait in the middle.
	if j.State == domain.ImportReading && r.config.Pace.Delay(j.UserID, throttle.Budget) > 0 {
		return nil
	}
	places, awaited := r.places(j.State)
	select {
	case places <- struct{}{}:
	default:
		awaited.Store(true)
		return nil
	}
	leave := func() { <-places; r.Wake() } // another job may wait for the place
	j.Owner, j.Renewed = r.instance, domain.Timestamp(now)
	j.Progress.Started = domain.Timestamp(now)
	j.Attempts = min(j.Attempts+1, maxAttempts) // written first, because the work may kill the process
	held, err := r.config.Jobs.Put(ctx, j)
	if err != nil {
		<-places
		return err
	}
	r.work.Go(func() {
		defer leave()
		r.workOn(ctx, held)
	})
	return nil
}
