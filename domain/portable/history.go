package portable

import (
	"context"
	"io/fs"
	"time"

	"inkfeed/domain/portable/internal/githistory"
)

// historian is a folder that can tell when its files first appeared.
type historian interface {
	// firstCommits are the times of the first commits of files, by their paths.
	firstCommits(ctx context.Context) (map[string]time.Time, error)
}

// maxHistoryTime bounds how long the history of a repository is read.
const maxHistoryTime = time.Minute

// FirstCommit is when a file first appeared in the history of the repository in which the
// blog is kept, or zero. The history is read when the first post asks for it.
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
