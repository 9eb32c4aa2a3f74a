// Package progress draws how far a command is.
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

// Unknown is the total of a bar that cannot know how much there is to do.
const Unknown = -1

// NewBar draws progress towards a total on a terminal. Elsewhere, in a log or a
// pipe, it draws nothing.
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

// Advance counts n towards the bar's total, but stops short of it: workers correct
// what they come by, and each correction is a change that comes on top.
func Advance(bar *progressbar.ProgressBar, n int64) {
	if state := bar.State(); state.Max < 0 || state.CurrentNum+n < state.Max {
		bar.Add64(n)
	}
}

// Say writes a line above the bar or, where none is drawn, just the line.
func Say(bar *progressbar.ProgressBar, line string) {
	progressbar.Bprintln(bar, line)
	bar.RenderBlank()
}

// IsTerminal tells whether a person is likely to look on.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
