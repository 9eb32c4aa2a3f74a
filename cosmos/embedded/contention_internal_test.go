package embedded

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/storage"
)

// TestReadersDoNotBlockTheWriter acknowledges writes while every read connection is in the middle
// of a read. The reads do not see the writes.
func TestReadersDoNotBlockTheWriter(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for i := range 10 {
		create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a"}`, i)).want(t, 201)
	}
	table := e.catalog.Load().Databases["d"].Containers["c"].Table.Name
	readers := e.store.Readers.Most()
	var reading sync.WaitGroup
	reading.Add(readers)
	written := make(chan struct{})
	seen := make(chan int)
	for range readers {
		go func() {
			n := 0
			e.store.Read(context.Background(), func(c *storage.Conn) error {
				return c.Query(context.Background(), "SELECT id FROM "+table, nil, func([]driver.Value) (bool, error) {
					if n++; n == 1 {
						reading.Done()
						<-written
					}
					return true, nil
				})
			})
			seen <- n
		}()
	}
	reading.Wait()
	create(t, e, `{"id":"new","pk":"a"}`).want(t, 201)
	send(t, e, "PUT", docs+"/0", `{"id":"0","pk":"a","x":1}`, pk("a")...).want(t, 200)
	send(t, e, "DELETE", docs+"/9", "", pk("a")...).want(t, 204)
	send(t, e, "POST", "/dbs/d/colls", `{"id":"other","partitionKey":{"paths":["/pk"]}}`).want(t, 201)
	close(written)
	for range readers {
		if n := <-seen; n != 10 {
			t.Errorf("a read saw %d items, not the 10 of when it began", n)
		}
	}
}

// TestWriterDoesNotBlockReaders reads in the middle of a transaction of the writer. The reads
// return the state before it.
func TestWriterDoesNotBlockReaders(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
	release := hold(t, e, func(tx *items.Txn) error {
		_, err := tx.Exec("DELETE FROM " + e.catalog.Load().Databases["d"].Containers["c"].Table.Name)
		return err
	})
	for name, a := range map[string]answer{
		"a point read":    send(t, e, "GET", docs+"/1", "", pk("a")...),
		"a read feed":     send(t, e, "GET", docs, ""),
		"the change feed": send(t, e, "GET", docs, "", "A-IM", "Incremental feed"),
		"a query": send(t, e, "POST", docs, `{"query":"SELECT * FROM c"}`,
			append(pk("a"), "Content-Type", "application/query+json")...),
		"a definition": send(t, e, "GET", "/dbs/d/colls/c", ""),
	} {
		if a.status != 200 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	release()
	send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 404)
}

// TestSequentialReadsUseOneConnection checks that sequential reads use one connection and
// leave others unused.
func TestSequentialReadsUseOneConnection(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	busy, err := e.store.Readers.TakeAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range busy {
		opened, err := e.store.OpenReader()
		if err != nil {
			t.Fatal(err)
		}
		busy[i] = opened
		e.store.Readers.Give(opened)
	}
	used := make(map[*storage.Conn]bool)
	for range 3 * len(busy) {
		if err := e.store.Read(t.Context(), func(c *storage.Conn) error { used[c] = true; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if len(used) != 1 {
		t.Errorf("%d connections of %d were used", len(used), len(busy))
	}
}

// TestCancelledReadTakesNoConnection checks that a request which gives up waiting for a
// connection takes none.
func TestCancelledReadTakesNoConnection(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	held, err := e.store.Readers.TakeAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	given := make(chan error)
	go func() {
		given <- e.store.Read(ctx, func(*storage.Conn) error { return errors.New("it got one") })
	}()
	runtime.Gosched()
	cancel()
	if err := <-given; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	e.store.Readers.GiveAll(held)
	send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 404)
}
