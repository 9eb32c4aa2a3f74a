package embedded

import (
	"bytes"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/storage"
)

// hold occupies the writer until release is called, so that writes queued meanwhile share one
// transaction. first runs on the writer before that.
func hold(t *testing.T, e *Engine, first func(*items.Txn) error) (release func()) {
	t.Helper()
	held, free, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- e.writer.Submit(&items.Write{Ctx: context.Background(), Apply: func(tx *items.Txn) error {
			if err := first(tx); err != nil {
				return err
			}
			close(held)
			<-free
			return nil
		}})
	}()
	select {
	case <-held:
	case err := <-done:
		t.Fatal(err)
	}
	return func() {
		close(free)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func nothing(*items.Txn) error { return nil }

// enqueue starts requests one after another, each when the previous one is in the queue of the
// occupied writer. It returns a function that waits for the responses.
func enqueue(e *Engine, requests ...func() answer) func() []answer {
	answers := make([]answer, len(requests))
	done := make(chan struct{})
	for i, request := range requests {
		go func() {
			answers[i] = request()
			done <- struct{}{}
		}()
		for e.writer.Waiting() <= i {
			runtime.Gosched()
		}
	}
	return func() []answer {
		for range requests {
			<-done
		}
		return answers
	}
}

// counters returns the LSNs of the items, and the counter of the only range in memory and on disk.
func counters(t *testing.T, e *Engine) (items []int64, memory, disk int64) {
	t.Helper()
	c := e.catalog.Load().Databases["d"].Containers["c"]
	err := e.store.Read(context.Background(), func(conn *storage.Conn) error {
		row, err := conn.One("SELECT lsn FROM ranges WHERE container = ?", c.Num)
		if err != nil {
			return err
		}
		disk = storage.AsInt(row[0])
		return conn.Query(context.Background(), "SELECT lsn FROM "+c.Table.Name+" ORDER BY lsn", nil,
			func(r []driver.Value) (bool, error) {
				items = append(items, storage.AsInt(r[0]))
				return true, nil
			})
	})
	if err != nil {
		t.Fatal(err)
	}
	return items, c.Ranges[0].LSN.Load(), disk
}

func creation(t *testing.T, e *Engine, id, text string) func() answer {
	return func() answer {
		return send(t, e, "POST", docs, fmt.Sprintf(`{"id":%q,"pk":"a","x":%q}`, id, text), pk("a")...)
	}
}

func TestWriterSyncsTheLog(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for pragma, want := range map[string]any{"journal_mode": "wal", "synchronous": int64(2)} {
		row, err := e.store.Writer.One("PRAGMA " + pragma)
		if err != nil || row[0] != want {
			t.Errorf("%s is %v, want %v (%v)", pragma, row, want, err)
		}
	}
}

func TestWritesOfOneTransactionHaveTheirOwnLSNs(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	release := hold(t, e, nothing)
	var requests []func() answer
	for i := range 20 {
		requests = append(requests, creation(t, e, strconv.Itoa(i), ""))
	}
	wait := enqueue(e, requests...)
	release()
	for i, a := range wait() {
		if got := a.want(t, 201).header.Get("Lsn"); got != strconv.Itoa(i+1) {
			t.Errorf("write %d has LSN %s", i, got)
		}
	}
	items, memory, disk := counters(t, e)
	if len(items) != 20 || len(slices.Compact(items)) != 20 || items[19] != 20 || memory != 20 || disk != 20 {
		t.Errorf("items %v, counters %d and %d", items, memory, disk)
	}
}

// TestQueuedWritesShareACommit checks that queued writes share one commit and thus one sync of
// the log.
func TestQueuedWritesShareACommit(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	commits := func() int {
		log, err := storage.ReadLog(e.store.File + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return log.Commits
	}
	before := commits()
	creation(t, e, "alone", "")().want(t, 201)
	if n := commits() - before; n != 1 {
		t.Errorf("one write takes %d commits", n)
	}
	before = commits()
	release := hold(t, e, nothing)
	var requests []func() answer
	for i := range 50 {
		requests = append(requests, creation(t, e, strconv.Itoa(i), ""))
	}
	wait := enqueue(e, requests...)
	release()
	for _, a := range wait() {
		a.want(t, 201)
	}
	if n := commits() - before; n != 1 { // the write that occupied the writer changed nothing
		t.Errorf("fifty queued writes take %d commits", n)
	}
}

func TestFailedGroupLeavesNothing(t *testing.T) {
	submit := func(e *Engine, apply func(*items.Txn) error) func() answer {
		return func() answer {
			err := e.writer.Submit(&items.Write{Ctx: context.Background(), Apply: apply})
			refusal, _ := apierror.From(err)
			return answer{status: refusal.Status}
		}
	}
	for name, tt := range map[string]struct {
		before func(*items.Txn) error
		middle func(*testing.T, *Engine) func() answer
	}{
		"a panic": {nothing, func(_ *testing.T, e *Engine) func() answer {
			return submit(e, func(*items.Txn) error { panic("lost") })
		}},
		"an error of SQLite": {nothing, func(_ *testing.T, e *Engine) func() answer {
			return submit(e,
				func(tx *items.Txn) error { _, err := tx.Exec("INSERT INTO ranges VALUES (NULL)"); return err })
		}},
		"SQLite rolls back by itself": {nothing, func(_ *testing.T, e *Engine) func() answer {
			return submit(e, func(tx *items.Txn) error {
				_, err := tx.Exec("ROLLBACK")
				return errors.Join(errors.New("the disk failed"), err)
			})
		}},
		"the disk is full": {func(tx *items.Txn) error {
			row, err := tx.One("PRAGMA page_count")
			if err == nil {
				_, err = tx.One(fmt.Sprintf("PRAGMA max_page_count = %d", storage.AsInt(row[0])+8))
			}
			return err
		}, func(t *testing.T, e *Engine) func() answer {
			return creation(t, e, "big", strings.Repeat("x", 100_000))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, plainContainer)
			release := hold(t, e, tt.before)
			wait := enqueue(e, creation(t, e, "1", ""), tt.middle(t, e), creation(t, e, "3", ""),
				creation(t, e, "4", ""))
			release()
			for i, a := range wait() {
				if a.status != 503 {
					t.Errorf("write %d was answered %d", i, a.status)
				}
			}
			if items, memory, disk := counters(t, e); len(items) != 0 || memory != 0 || disk != 0 {
				t.Errorf("items %v, counters %d and %d", items, memory, disk)
			}
			if got := create(t, e, `{"id":"1","pk":"a"}`).want(t, 201).header.Get("Lsn"); got != "1" {
				t.Errorf("the next write has LSN %s", got)
			}
		})
	}
}

func TestRefusedWriteDoesNotHarmItsGroup(t *testing.T) {
	var log bytes.Buffer
	e, _ := mustEngine(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, plainContainer)
	release := hold(t, e, nothing)
	wait := enqueue(e, creation(t, e, "1", ""), creation(t, e, "1", ""), creation(t, e, "2", ""))
	release()
	for i, a := range wait() {
		if want := []int{201, 409, 201}[i]; a.status != want {
			t.Errorf("write %d was answered %d, want %d", i, a.status, want)
		}
	}
	if items, memory, disk := counters(t, e); len(items) != 2 || memory != 2 || disk != 2 || log.Len() > 0 {
		t.Errorf("items %v, counters %d and %d, log %s", items, memory, disk, &log)
	}
}
