package portable

import (
	"context"
	"io/fs"
	"time"

	"inkfeed/domain/portable/internal/githistory"
)

// historian is a folder that knows when its files first appeared.
type historian interface {
	// firstCommits returns the times of the first commits of files, by path.
	firstCommits(ctx context.Context) (map[string]time.Time, error)
}

// maxHistoryTime bounds the time for reading the history of a repository.
const maxHistoryTime = time.Minute

// FirstCommit returns when a file first appeared in the history of the blog's repository, or zero. The history is read
// on the first call.
func (f *Files) FirstCommit(name string) (time.Time, error) {
	if f.history == nil {
		f.history = make(map[string]time.Time)
		if h, ok := f.roots[0].(historian); ok {
			ctx, cancel := context.WithTimeout(context.Background(), maxHistoryTime)
			defer cancel()
			commits, err := h.firstCommits(ctx)
			if err != nil {
				return time.Time{}, err
			}
			f.history = commits
		}
	}
	if _, in, ok := f.find(name); ok && !f.history[in].IsZero() {
		name = in
	}
	return f.history[name], nil
}

// Checkout is a folder that may be the working tree of a git repository.
type Checkout struct {
	fs.FS
	Dir string
}

func (c Checkout) firstCommits(ctx context.Context) (map[string]time.Time, error) {
	return githistory.FirstCommits(ctx, c.Dir, c.FS)
}
