package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/gofrs/flock"

	"inkfeed/cosmos/embedded/internal/storage"
)

// batchOfThree returns a batch that creates three items in a partition of its own.
func batchOfThree(pk string) string {
	var parts []string
	for i := range 3 {
		parts = append(parts, change{kind: "Create", body: fmt.Sprintf(`{"id":"%d","pk":%q,"text":%q}`, i, pk,
			strings.Repeat("x", 1000))}.inBatch())
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// TestBackupInTheMiddleOfWrites backs up a directory while another process writes to it.
func TestBackupInTheMiddleOfWrites(t *testing.T) {
	dir, backups := t.TempDir(), t.TempDir()
	l := begin(t, dir, 0, crashCheckpoint+"=100")
	l.must(t, 201, "POST", "/dbs", `{"id":"d"}`)
	l.must(t, 201, "POST", "/dbs/d/colls", plainContainer)
	var mu sync.Mutex
	var acknowledged []string
	more := sync.NewCond(&mu)
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("%d-%d", w, i)
				a, err := l.send("POST", docs, batchOfThree(key), atomicBatch(key)...)
				if err != nil || a.status != 200 {
					if !l.killed.Load() {
						t.Errorf("batch: %v, %d %s", err, a.status, a.body)
					}
					more.Broadcast()
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, key)
				mu.Unlock()
				more.Broadcast()
			}
		})
	}
	known := make(map[string][]string) // items acknowledged before each backup began
	for i := range 4 {
		mu.Lock()
		for wanted := len(acknowledged) + 30; len(acknowledged) < wanted && !t.Failed(); {
			more.Wait()
		}
		file := filepath.Join(backups, strconv.Itoa(i))
		known[file] = slices.Clone(acknowledged)
		mu.Unlock()
		if err := Backup(t.Context(), dir, file, nil); err != nil {
			t.Error(err)
		}
	}
	l.kill()
	writers.Wait()
	l.end(t)
	for file, keys := range known {
		e := restored(t, file)
		found := wholeBatches(t, e)
		for _, key := range keys {
			if !found[key] {
				t.Errorf("batch %s was acknowledged before the backup, but is missing in it", key)
			}
		}
		t.Logf("%d batches before, %d in the backup, %d in the end", len(keys), len(found), len(acknowledged))
	}
}

// restored opens an engine on a new directory restored from a backup.
func restored(t *testing.T, file string) *Engine {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "new", "data")
	if err := Restore(t.Context(), file, dir, nil, nil); err != nil {
		t.Fatal(err)
	}
	return reopen(t, dir)
}

// wholeBatches checks that each LSN of every feed range belongs to one complete batch, and that later writes continue
// the LSNs. It returns the batches.
func wholeBatches(t *testing.T, e *Engine) map[string]bool {
	t.Helper()
	ask := func(method, path, body string, headers ...string) answer {
		return send(t, e, method, path, body, headers...)
	}
	found := make(map[string]bool)
	counters := make(map[string]int64)
	for _, rng := range e.catalog.Load().Databases["d"].Containers["c"].Ranges {
		items, counter := drainFeed(t, ask, rangeName{"c", strconv.Itoa(rng.ID)})
		counters[strconv.Itoa(rng.ID)] = counter
		if len(items) != 3*int(counter) {
			t.Errorf("feed range %d counts %d batches and has %d items", rng.ID, counter, len(items))
			continue
		}
		for i, item := range items {
			if want := int64(i/3 + 1); item.LSN != want || item.PK != items[i/3*3].PK {
				t.Errorf("range %d: item %d is %s/%s with LSN %d", rng.ID, i, item.PK, item.ID, item.LSN)
			}
			found[item.PK] = true
		}
	}
	a := send(t, e, "POST", docs, batchOfThree("next"), atomicBatch("next")...).want(t, 200)
	id, lsn, _ := strings.Cut(a.header.Get("X-Ms-Session-Token"), ":-1#")
	if lsn != strconv.FormatInt(counters[id]+1, 10) {
		t.Errorf("feed range %s continues from %d with %s", id, counters[id], lsn)
	}
	return found
}

// mustBig opens an engine whose database takes several steps to copy.
func mustBig(t *testing.T) (*Engine, string) {
	t.Helper()
	dir := t.TempDir()
	e := reopen(t, dir)
	send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
	send(t, e, "POST", "/dbs/d/colls", plainContainer).want(t, 201)
	for b := range 30 {
		var parts []string
		for i := range 100 {
			parts = append(parts,
				fmt.Sprintf(`{"operationType":"Create","resourceBody":{"id":"%d-%d","pk":"a","text":%q}}`, b, i,
					strings.Repeat("x", 2000)))
		}
		send(t, e, "POST", docs, "["+strings.Join(parts, ",")+"]", atomicBatch("a")...).want(t, 200)
	}
	return e, dir
}

func TestBackupIsOfOneMoment(t *testing.T) {
	e, _ := mustBig(t)
	file := filepath.Join(t.TempDir(), "backup")
	var steps []int64
	err := e.Backup(t.Context(), file, func(done, total int64) {
		steps = append(steps, done)
		for i := range 100 { // writers do not wait, and their writes do not restart the copy
			create(t, e, fmt.Sprintf(`{"id":"late%d-%d","pk":"a"}`, len(steps), i)).want(t, 201)
		}
		send(t, e, "DELETE", docs+fmt.Sprintf("/0-%d", len(steps)), "", pk("a")...).want(t, 204)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) < 3 || !slices.IsSorted(steps) {
		t.Errorf("steps %v", steps)
	}
	copied := restored(t, file)
	items, memory, disk := counters(t, copied)
	if len(items) != 3000 || memory != 30 || disk != 30 {
		t.Errorf("%d items, counters %d and %d", len(items), memory, disk)
	}
	send(t, copied, "GET", docs+"/late1-0", "", pk("a")...).want(t, 404)
	send(t, copied, "GET", docs+"/0-1", "", pk("a")...).want(t, 200)
}

func TestBackupOfAKilledEngineHasItsLog(t *testing.T) {
	file := filepath.Join(t.TempDir(), "backup")
	if err := Backup(t.Context(), mustDirectory(t), file, nil); err != nil {
		t.Fatal(err)
	}
	send(t, restored(t, file), "GET", docs+"/119", "", pk("a")...).want(t, 200)
}

// TestBackupThatFailsLeavesNothing interrupts backups in different ways. None leaves a file.
func TestBackupThatFailsLeavesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		attempt func(t *testing.T, file string) error
		want    string
	}{
		"the context ends while it copies": {func(t *testing.T, file string) error {
			e, _ := mustBig(t)
			ctx, cancel := context.WithCancel(t.Context())
			return e.Backup(ctx, file, func(int64, int64) { cancel() })
		}, "context canceled"},
		"the context ends before the check": {func(t *testing.T, file string) error {
			ctx, cancel := context.WithCancel(t.Context())
			return Backup(ctx, mustDirectory(t), file, func(int64, int64) { cancel() })
		}, "context canceled"},
		"the engine is closed": {func(t *testing.T, file string) error {
			e, _ := mustEngine(t, Options{}, plainContainer)
			e.Close()
			return e.Backup(t.Context(), file, nil)
		}, "the engine is closing"},
		"a page is damaged": {func(t *testing.T, file string) error {
			dir := mustDamaged(t)
			return Backup(t.Context(), dir, file, nil)
		}, "the database is damaged"},
		"the database is torn": {func(t *testing.T, file string) error {
			dir := mustDirectory(t)
			if err := os.Truncate(filepath.Join(dir, storage.DatabaseFile), 8192); err != nil {
				t.Fatal(err)
			}
			return Backup(t.Context(), dir, file, nil)
		}, "it is torn"},
		"the database is torn, and another backup has begun": {func(t *testing.T, file string) error {
			dir := mustDirectory(t)
			if err := os.Truncate(filepath.Join(dir, storage.DatabaseFile), 8192); err != nil {
				t.Fatal(err)
			}
			other := flock.New(filepath.Join(dir, storage.LockFile))
			defer other.Unlock()
			if locked, err := other.TryRLock(); !locked {
				t.Fatal(err)
			}
			return Backup(t.Context(), dir, file, nil)
		}, "it is torn"},
		"there is no database": {func(t *testing.T, file string) error {
			dir := t.TempDir()
			err := Backup(t.Context(), dir, file, nil)
			if made, _ := os.ReadDir(dir); len(made) > 0 {
				t.Errorf("the backup created %v", made)
			}
			return err
		}, "there is no database in"},
		"the folder is missing": {func(t *testing.T, file string) error {
			return Backup(t.Context(), mustDirectory(t), filepath.Join(file, "backup"), nil)
		}, "no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			err := tt.attempt(t, filepath.Join(dir, "backup"))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("the remaining files are %v (%v)", left, err)
			}
		})
	}
}

func TestCloseStopsABackup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := mustBig(t)
		dir := t.TempDir()
		err := e.Backup(t.Context(), filepath.Join(dir, "backup"), func(done, total int64) {
			if done == total {
				t.Error("the backup was completed")
			}
			e.stop() // the first step of Close, which then waits for the backup
			synctest.Wait()
		})
		if !errors.Is(err, errClosing) {
			t.Errorf("got %v", err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("the remaining files are %v (%v)", left, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestBackupDoesNotOverwrite(t *testing.T) {
	dir := mustDirectory(t)
	file := filepath.Join(t.TempDir(), "backup")
	if err := Backup(t.Context(), dir, file, nil); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := Backup(t.Context(), dir, file, nil); err == nil || !strings.Contains(err.Error(),
		file+" already exists") {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed (%v)", err)
	}
	t.Run("a file that appears during the backup stays", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "backup")
		err := Backup(t.Context(), dir, file, func(int64, int64) {
			if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
				t.Error(err)
			}
		})
		if err == nil {
			t.Error("no error")
		}
		if after, err := os.ReadFile(file); err != nil || string(after) != "mine" {
			t.Errorf("the file was changed (%v)", err)
		}
		if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
			t.Errorf("the remaining files are %v", left)
		}
	})
}

func TestRestoreRefuses(t *testing.T) {
	mustBackup := func(t *testing.T) string {
		file := filepath.Join(t.TempDir(), "backup")
		if err := Backup(t.Context(), mustDirectory(t), file, nil); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write := func(t *testing.T, file, content string) string {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, tt := range map[string]struct {
		prepare func(t *testing.T, dir string) (file string)
		want    string
	}{
		"a directory in use": {func(t *testing.T, dir string) string {
			reopen(t, dir)
			return mustBackup(t)
		}, "in use by another process"},
		"a directory with a database": {func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, storage.DatabaseFile), "mine")
			return mustBackup(t)
		}, storage.DatabaseFile + " already exists"},
		"a directory with another database's log": {func(t *testing.T, dir string) string {
			write(t, filepath.Join(dir, storage.DatabaseFile+"-wal"), "mine")
			return mustBackup(t)
		}, storage.DatabaseFile + "-wal already exists"},
		"a backup that is torn": {func(t *testing.T, dir string) string {
			file := mustBackup(t)
			if err := os.Truncate(file, 40960); err != nil {
				t.Fatal(err)
			}
			return file
		}, "it is torn"},
		"a backup with a damaged page": {func(t *testing.T, dir string) string {
			return filepath.Join(mustDamaged(t), storage.DatabaseFile)
		}, "the database is damaged"},
		"another file": {func(t *testing.T, dir string) string {
			return write(t, filepath.Join(t.TempDir(), "notes"), strings.Repeat("notes\n", 1000))
		}, "is not a database of this engine"},
		"a file that is missing": {func(t *testing.T, dir string) string {
			return filepath.Join(t.TempDir(), "none")
		}, "no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := tt.prepare(t, dir)
			before, _ := os.ReadDir(dir)
			err := Restore(t.Context(), file, dir, nil, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %s", err, tt.want)
			}
			if errors.Is(err, fs.ErrNotExist) && strings.Contains(err.Error(), "torn") {
				t.Errorf("a missing file is reported as torn: %v", err)
			}
			after, _ := os.ReadDir(dir)
			after = slices.DeleteFunc(after, func(f os.DirEntry) bool { return f.Name() == storage.LockFile })
			before = slices.DeleteFunc(before, func(f os.DirEntry) bool { return f.Name() == storage.LockFile })
			if len(after) != len(before) {
				t.Errorf("the files are now %v", after)
			}
		})
	}
}

// A killed restore has left a temporary file as large as the database.
func TestRestoreRemovesTemporaryFilesOfAKilledRestore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "backup")
	if err := Backup(t.Context(), mustDirectory(t), file, nil); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{storage.DatabaseFile + ".12345.new", "notes"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("left"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Restore(t.Context(), file, dir, nil, nil); err != nil {
		t.Fatal(err)
	}
	var names []string
	left, err := os.ReadDir(dir)
	for _, f := range left {
		names = append(names, f.Name())
	}
	if want := []string{storage.DatabaseFile, storage.LockFile, "notes"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("the files are %v (%v), want %v", names, err, want)
	}
}

// mustDamaged returns a directory whose database has the right length and a damaged page.
func mustDamaged(t *testing.T) string {
	t.Helper()
	dir := mustDirectory(t)
	if err := reopen(t, dir).Close(); err != nil { // writes the log back to the file
		t.Fatal(err)
	}
	file := filepath.Join(dir, storage.DatabaseFile)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	at := strings.Index(string(content), `{"id":"50"`) / page * page
	if at <= 0 {
		t.Fatal("item 50 is not found")
	}
	copy(content[at:at+page], strings.Repeat("\xa5", page))
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
