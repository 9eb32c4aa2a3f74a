// Package inmemory moves the temporary folders of tests from disk to memory. The embedded engine syncs each write to
// its disk, so tests on a disk take up to four times as long.
package inmemory
