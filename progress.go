package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/workers"
)

// unknown is the total of a bar that cannot know how much there is to do.
const unknown = -1

// newBar draws progress towards a total on a terminal. Elsewhere, in a log or a
// pipe, it draws nothing.
func newBar(w io.Writer, total int64, what string) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(isTerminal(w)),
		progressbar.OptionSetDescription(fmt.Sprintf("%-8s", what)),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(w) }),
	)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// catchUp runs the workers until every copy is current. changes is about how
// many there are to project, or unknown.
func catchUp(ctx context.Context, c *config, store *cosmos.Store, changes int64, logger *slog.Logger, w io.Writer) error {
	working, stop := context.WithCancel(ctx)
	bar := newBar(w, changes, "views")
	var p projectors
	p.start(working, store, domain.NewMarkdown(), workers.Options{Instance: c.instance(), Logger: logger,
		OnProjected: func(n int) {
			// Corrections and copies are changes too: stop short of the total.
			if changes == unknown || bar.State().CurrentNum+int64(n) < changes {
				bar.Add(n)
			}
		}})
	err := p.waitCaughtUp(ctx)
	stop()
	p.wait()
	return errors.Join(err, bar.Finish(), bar.Close())
}
