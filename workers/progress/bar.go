// Package progress draws the progress bars of commands.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Unknown is the total of a bar whose amount of work is not known.
const Unknown = -1

// NewBar returns a bar that counts towards a total. It is drawn on a terminal only, not in a log or a pipe.
func NewBar(w io.Writer, total int64, what string) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(IsTerminal(w)),
		progressbar.OptionSetDescription(fmt.Sprintf("%-8s", what)),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(w) }),
	)
}

// NewImportBar returns a bar for an import: it shows posts, posts a second, the remaining time, and the number
// of pictures done. Both returned functions may be called by several goroutines at a time.
func NewImportBar(w io.Writer, posts int64) (bar *progressbar.ProgressBar, post, picture func()) {
	bar = progressbar.NewOptions64(posts,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetVisibility(IsTerminal(w)),
		progressbar.OptionSetDescription("posts"),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("posts"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(w) }),
	)
	var pictures atomic.Int64
	start := time.Now()
	return bar, func() { bar.Add(1) }, func() {
		n := pictures.Add(1)
		bar.Describe(fmt.Sprintf("%d pictures (%.1f/s), posts", n, float64(n)/max(time.Since(start).Seconds(), 1)))
	}
}

// Advance counts n towards the bar's total, but never reaches it. Workers may project more changes than the total,
// because each correction that they make is another change.
func Advance(bar *progressbar.ProgressBar, n int64) {
	if state := bar.State(); state.Max < 0 || state.CurrentNum+n < state.Max {
		bar.Add64(n)
	}
}

// Say writes a line above the bar, or just the line if no bar is drawn.
func Say(bar *progressbar.ProgressBar, line string) {
	progressbar.Bprintln(bar, line)
	bar.RenderBlank()
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
