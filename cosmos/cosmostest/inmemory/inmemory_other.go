//go:build !linux

package inmemory

// Use does nothing: only Linux has /dev/shm.
func Use() {}
