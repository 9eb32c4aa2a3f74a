package embedded

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/storage"
)

// bytesRead returns the number of bytes that this process has read from files, if the system
// reports it.
func bytesRead(t *testing.T) (n int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skipf("the system does not report how much is read: %v", err)
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestOpenDoesNotReadTheDatabase(t *testing.T) {
	e, dir := mustBig(t)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, storage.DatabaseFile))
	if err != nil {
		t.Fatal(err)
	}
	before := bytesRead(t)
	e = reopen(t, dir)
	read := bytesRead(t) - before
	t.Logf("%d of %d bytes", read, info.Size())
	if read > 256<<10 || read == 0 {
		t.Errorf("it read %d bytes of a database of %d", read, info.Size())
	}
	send(t, e, "GET", docs+"/0-0", "", pk("a")...).want(t, 200)
}

func TestDirectoryInUseIsReported(t *testing.T) {
	dir := t.TempDir()
	e := reopen(t, dir)
	send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), crashDir+"="+dir)
	out, err := other.CombinedOutput()
	if err == nil || !strings.Contains(string(out),
		strconv.Quote(dir)+" is in use by another process: stop the server first") {
		t.Errorf("got %s (%v)", out, err)
	}
	send(t, e, "GET", "/dbs/d", "").want(t, 200)

	theirs := t.TempDir()
	l := begin(t, theirs, 0, crashCheckpoint+"=1000") // and in the other direction
	defer l.end(t)
	defer l.kill()
	if _, err := Open(theirs, Options{}); err == nil || !strings.Contains(err.Error(),
		strconv.Quote(theirs)+" is in use by another process: stop the server first") {
		t.Errorf("got %v", err)
	}
	l.must(t, 404, "GET", "/dbs/d", "")
}

// TestOpenCreatesParentDirectories checks that the parents of a new data directory are synced,
// so that acknowledged writes cannot disappear with them.
func TestOpenCreatesParentDirectories(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "var", "lib", "data")
	e := reopen(t, dir)
	send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v (%v)", info, err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file, Options{}); err == nil || !strings.Contains(err.Error(), "is not a directory") {
		t.Errorf("got %v", err)
	}
}
