package web_test

import (
	"context"
	"fmt"
	"io"

	"inkfeed/domain"
)

// fakeImportJobs are the imports that users make in the browser.
type fakeImportJobs struct{ *fake }

func (f fakeImportJobs) Get(_ context.Context, userID string) (domain.ImportJob, error) {
	leave, err := f.enter("ImportJobs.Get")
	defer leave()
	j, ok := f.importJobs[userID]
	if err == nil && !ok {
		err = errMissing
	}
	return j, err
}

func (f fakeImportJobs) Put(_ context.Context, j domain.ImportJob) (domain.ImportJob, error) {
	leave, err := f.enter("ImportJobs.Put")
	defer leave()
	if err != nil {
		return domain.ImportJob{}, err
	}
	if f.importJobs[j.UserID].ETag != j.ETag {
		return domain.ImportJob{}, domain.Errorf(domain.Conflict, "Changed meanwhile.")
	}
	if f.importJobs == nil {
		f.importJobs = map[string]domain.ImportJob{}
	}
	f.etags++
	j.ETag = fmt.Sprint(f.etags)
	f.importJobs[j.UserID] = j
	return j, nil
}

func (f fakeImportJobs) Note(_ context.Context, userID string) error {
	leave, err := f.enter("ImportJobs.Note")
	defer leave()
	if err == nil {
		if f.importing == nil {
			f.importing = map[string]bool{}
		}
		f.importing[userID] = true
	}
	return err
}

func (f fakeImportJobs) Noted(context.Context) ([]domain.ImportEntry, error) {
	leave, err := f.enter("ImportJobs.Noted")
	defer leave()
	var entries []domain.ImportEntry
	for userID := range f.importing {
		entries = append(entries, domain.ImportEntry{UserID: userID})
	}
	return entries, err
}

func (f fakeFiles) PutStream(_ context.Context, name string, r io.Reader) error {
	content, err := io.ReadAll(io.LimitReader(r, 1<<20)) // as much as tests look at
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	if err != nil {
		return err
	}
	leave, err := f.enter("Files.PutStream")
	defer leave()
	if err != nil {
		return err
	}
	if f.files == nil {
		f.files = map[string][]byte{}
	}
	f.files[name] = content
	return nil
}
