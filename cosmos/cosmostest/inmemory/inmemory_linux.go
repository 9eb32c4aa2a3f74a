package inmemory

import (
	"os"
	"syscall"
)

// requiredMemory is the free space in bytes that makes a file system in memory large enough for all tests of a package.
const requiredMemory = 2 << 30

// Use makes the temporary folders of this process, and of those that it starts, lie in memory. It does nothing if
// TMPDIR is set, or if the system has no file system in memory that is large enough.
func Use() {
	const memory = "/dev/shm"
	var disk syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &disk) != nil {
		return
	}
	if uint64(disk.Bavail)*uint64(disk.Bsize) >= requiredMemory {
		os.Setenv("TMPDIR", memory)
	}
}
