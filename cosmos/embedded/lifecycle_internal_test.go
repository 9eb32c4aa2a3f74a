package embedded

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/items"
)

// TestReadWhileTheContainerIsDropped reads between the commit that drops a table and the change of
// the catalog.
func TestReadWhileTheContainerIsDropped(t *testing.T) {
	var log bytes.Buffer
	e, _ := mustEngine(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, plainContainer)
	create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
	c := e.catalog.Load().Databases["d"].Containers["c"]
	read := func() answer { return send(t, e, "GET", docs+"/1", "", pk("a")...) }
	read().want(t, 200)
	if err := e.writer.Submit(&items.Write{Ctx: context.Background(), Alone: true,
		Apply: func(tx *items.Txn) error { return catalog.DropContainer(tx.Conn, c) }}); err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]answer{
		"point read":  read(),
		"read feed":   send(t, e, "GET", docs, ""),
		"change feed": send(t, e, "GET", docs, "", "A-IM", "Incremental feed"),
		"query": send(t, e, "POST", docs, `{"query":"SELECT VALUE COUNT(1) FROM c"}`,
			append(pk("a"), "Content-Type", "application/query+json")...),
	} {
		if a.status != 404 || a.header.Get("X-Ms-Substatus") != "1003" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if log.Len() > 0 {
		t.Errorf("logged as failures: %s", &log)
	}
}

// stalled is a request body that never sends any data.
type stalled struct{ begun, release chan struct{} }

func (s *stalled) Read([]byte) (int, error) {
	close(s.begun)
	<-s.release
	return 0, io.EOF
}

func TestStalledBodyBlocksNoOtherRequests(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	body := &stalled{make(chan struct{}), make(chan struct{})}
	answered := make(chan answer)
	go func() {
		r := httptest.NewRequest("POST", docs, body)
		r.Header.Set(keyHeader, `["a"]`)
		signAs(e, r, "docs", "dbs/d/colls/c", time.Now())
		answered <- serve(e, r)
	}()
	<-body.begun
	closed := make(chan error)
	go func() { closed <- e.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute): // keeps a failing test from hanging
		t.Error("Close waits for the body")
	}
	close(body.release)
	(<-answered).want(t, 503)
}

func TestPurgeEndsWithTheEngine(t *testing.T) {
	e, clock := mustEngine(t, Options{}, `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":10}`)
	for i := range 3 {
		create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a"}`, i)).want(t, 201)
	}
	clock.at = clock.at.Add(time.Minute)
	e.stop()
	e.purge()
	if items, _, _ := counters(t, e); len(items) != 3 {
		t.Errorf("%d of 3 items remain", len(items))
	}
}
