package storage

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
)

func TestDirectoryIsLockedOnceItIsFree(t *testing.T) {
	use := func(t *testing.T, dir string) *flock.Flock {
		t.Helper()
		other := flock.New(filepath.Join(dir, LockFile))
		if locked, err := other.TryRLock(); !locked {
			t.Fatalf("the directory cannot be used: %v", err)
		}
		t.Cleanup(func() { other.Unlock() })
		return other
	}
	t.Run("a backup that holds the lock for a moment is awaited", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			backup := use(t, dir)
			time.AfterFunc(time.Second, func() { backup.Unlock() })
			lock, err := lockDirectory(dir)
			if err != nil {
				t.Fatal(err)
			}
			lock.Unlock()
		})
	})
	t.Run("a directory that stays in use is refused within two seconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			dir, start := t.TempDir(), time.Now()
			use(t, dir)
			if _, err := lockDirectory(dir); err == nil || !strings.Contains(err.Error(), "stop the server first") {
				t.Errorf("error %v, want one that the directory is in use", err)
			}
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("the error comes after %v", took)
			}
		})
	})
}
