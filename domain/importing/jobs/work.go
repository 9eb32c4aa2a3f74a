package jobs

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/locale"
	"inkfeed/domain/throttle"
)

// Reasons for stopping the work on a job before it is done.
var (
	errChanged = errors.New("the job is in another state or belongs to another instance")
	errLost    = errors.New("the job could not be renewed in time")
	errLeft    = errors.New("the account is deleted")
	errPaced   = errors.New("the budget of the account is spent, and others wait")
)

// refusal is an error that tells the user why an upload cannot be imported.
type refusal struct{ message locale.Message }

func (e refusal) Error() string { return e.message.String() }

// refuse returns a refusal. The text and its arguments are those of [locale.M].
func refuse(text string, args ...any) error { return refusal{locale.M(text, args...)} }

// task is the work of this instance on a job.
type task struct {
	*Runner
	start domain.ImportJob // the job when the work began
	user  domain.User
	paced *throttle.Work // nil: not paced
	stop  context.CancelCauseFunc
	done  atomic.Int64 // posts
	of    atomic.Int64
	// reading reports that the upload is being read, or that the instance has stopped meanwhile.
	reading atomic.Bool

	mu  sync.Mutex
	job domain.ImportJob // the job as last written
}

// workOn works on a job until the job is done, fails, or is left to another instance.
func (r *Runner) workOn(ctx context.Context, j domain.ImportJob) {
	working, stop := context.WithCancelCause(ctx)
	t := &task{Runner: r, start: j, job: j, stop: stop}
	defer stop(nil)
	var beating sync.WaitGroup
	over := make(chan struct{})
	beating.Go(func() { t.beat(working, stop, over) })
	result, err := t.try(working)
	close(over)
	beating.Wait()
	if err != nil && working.Err() != nil {
		err = context.Cause(working)
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
	defer cancel()
	t.conclude(closing, result, err)
}

// try turns a panic into an error.
func (t *task) try(ctx context.Context) (result domain.ImportResult, err error) {
	defer importing.Recovered(&err)
	if err := t.readUser(ctx); err != nil {
		return domain.ImportResult{}, err
	}
	if !t.user.Role.MayAdminister() {
		t.mu.Lock() // beat measures it
		ctx, t.paced = t.config.Pace.Begin(ctx, t.user.ID, t.sharedBudget()...)
		t.mu.Unlock()
	}
	switch t.start.State {
	case domain.ImportReading:
		return t.preview(ctx)
	case domain.ImportUndoing:
		return t.undo(ctx)
	}
	return t.importAll(ctx)
}

// readUser reads the user of the job. Only users who may write posts may import them.
func (t *task) readUser(ctx context.Context) error {
	user, err := t.config.Users.Account(ctx, t.start.UserID)
	switch {
	case domain.Is(err, domain.NotFound), err == nil && !user.Deleted.IsZero():
		return errLeft
	case err != nil:
		return err
	case !user.Suspended.IsZero():
		return refuse("Your account is suspended.")
	case !user.Role.MayWrite() && t.start.State != domain.ImportUndoing:
		return refuse("You can read, like and comment. Ask an administrator if you'd like to write.")
	}
	t.user = user
	return nil
}

// beat renews the job until the work is over. It stops the work if the job no longer belongs to this instance, or must
// be left to another instance.
func (t *task) beat(ctx context.Context, stop context.CancelCauseFunc, over <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-over:
			return
		case <-time.After(t.config.Beat):
		}
		renewing, cancel := context.WithTimeout(ctx, renewTime)
		err := t.renew(renewing)
		cancel()
		if _, refused := errors.AsType[refusal](err); refused || errors.Is(err, errChanged) || errors.Is(err, errLeft) {
			stop(err)
			return
		}
		t.mu.Lock()
		silent := time.Since(t.job.Renewed)
		t.mu.Unlock()
		if silent > domain.ImportLease*3/4 {
			stop(errLost)
			return
		}
	}
}

// renewTime is the time limit of one attempt to renew a job. Several fit into domain.ImportLease.
const renewTime = domain.ImportLease / 6

// renew records that this instance still works on the job, and its progress.
func (t *task) renew(ctx context.Context) error {
	user, err := t.config.Users.Account(ctx, t.start.UserID)
	if domain.Is(err, domain.NotFound) || err == nil && !user.Deleted.IsZero() {
		return errLeft
	}
	if err == nil && !user.Suspended.IsZero() {
		return refuse("Your account is suspended.")
	}
	return t.change(ctx, func(j *domain.ImportJob) {
		j.Renewed = domain.Timestamp(time.Now())
		j.Progress.Posts, j.Progress.Of = int(t.done.Load()), int(t.of.Load())
		t.measure(j)
	})
}

// change writes a change of the job, as long as the job belongs to this instance and is in the state of the work.
func (t *task) change(ctx context.Context, change func(*domain.ImportJob)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		j := t.job
		change(&j)
		stored, err := t.config.Jobs.Put(ctx, j)
		if err == nil {
			t.job = stored
			return nil
		}
		if !domain.Is(err, domain.Conflict) && !domain.Is(err, domain.NotFound) {
			return err
		}
		current, err := t.config.Jobs.Get(ctx, t.job.UserID)
		switch {
		case domain.Is(err, domain.NotFound):
			return errLeft
		case err != nil:
			return err
		case current.ID != t.job.ID || current.State != t.job.State || current.Owner != t.instance:
			return errChanged
		}
		t.job = current // a write of this instance whose answer was lost
	}
}

// release gives up a job that the user has changed meanwhile. Any instance may take it over.
func (t *task) release(ctx context.Context) error {
	j, err := t.config.Jobs.Get(ctx, t.job.UserID)
	if err != nil || j.Owner != t.instance {
		return err
	}
	j.Owner = ""
	_, err = t.config.Jobs.Put(ctx, j)
	return err
}

// next maps a state to the one that follows when its work is done.
var next = map[domain.ImportState]domain.ImportState{
	domain.ImportReading: domain.ImportReady,
	domain.ImportRunning: domain.ImportDone,
	domain.ImportUndoing: domain.ImportUndone,
}

// failedState maps a state to the one that follows when its work has failed for good. Undoing never fails for good: it
// is tried again with growing pauses, up to about two minutes, even while the user is suspended.
var failedState = map[domain.ImportState]domain.ImportState{
	domain.ImportReading: domain.ImportRefused,
	domain.ImportRunning: domain.ImportFailed,
}

// givenUp is the problem of a job whose work has failed maxAttempts times.
var givenUp = locale.M("The site's storage didn't respond, or something went wrong on our side. Try again later.")

// finished returns a job whose work has ended. It keeps the progress for the page.
func finished(j domain.ImportJob, to domain.ImportState, problem locale.Message, now time.Time) domain.ImportJob {
	progress := j.Progress
	j = j.Change(to, now)
	j.Problem, j.Owner, j.Progress = problem.Stored(), "", progress
	if to == domain.ImportDone || to == domain.ImportFailed {
		j.Finished = domain.Timestamp(now)
	}
	return j
}

// conclude writes the result of the work.
func (t *task) conclude(ctx context.Context, result domain.ImportResult, failure error) {
	now := time.Now()
	log := t.config.Logger.With("user", t.job.UserID, "import", t.job.ID, "work", t.job.State)
	refused, isRefused := errors.AsType[refusal](failure)
	state := t.job.State
	finish := func(to domain.ImportState, problem locale.Message) error {
		return t.change(ctx, func(j *domain.ImportJob) {
			t.measure(j)
			*j = finished(*j, to, problem, now)
			if failure == nil {
				j.Result = result
			}
		})
	}
	var err error
	switch {
	case failure == nil:
		log.InfoContext(ctx, "import: work done", "new", result.New, "changed", result.Changed)
		err = finish(next[state], locale.Message{})
	case errors.Is(failure, errLeft):
		err = t.config.Records.EraseOf(ctx, t.job.UserID)
	case errors.Is(failure, errChanged):
		err = errChanged
	case isRefused && state != domain.ImportUndoing:
		err = finish(failedState[state], refused.message)
	case errors.Is(failure, context.Canceled), errors.Is(failure, errLost), errors.Is(failure, errPaced):
		log.InfoContext(ctx, "import: left to another instance", "error", failure)
		err = t.change(ctx, func(j *domain.ImportJob) {
			if j.Owner = ""; !t.reading.Load() { // an upload that is never read to its end is given up
				j.Attempts = t.start.Attempts - 1
			}
			t.measure(j)
		})
	default:
		log.WarnContext(ctx, "import: work failed", "error", failure)
		err = t.change(ctx, func(j *domain.ImportJob) {
			j.Owner, j.Renewed = "", domain.Timestamp(now)
		})
		if err == nil && t.job.Attempts == maxAttempts && state != domain.ImportUndoing {
			err = finish(failedState[state], givenUp)
		}
	}
	if errors.Is(err, errChanged) {
		err = t.release(ctx)
	}
	if err == nil && failure == nil && state != domain.ImportReading {
		err = t.config.Files.Delete(ctx, domain.ImportFile(t.job.ID))
	}
	if err != nil && !domain.Is(err, domain.NotFound) && !domain.Is(err, domain.Conflict) {
		log.WarnContext(ctx, "import: its state could not be written", "error", err)
	}
}
