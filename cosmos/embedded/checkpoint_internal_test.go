package embedded

import (
	"context"
	"database/sql/driver"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/storage"
)

// limitLog lowers the size from which the log is restarted.
func limitLog(t *testing.T, e *Engine, size int64) {
	t.Helper()
	hold(t, e, func(tx *items.Txn) error {
		e.writer.LogLimit = size
		_, err := tx.Exec("PRAGMA wal_autocheckpoint = 50")
		return err
	})()
}

func logSize(t *testing.T, e *Engine) int64 {
	t.Helper()
	info, err := os.Stat(e.store.File + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// beginRead starts a read that continues until end is called.
func beginRead(e *Engine) (begun chan struct{}, end func()) {
	begun, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		e.store.Read(context.Background(), func(c *storage.Conn) error {
			return c.Query(context.Background(), "SELECT num FROM containers", nil, func([]driver.Value) (bool, error) {
				close(begun)
				<-release
				return false, nil
			})
		})
	}()
	return begun, func() { close(release); <-done }
}

// TestLogIsBoundedWhileReadsOverlap always has a read in progress that began before the last write,
// so that SQLite can never write back the whole log by itself.
func TestLogIsBoundedWhileReadsOverlap(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	const limit = 1 << 20
	limitLog(t, e, limit)
	begun, end := beginRead(e)
	<-begun
	written, largest := 0, int64(0)
	for round := range 25 {
		for i := range 10 {
			body := fmt.Sprintf(`{"id":"%d","pk":"a","x":%q}`, i, strings.Repeat("x", 40000))
			create(t, e, body, "X-Ms-Documentdb-Is-Upsert", "True")
			written += len(body)
		}
		next, endNext := beginRead(e) // may have to wait for the previous read
		for range 10 {
			create(t, e, fmt.Sprintf(`{"id":"r%d","pk":"a"}`, round), "X-Ms-Documentdb-Is-Upsert", "True")
		}
		end()
		<-next
		end = endNext
		largest = max(largest, logSize(t, e))
	}
	end()
	t.Logf("%d bytes written, the log had up to %d", written, largest)
	if largest > 4*limit {
		t.Errorf("the log has %d bytes, of %d written", largest, written)
	}
	for i := range 10 {
		send(t, e, "GET", docs+fmt.Sprintf("/%d", i), "", pk("a")...).want(t, 200)
	}
}

// warnings is a log destination. It sends each line to the channel, and drops lines while the channel is full.
type warnings chan string

func (w warnings) Write(line []byte) (int, error) {
	select {
	case w <- string(line):
	default:
	}
	return len(line), nil
}

// TestLongReadStopsNoOtherReads sends point reads while the log is over its limit and a read uses
// it. They are answered before that read ends. Afterwards the log is reused.
func TestLongReadStopsNoOtherReads(t *testing.T) {
	warned := make(warnings, 1)
	e, _ := mustEngine(t, Options{Logger: slog.New(slog.NewTextHandler(warned, nil))}, plainContainer)
	const limit = 1 << 20
	limitLog(t, e, limit)
	written := 0
	write := func() {
		written++
		text := strings.Repeat(string(rune('a'+written%26)), 40000)
		create(t, e, fmt.Sprintf(`{"id":"1","pk":"a","x":%q}`, text), "X-Ms-Documentdb-Is-Upsert", "True")
	}
	begun, end := beginRead(e)
	<-begun
	for range 60 {
		write()
		send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 200) // would wait for the end of the read
	}
	if line := <-warned; !strings.Contains(line, "cannot restart the write-ahead log during a long read") {
		t.Errorf("logged %s", line)
	}
	during := logSize(t, e)
	end()
	for range 60 {
		write()
	}
	if after := logSize(t, e); after > during+limit/2 {
		t.Errorf("the log had %d bytes at the end of the read, and has %d", during, after)
	}
}

// TestLogGrowsOnlyWhileABackupIsMade checks that the log grows during a backup without blocking
// requests, and is written back and reused afterwards.
func TestLogGrowsOnlyWhileABackupIsMade(t *testing.T) {
	e, _ := mustBig(t)
	const limit = 1 << 20
	limitLog(t, e, limit)
	write := func(n int) {
		for i := range n {
			create(t, e, fmt.Sprintf(`{"id":"w%d","pk":"a","x":%q}`, i, strings.Repeat("x", 40000)),
				"X-Ms-Documentdb-Is-Upsert", "True")
			send(t, e, "GET", docs+fmt.Sprintf("/w%d", i), "", pk("a")...).want(t, 200)
		}
	}
	during := int64(0)
	err := e.Backup(t.Context(), filepath.Join(t.TempDir(), "backup"), func(done, total int64) {
		if done < total {
			write(10)
			during = logSize(t, e)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if during < limit {
		t.Errorf("the log has only %d bytes, so the backup did not retain it", during)
	}
	write(40)
	if after := logSize(t, e); after > during+limit/2 {
		t.Errorf("the log had %d bytes at the end of the backup, and has %d", during, after)
	}
}
