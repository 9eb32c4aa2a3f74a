package subprocess

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"syscall"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// Exit statuses of the child, beside those of Go's runtime.
const (
	statusFailed = 64 // the request or the result could not be transferred
	statusMemory = 65
	statusTime   = 66
)

// Requested reports whether the process was started as a child.
func Requested(args []string) bool { return len(args) == 2 && args[1] == Argument }

// Serve is the whole work of the child: it reads a request from standard input, and writes the result to standard
// output. It returns the status with which the process must exit.
func Serve(stdin io.Reader, stdout io.Writer) int {
	// A signal to all processes of a service must not end the child while the server still waits for it.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	var q request
	in := bufio.NewReader(stdin)
	if err := gob.NewDecoder(in).Decode(&q); err != nil {
		return statusFailed
	}
	runtime.GOMAXPROCS(max(1, runtime.NumCPU()/2))
	debug.SetMemoryLimit(q.Memory * 7 / 8) // the collector works harder before the child ends
	limitProcess(q.Memory)
	time.AfterFunc(q.Time, func() { os.Exit(statusTime) })
	go watchMemory(q.Memory)
	go func() {
		_, _ = io.Copy(io.Discard, in) // it ends when the parent ends, or needs no result
		os.Exit(statusFailed)
	}()
	out := bufio.NewWriterSize(stdout, 64<<10)
	if err := respond(out, q); err != nil {
		return statusFailed
	}
	return 0
}

func respond(out *bufio.Writer, q request) error {
	file, err := os.Open(q.Path)
	if err != nil {
		return err
	}
	blog, failure := formats.ReadUpload(q.Name, file, q.Size, q.Options, q.Now)
	if err := portable.EncodeBlog(out, blog, failure); err != nil {
		return err
	}
	return out.Flush()
}

// watchTime is the time between two looks at the memory. A reader takes some megabytes meanwhile.
const watchTime = 5 * time.Millisecond

// watchMemory ends the process when it uses more memory than limit, in bytes. It counts what debug.SetMemoryLimit
// counts.
func watchMemory(limit int64) {
	used := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for {
		metrics.Read(used)
		if int64(used[0].Value.Uint64()-used[1].Value.Uint64()) > limit {
			os.Exit(statusMemory)
		}
		time.Sleep(watchTime)
	}
}

// head keeps the beginning of what is written to it.
type head struct{ bytes.Buffer }

const maxHead = 4 << 10

// Write implements io.Writer. It never fails.
func (h *head) Write(b []byte) (int, error) {
	h.Buffer.Write(b[:min(len(b), maxHead-h.Len())])
	return len(b), nil
}

func (h *head) has(text string) bool { return bytes.Contains(h.Bytes(), []byte(text)) }
