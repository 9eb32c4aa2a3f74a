package subprocess

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

const (
	// niceness is the child's priority. Page requests on a busy machine get nine times as much of the processors.
	niceness = 10
	// oomScore makes the kernel end the child first when memory runs out; 1000 is the maximum.
	oomScore = "900"
	// maxReserved is the address space, in bytes, above which a process has a race detector or the like, which
	// reserves terabytes and fails with a limit.
	maxReserved = 64 << 30
)

// limitProcess limits the address space to what the process has now and twice the given number of bytes: Go reserves
// address space in large pieces and never returns it. It also lowers the priority of all threads. A failure of the
// system to do so leaves the other limits.
func limitProcess(memory int64) {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(oomScore), 0)
	threads, _ := os.ReadDir("/proc/self/task") // a new thread has the priority of the one that starts it
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, niceness)
		}
	}
	status, _ := os.ReadFile("/proc/self/statm")
	pages, _, _ := bytes.Cut(status, []byte(" "))
	size, err := strconv.ParseInt(string(pages), 10, 64)
	if size *= int64(os.Getpagesize()); err != nil || size > maxReserved {
		return
	}
	limit := uint64(size + 2*memory)
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit})
}
