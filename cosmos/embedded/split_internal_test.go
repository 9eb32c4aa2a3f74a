package embedded

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/storage"
)

func TestSplitIsSeenByClients(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for i := range 30 {
		send(t, e, "POST", docs, fmt.Sprintf(`{"id":"1","pk":"k%d"}`, i), pk(fmt.Sprint("k", i))...).want(t, 201)
	}
	before := send(t, e, "GET", ranges, "", "A-IM", "Incremental Feed").want(t, 200)
	made := mustSplit(t, e, "0")

	t.Run("two feed ranges continue from the parent", func(t *testing.T) {
		if len(made) != 2 || made[0].ID != "1" || made[1].ID != "2" || made[0].Min != "" || made[1].Max != "FF" ||
			made[0].Max != made[1].Min ||
			made[0].LSN != 30 || made[1].LSN != 30 || fmt.Sprint(made[0].Parents) != "[0]" {
			t.Errorf("%+v", made)
		}
	})
	t.Run("a feed range of many items is split in their middle", func(t *testing.T) {
		one, _ := drain(t, e, "1", "")
		two, _ := drain(t, e, "2", "")
		if len(one) != 15 || len(two) != 15 {
			t.Errorf("%d and %d items", len(one), len(two))
		}
	})
	t.Run("the etag of the list has changed", func(t *testing.T) {
		a := send(t, e, "GET", ranges, "", "If-None-Match", before.header.Get("Etag")).want(t, 200)
		if len(listOf(t, a)) != 2 || a.header.Get("Etag") == before.header.Get("Etag") {
			t.Errorf("%v", a)
		}
		send(t, e, "GET", ranges, "", "If-None-Match", a.header.Get("Etag")).want(t, 304)
	})
	t.Run("a grandchild names all its parents, for a client that missed its parent", func(t *testing.T) {
		mustSplit(t, e, "2")
		a := send(t, e, "GET", ranges, "", "A-IM", "Incremental Feed", "If-None-Match",
			before.header.Get("Etag")).want(t, 200)
		if list := listOf(t, a); len(list) != 3 || fmt.Sprint(list[1].Parents) != "[0 2]" {
			t.Errorf("%+v", list)
		}
		a = send(t, e, "GET", ranges, "", "A-IM", "Incremental Feed", "If-None-Match",
			strings.ReplaceAll(before.header.Get("Etag"), "-0", "-2"))
		if list := listOf(t, a); len(list) != 2 || list[0].ID != "3" {
			t.Errorf("the list contains known feed ranges: %+v", list)
		}
	})
	t.Run("an invalid etag returns all feed ranges", func(t *testing.T) {
		for _, etag := range []string{`"x"`, `"1-99"`, `"2-0"`, `"1-"`} {
			if list := listOf(t, send(t, e, "GET", ranges, "", "A-IM", "Incremental Feed", "If-None-Match",
				etag).want(t, 200)); len(list) != 3 {
				t.Errorf("%s: %+v", etag, list)
			}
		}
	})
	t.Run("the parent is gone", func(t *testing.T) {
		for _, a := range []answer{
			send(t, e, "GET", docs, "", "A-IM", "Incremental feed", rangeHeader, "0"),
			send(t, e, "POST", docs, `{"query":"SELECT * FROM c"}`, rangeHeader, "0", "Content-Type",
				"application/query+json"),
			send(t, e, "POST", docs, `[{"operationType":"Read","partitionKey":"[\"k1\"]","id":"1"}]`, rangeHeader, "0",
				"X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False"),
			send(t, e, "POST", ranges, `{"range":"0"}`),
		} {
			if a.want(t, 410).header.Get("X-Ms-Substatus") != "1002" {
				t.Errorf("%v", a)
			}
		}
	})
	t.Run("the parent's session tokens stay valid", func(t *testing.T) {
		read := func(token string) answer {
			return send(t, e, "GET", docs+"/1", "", append(pk("k1"), "X-Ms-Session-Token", token)...)
		}
		read("0:-1#30").want(t, 200)
		read("0:-1#30,1:-1#30,2:-1#30").want(t, 200)
		for _, ahead := range []string{"0:-1#31", "1:-1#99", "9:-1#1"} {
			if a := read(ahead).want(t, 404); a.header.Get("X-Ms-Substatus") != "1002" {
				t.Errorf("%s: %v", ahead, a)
			}
		}
		read("x:-1#1").want(t, 400)
	})
}

func TestSplitRefused(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 2}, plainContainer)
	middle := "20000000000000000000000000000000"
	for name, tt := range map[string]struct {
		body string
		want int
	}{
		"of an unknown range":           {`{"range":"7"}`, 410},
		"of an invalid id":              {`{"range":7}`, 400},
		"at an invalid hash":            {`{"range":"0","at":"xyz"}`, 400},
		"at half a byte":                {`{"range":"0","at":"1"}`, 400},
		"at the end of the range":       {`{"range":"0","at":"` + middle + `"}`, 400},
		"at the beginning of the range": {`{"range":"1","at":"` + middle + `"}`, 400},
		"at zero":                       {`{"range":"0","at":"00"}`, 400},
		"outside the range":             {`{"range":"0","at":"30"}`, 400},
		"beyond all hashes":             {`{"range":"1","at":"40"}`, 400},
		"finer than a hash":             {`{"range":"1","at":"` + strings.Repeat("21", 17) + `"}`, 400},
		"with an array as body":         {`[]`, 400},
		"by nothing":                    {``, 400},
	} {
		t.Run(name, func(t *testing.T) { send(t, e, "POST", ranges, tt.body).want(t, tt.want) })
	}
	t.Run("in a missing container", func(t *testing.T) {
		send(t, e, "POST", "/dbs/d/colls/none/pkranges", `{}`).want(t, 404)
	})
	t.Run("without a signature", func(t *testing.T) {
		a := serve(e, mustRequest(t, "POST", ranges, `{}`))
		a.want(t, 401)
	})
	if list := listOf(t, send(t, e, "GET", ranges, "")); len(list) != 2 {
		t.Errorf("%+v", list)
	}
	t.Run("beyond the maximum number of ranges", func(t *testing.T) {
		e, _ := mustEngine(t, Options{Ranges: MaxRanges}, plainContainer)
		send(t, e, "POST", ranges, `{}`).want(t, 400)
	})
	t.Run("of a range that has only a few hashes", func(t *testing.T) {
		send(t, e, "POST", ranges, `{"range":"1","at":"20000000000000000000000000000001"}`).want(t, 201)
		send(t, e, "POST", ranges, `{"range":"2"}`).want(t, 400)
	})
}

// TestSplitThatDoesNotCommit checks that a failed transaction leaves no trace of the split, before
// and after a restart.
func TestSplitThatDoesNotCommit(t *testing.T) {
	for name, fail := range map[string]func(*items.Txn) error{
		"refused":  func(*items.Txn) error { return apierror.PreconditionFailed() },
		"an error": func(*items.Txn) error { return errors.New("the disk failed") },
		"a panic":  func(*items.Txn) error { panic("lost") },
		"SQLite rolls back": func(tx *items.Txn) error {
			_, err := tx.Exec("ROLLBACK")
			return errors.Join(errors.New("the disk failed"), err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, clock := t.TempDir(), &clock{at: time.Unix(1_800_000_000, 0)}
			e, err := open(dir, Options{}, clock.now)
			if err != nil {
				t.Fatal(err)
			}
			send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
			send(t, e, "POST", "/dbs/d/colls", plainContainer).want(t, 201)
			create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
			err = e.writer.Change(context.Background(),
				func(tx *items.Txn, cat *catalog.Catalog) (*catalog.Catalog, error) {
					c := cat.Databases["d"].Containers["c"]
					next, _, err := catalog.SplitRange(tx.Conn, c, c.Ranges[0], []byte{0x20})
					if err != nil {
						return nil, err
					}
					return cat.With(next), fail(tx)
				})
			if err == nil {
				t.Fatal("no error")
			}
			for range 2 {
				list := listOf(t, send(t, e, "GET", ranges, "").want(t, 200))
				items, _ := drain(t, e, "0", "")
				if len(list) != 1 || list[0].ID != "0" || len(items) != 1 {
					t.Errorf("%+v, %+v", list, items)
				}
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
				if e, err = open(dir, Options{}, clock.now); err != nil {
					t.Fatal(err)
				}
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestOpenRefusesRangesThatDoNotAgree(t *testing.T) {
	for sql, want := range map[string]string{
		"DELETE FROM ranges WHERE id = 0": "feed range 1 of container c was split off from 0," +
			" which is missing",
		"DELETE FROM ranges WHERE id = 2":                      "container c: the feed ranges end at",
		"UPDATE ranges SET max = '30' WHERE id = 1":            "container c: feed range 2 begins at",
		"UPDATE ranges SET max = 'x' WHERE id = 1":             "container c: the bounds of feed range 1",
		"UPDATE ranges SET lsn = 0 WHERE id = 2":               "feed range 2 of container c has a lower LSN",
		"UPDATE ranges SET parents = 'none' WHERE id = 2":      "feed range 2 of container c was split off from none",
		"UPDATE offers SET content = '{' WHERE resource != ''": "offer of ",
	} {
		t.Run(sql, func(t *testing.T) {
			dir := t.TempDir()
			e, err := Open(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
			send(t, e, "POST", "/dbs/d/colls", plainContainer, "X-Ms-Offer-Throughput", "400").want(t, 201)
			create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
			mustSplit(t, e, "0")
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			c, err := storage.OpenConn(storage.NewDriver(), filepath.Join(dir, storage.DatabaseFile), false)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Exec(sql); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			e, err = Open(dir, Options{})
			if err == nil {
				e.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}
