// Package jobs carries out the imports that users make in the browser: it makes the preview of an
// upload, imports it and undoes the import, in the background. See domain.ImportJob.
package jobs

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/picture"
)

// Store keeps the jobs.
type Store interface {
	// Get answers NotFound when the user has no job.
	Get(ctx context.Context, userID string) (domain.ImportJob, error)
	// Put writes a job over the version that its ETag names. It answers Conflict when there is another.
	Put(ctx context.Context, j domain.ImportJob) (domain.ImportJob, error)
	// Noted lists the users whose jobs an instance may have to look at.
	Noted(ctx context.Context) ([]domain.ImportEntry, error)
	// Forget drops an entry, unless it was noted anew since it was listed.
	Forget(ctx context.Context, e domain.ImportEntry) error
}

// Users, Posts, Drafts, Records and Images are the stores that an import and its undoing need.
type (
	Users interface {
		importing.Users
		// Account finds a suspended user, too.
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
		// EraseOf deletes all records of a user whose account was deleted, with the redirects.
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

// Config is what a Runner needs. All of it is required but Screen, Beat and Interval.
type Config struct {
	Jobs      Store
	Users     Users
	Posts     Posts
	Drafts    Drafts
	Records   Records
	Redirects importing.Redirects
	Images    Images
	Texts     importing.Texts
	Files     Files
	Maker     *picture.Maker
	// Screen holds posts of new accounts for review, see importing.Importer.
	Screen func(ctx context.Context, author domain.User, before domain.Post, d domain.Draft) (domain.Hold, error)
	// Interval is how often the runner looks for jobs that another instance has left: 30 s by default.
	Interval time.Duration
	// Beat is how often it says that it still works on a job, and how far it is: 3 s by default.
	Beat   time.Duration
	Logger *slog.Logger
}

const (
	defaultInterval = 30 * time.Second
	defaultBeat     = 3 * time.Second
	// receiving is how long an upload may take.
	receiving = time.Hour
	// entryTime is how long an entry stays whose job needs nothing any more: a job may be written just now.
	entryTime = time.Minute
	// maxAttempts is how often work is tried that fails.
	maxAttempts = 5
	// retryPause is the pause after the first failure. It grows with each one.
	retryPause = 5 * time.Second
	// closingTime is how long the last writes about a job may take when the instance stops.
	closingTime = 5 * time.Second
)

// Runner works on jobs. Each instance has one. A job is one instance's at a time: the instance writes its
// name into the job, on the condition that the job has not changed, and renews that as long as it works.
//
// An instance reads one upload at a time and works on one import at a time, so that uploads neither fill
// the memory nor keep the instance from its visitors.
type Runner struct {
	config   Config
	instance string
	woken    chan struct{}
	reading  chan struct{} // the place for a preview
	writing  chan struct{} // the place for an import, or for undoing one
	work     sync.WaitGroup
}

// NewRunner makes a runner, which does nothing until it runs.
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

// Run works until the context ends. Then it stops between two posts, and leaves its jobs to others.
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

// Look looks at each job that is noted once, and begins the work that there is place for.
func (r *Runner) Look(ctx context.Context, now time.Time) error {
	entries, err := r.config.Jobs.Noted(ctx)
	if err != nil {
		return err
	}
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
	case j.State == domain.ImportReceiving && age > receiving, j.State == domain.ImportReady && age > domain.ImportUploadTime:
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
	if now.Sub(e.Noted) < entryTime {
		return nil
	}
	return r.config.Jobs.Forget(ctx, e)
}

// begin works on a job in the background, unless another instance does, or there is no place for it.
func (r *Runner) begin(ctx context.Context, j domain.ImportJob, now time.Time) error {
	if j.Held(now) || j.Attempts > 0 && now.Sub(j.Renewed) < time.Duration(j.Attempts*j.Attempts)*retryPause {
		return nil
	}
	places := r.writing
	if j.State == domain.ImportReading {
		places = r.reading
	}
	select {
	case places <- struct{}{}:
	default:
		return nil
	}
	leave := func() { <-places; r.Wake() } // another job may wait for the place
	j.Owner, j.Renewed = r.instance, domain.Timestamp(now)
	j.Progress.Started = domain.Timestamp(now)
	held, err := r.config.Jobs.Put(ctx, j)
	if err != nil {
		<-places
		return err
	}
	r.work.Go(func() {
		defer leave()
		r.carryOut(ctx, held)
	})
	return nil
}
