//go:build !linux

package subprocess

// limitProcess does nothing: watchMemory and the timer are the only limits on this system.
func limitProcess(int64) {}
