package jobs

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"inkfeed/domain"
)

// oneJob is a Store with a single job. The methods that it does not implement panic.
type oneJob struct {
	Store
	job domain.ImportJob
}

func (s *oneJob) Get(context.Context, string) (domain.ImportJob, error) { return s.job, nil }

func (s *oneJob) Put(_ context.Context, j domain.ImportJob) (domain.ImportJob, error) {
	if j.ETag != s.job.ETag {
		return domain.ImportJob{}, domain.NewError(domain.Conflict, "the job has changed")
	}
	version, _ := strconv.Atoi(j.ETag)
	j.ETag = strconv.Itoa(version + 1)
	s.job = j
	return j, nil
}

// A renewal and the end of the work may both find that the user has changed the job. Neither may overwrite the change.
func TestChangeByTheUserIsNeverOverwritten(t *testing.T) {
	store := &oneJob{job: domain.ImportJob{ID: "1", UserID: "u.1", State: domain.ImportRunning, Owner: "here",
		ETag: "1"}}
	work := &task{Runner: &Runner{config: Config{Jobs: store}, instance: "here"}, start: store.job, job: store.job}

	undoing := store.job
	undoing.State = domain.ImportUndoing
	if _, err := store.Put(t.Context(), undoing); err != nil {
		t.Fatal(err)
	}
	for _, attempt := range []string{"renewal", "end"} {
		err := work.change(t.Context(), func(j *domain.ImportJob) { j.State = domain.ImportDone })
		if !errors.Is(err, errChanged) {
			t.Errorf("%s: error %v, want %v", attempt, err, errChanged)
		}
	}
	if store.job.State != domain.ImportUndoing {
		t.Errorf("the job is %s, want %s", store.job.State, domain.ImportUndoing)
	}
}
