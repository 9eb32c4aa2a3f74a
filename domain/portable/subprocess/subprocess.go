// Package subprocess reads uploaded exports in a child process. The readers bound their own work; the child process
// bounds what they overlook: an export that would take too much memory or time, or that ends a process by an error that
// Go cannot recover from, ends the child and is refused.
//
// The program starts itself as the child: see Serve. The child ends itself when its memory or its time is used up, and
// when the parent ends. On Linux its address space is limited too, its priority is low, and the kernel ends it before
// other processes when memory runs out. It has no environment variables, so it knows no secrets.
package subprocess

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// Argument is the only argument of the program when it is to run as the child.
const Argument = "read-upload"

// Limits are what reading one upload may take.
type Limits struct {
	// Memory is the maximum memory of the child in bytes: heap, stacks and everything else that Go's runtime uses.
	Memory int64
	// Time is the maximum duration of reading an empty upload, and TimePerMB what each megabyte adds.
	Time, TimePerMB time.Duration
}

// DefaultLimits allow for the largest upload on a busy machine: see docs/security-design.md.
var DefaultLimits = Limits{Memory: 192 << 20, Time: 30 * time.Second, TimePerMB: 4 * time.Second}

// Reader reads uploads, one at a time.
type Reader struct {
	limits Limits
	logger *slog.Logger
	place  chan struct{}
}

// NewReader returns a reader. It logs why a child has ended without a result.
func NewReader(l Limits, logger *slog.Logger) *Reader {
	return &Reader{l, logger, make(chan struct{}, 1)}
}

// Faults of uploads whose child has ended without a result.
var (
	errMemory = portable.NewFault(locale.M("reading it takes more memory than this site allows"), nil)
	errTime   = portable.NewFault(locale.M("reading it takes longer than this site allows"), nil)
	errDied   = portable.NewFault(locale.M("it cannot be read"), nil)
)

// request is what the parent writes to the child's standard input. The child ends when the input ends.
type request struct {
	Path, Name string
	Size       int64
	Options    portable.Options
	Now        time.Time
	Memory     int64
	Time       time.Duration
}

// maxResult is the maximum size of a child's result in bytes: texts of the maximum size with what translating adds.
const maxResult = 128 << 20

// Read reads an upload as formats.ReadUpload does. The file must have a name by which the child can open it. Read
// waits while another upload is read. It returns a portable.Fault if the upload cannot be read for any reason that lies
// in the upload, and the cause of the context if that ends first.
func (r *Reader) Read(ctx context.Context, name string, file *os.File, o portable.Options, now time.Time,
) (*portable.Blog, error) {
	select {
	case r.place <- struct{}{}:
		defer func() { <-r.place }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	limit := r.limits.Time + time.Duration(info.Size()>>20)*r.limits.TimePerMB
	reading, stop := context.WithTimeoutCause(ctx, limit, errTime)
	defer stop()
	blog, err := r.read(reading, file, request{file.Name(), name, info.Size(), o, now, r.limits.Memory, limit})
	if reading.Err() != nil {
		err = context.Cause(reading)
	}
	if err != nil {
		return nil, err
	}
	return blog, nil
}

func (r *Reader) read(ctx context.Context, file *os.File, q request) (*portable.Blog, error) {
	program, err := executable()
	if err != nil {
		return nil, err
	}
	var stderr head
	child := exec.CommandContext(ctx, program, Argument)
	child.Env = []string{}
	child.Stderr = &stderr
	stdin, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close())
	}
	if err := child.Start(); err != nil {
		return nil, fmt.Errorf("start the reader of uploads: %w", err)
	}
	defer stdin.Close()
	sent := gob.NewEncoder(stdin).Encode(q)
	blog, failure := decode(stdout, file, q)
	if sent != nil || failure != nil {
		// Closing the input ends a child that still works.
		stdin.Close()
	}
	ended := child.Wait()
	_, isFault := errors.AsType[*portable.Fault](failure)
	switch {
	case sent == nil && ended == nil, isFault:
		return blog, failure
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	r.logger.WarnContext(ctx, "the reader of an upload ended", "error", ended, "reason", stderr.String())
	switch child.ProcessState.ExitCode() {
	case statusMemory:
		return nil, errMemory
	case statusTime:
		return nil, errTime
	}
	if stderr.has("out of memory") || stderr.has("cannot allocate memory") || !child.ProcessState.Exited() {
		return nil, errMemory // Go's runtime could not get any, or the system has ended the child
	}
	return nil, errDied
}

// decode reads the result of a child. The parent opens the export too, for its pictures.
func decode(stdout io.Reader, file *os.File, q request) (*portable.Blog, error) {
	limited := &io.LimitedReader{R: stdout, N: maxResult}
	out := bufio.NewReaderSize(limited, 64<<10)
	if _, err := out.Peek(1); err != nil {
		return nil, err // before the parent spends memory on the files of an export that cannot be read
	}
	files, err := formats.UploadFiles(q.Name, file, q.Size)
	if err != nil {
		return nil, err
	}
	blog, err := portable.DecodeBlog(out, files)
	if limited.N == 0 {
		return nil, errMemory
	}
	return blog, err
}

// executable returns the path of this program. On Linux it is the running one, even if another version has replaced
// its file.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}
