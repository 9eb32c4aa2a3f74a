package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"inkfeed/cosmos/embedded/internal/items"
)

// scratch is an engine whose items can be reset.
type scratch struct {
	*Engine
	items map[string]any // original items of the partition key "a"
}

var scratchItems = []string{
	`{"id":"1","pk":"a","n":1,"f":0.5,"s":"x","list":[1,[2],{"a":3}],"o":{"p":{"q":1}},"a/b":1,"~":2,"":3,` +
		`"max":9223372036854775807,"null":null,"t":true}`,
	`{"id":"2","pk":"a"}`,
}

func mustScratch(f *testing.F) *scratch {
	e, _ := mustEngine(f, Options{}, plainContainer)
	s := &scratch{Engine: e, items: make(map[string]any)}
	for _, item := range scratchItems {
		create(f, e, item).want(f, 201)
		v, _ := decode(item)
		s.items[v.(map[string]any)["id"].(string)] = v
	}
	s.exec(f, "CREATE TABLE kept AS SELECT * FROM "+s.table())
	return s
}

func (s *scratch) table() string {
	return s.catalog.Load().Databases["d"].Containers["c"].Table.Name
}

func (s *scratch) exec(t testing.TB, statements ...string) {
	t.Helper()
	err := s.writer.Submit(&items.Write{Ctx: context.Background(), Apply: func(tx *items.Txn) error {
		for _, statement := range statements {
			if _, err := tx.Exec(statement); err != nil {
				return err
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// reset restores the original items.
func (s *scratch) reset(t testing.TB) {
	s.exec(t, "DELETE FROM "+s.table(), "INSERT INTO "+s.table()+" SELECT * FROM kept")
}

// state returns all items by id, without system properties.
func (s *scratch) state(t testing.TB) map[string]any {
	t.Helper()
	var feed struct{ Documents []json.RawMessage }
	a := send(t, s.Engine, "GET", docs, "", "X-Ms-Max-Item-Count", "-1").want(t, 200)
	if err := json.Unmarshal([]byte(a.body), &feed); err != nil {
		t.Fatal(err)
	}
	items := make(map[string]any)
	for _, d := range feed.Documents {
		v, ok := decode(string(d))
		if !ok {
			t.Fatalf("an item is not JSON: %s", d)
		}
		item, _ := modelItem(v)
		items[item["id"].(string)] = item
	}
	return items
}

// FuzzItem creates, upserts and replaces with any body. The body is accepted if and only if the
// model accepts it, and reads back as in the model.
func FuzzItem(f *testing.F) {
	for i, seed := range []string{
		`{"id":"3","pk":"a"}`, `{"id":"1","pk":"a","n":[1e2,-0.0,1e400]}`, `{"pk":"a"}`, `[]`, ``,
		`{"id":"3","pk":"a","x":"\ud800\u0000"}`,
		`{"id":"3","pk":"a","id":"4","_ts":1,"x":{"_ts":1}}`,
		`{"id":"3","pk":"a","n":9223372036854775808,"m":1.7976931348623157e308}`, `{"id":"3","pk":"a"}x`,
		`{"id":"3","pk":"a","x":` + nest(20, "null") + `}`, `{"id":"3","pk":["a"]}`, `{"id":3,"pk":"a"}`,
		" {\t\"id\":\"é\"\n,\"pk\":\"\\u0061\"}", `{"id":"1","pk":"b"}`, `nul`, `{"a":1,}`,
	} {
		f.Add(uint8(i), seed)
	}
	s := mustScratch(f)
	f.Fuzz(func(t *testing.T, kind uint8, body string) {
		lsn := rangeLSN(s.Engine)
		var a answer
		switch kind % 3 {
		case 0:
			a = create(t, s.Engine, body)
		case 1:
			a = create(t, s.Engine, body, "X-Ms-Documentdb-Is-Upsert", "True")
		case 2:
			a = send(t, s.Engine, "PUT", docs+"/1", body, pk("a")...)
		}
		expect(t, a, 200, 201, 400, 409)
		v, ok := decode(body)
		item, isItem := modelItem(v)
		done := a.status < 300
		if done != (rangeLSN(s.Engine) == lsn+1) || !done && rangeLSN(s.Engine) != lsn {
			t.Errorf("%d moved the LSN from %d to %d", a.status, lsn, rangeLSN(s.Engine))
		}
		want := s.items
		if utf8.ValidString(body) {
			id, _ := item["id"].(string)
			_, taken := s.items[id]
			if should := ok && isItem && (kind%3 == 0 && !taken || kind%3 == 1 || kind%3 == 2 &&
				id == "1"); should != done {
				t.Fatalf("answered %d: %s", a.status, a.body)
			}
			if done {
				want = map[string]any{id: item}
				for other, v := range s.items {
					if other != id {
						want[other] = v
					}
				}
			}
		} else if done {
			s.reset(t)
			return
		}
		if got := encode(s.state(t)); got != encode(want) {
			t.Errorf("got  %s\nwant %s", got, encode(want))
		}
		if done {
			s.reset(t)
		}
	})
}

// checkPatch sends a patch and compares the item with the model.
func (s *scratch) checkPatch(t *testing.T, body string) {
	t.Helper()
	lsn := rangeLSN(s.Engine)
	a := send(t, s.Engine, "PATCH", docs+"/1", body, pk("a")...)
	expect(t, a, 200, 400, 412)
	done := a.status == 200
	v, ok := decode(body)
	old, _ := decode(encode(s.items["1"]))
	patched, valid, known := modelPatch(old.(map[string]any), v)
	switch {
	case !utf8.ValidString(body) || ok && !known:
	case done != (ok && valid):
		t.Fatalf("answered %d: %s", a.status, a.body)
	case done:
		if got := encode(s.state(t)["1"]); got != encode(patched) {
			t.Errorf("got  %s\nwant %s", got, encode(patched))
		}
	}
	if !done {
		if got := encode(s.state(t)); got != encode(s.items) || rangeLSN(s.Engine) != lsn {
			t.Errorf("refused, and now %s", got)
		}
		return
	}
	if rangeLSN(s.Engine) != lsn+1 {
		t.Errorf("the LSN went from %d to %d", lsn, rangeLSN(s.Engine))
	}
	s.reset(t)
}

// FuzzPatch sends any body as a patch.
func FuzzPatch(f *testing.F) {
	for _, seed := range []string{
		`[{"op":"set","path":"/n","value":{"x":[null]}}]`,
		`{"operations":[{"op":"add","path":"/list/-","value":1},{"op":"remove","path":"/list/0"}]}`,
		`{"condition":"from c where c.n = 1","operations":[{"op":"incr","path":"/n","value":-1.5}]}`,
		`{"condition":"from c where","operations":[]}`,
		`[{"op":"move","from":"/o/p","path":"/list/1"},{"op":"replace","path":"/list/1/q"}]`,
		`[{"op":"incr","path":"/max","value":1}]`, `{}`, `[[]]`, `[{"op":"set","path":"/id"}]`,
		`[{"op":"incr","path":"/f","value":0.5},{"op":"incr","path":"/f","value":9007199254740993}]`,
		`[{"op":"MOVE","from":"/list/0","path":"/list/0"}]`,
	} {
		f.Add(seed)
	}
	s := mustScratch(f)
	f.Fuzz(s.checkPatch)
}

// FuzzPatchPath sends two operations with any paths and value.
func FuzzPatchPath(f *testing.F) {
	for _, path := range []string{"/n", "/new", "/list/0", "/list/3", "/list/-", "/list/1/0", "/list/2/a", "/a~1b",
		"/~0", "/", "", "//", "/list/99999999999999999999", "/list/00", "/o/p/q",
		"/o/p/q/r", "/x/y", "/pk", "/pk/x", "/id", "/_ts", "/_tsx", "/t", "/null/x", "/list/-/x"} {
		for i, op := range []string{"add", "set", "replace", "remove", "incr", "move"} {
			f.Add(op, path, []string{"/o", "/list/0", path}[i%3], []string{`1`, `{"y":[]}`, `null`, `0.5`}[i%4])
		}
	}
	s := mustScratch(f)
	f.Fuzz(func(t *testing.T, op, path, from, operand string) {
		if !json.Valid([]byte(operand)) {
			operand = encode(operand)
		}
		s.checkPatch(t,
			fmt.Sprintf(`[{"op":%s,"path":%s,"from":%s,"value":%s},{"op":"add","path":%[3]s,"value":%[4]s}]`,
				encode(op), encode(path), encode(from), operand))
	})
}

var batchSeeds = []string{
	`[{"operationType":"Create","resourceBody":{"id":"3","pk":"a"}},{"operationType":"Read","id":"3"},` +
		`{"operationType":"Delete","id":"3"}]`,
	`[{"operationType":"Patch","id":"1","resourceBody":{"operations":[{"op":"incr","path":"/n","value":1}]}},` +
		`{"operationType":"Replace","id":"1","resourceBody":{"id":"1","pk":"a"}}]`,
	`[]`, `[1]`, `{}`, `[{"operationType":"Read","id":"1"},{"operationType":"Delete","id":"1","ifMatch":"x"}]`,
	`[{"operationType":`, `[{"operationType":"Upsert","resourceBody":{"id":"1","pk":"a","new":[1.50]}}]`,
	`[{"operationType":"Delete","id":"2"},{"operationType":"Create","resourceBody":{"id":"2","pk":"a"}},` +
		`{"operationType":"Create","resourceBody":{"id":"2","pk":"a"}}]`,
	`[{"operationType":"Create","resourceBody":{"id":"3","pk":"b"}}]`, `[{"operationType":"Delete","id":5},{}]`,
	`[{"operationType":"Read","id":"1"},null]`,
	`[{"operationType":"Patch","id":"1","resourceBody":[{"op":"set","path":"/pk","value":1}]}]`,
}

// FuzzBatch sends any body as a transactional batch, which is applied completely in one transaction
// or not at all.
func FuzzBatch(f *testing.F) {
	for _, seed := range batchSeeds {
		f.Add(seed)
	}
	s := mustScratch(f)
	headers := batch("").headers
	f.Fuzz(func(t *testing.T, body string) {
		lsn := rangeLSN(s.Engine)
		a := send(t, s.Engine, "POST", docs, body, headers...)
		expect(t, a, 200, 207, 400)
		v, ok := decode(body)
		ops, _ := v.([]any)
		if a.status < 300 {
			checkBatchResults(t, a, len(ops))
		}
		done := a.status == 200
		after, valid, known := modelBatch(s.items, v)
		switch {
		case !utf8.ValidString(body) || ok && !known:
		case done != (ok && valid):
			t.Fatalf("answered %d: %s", a.status, a.body)
		case done:
			if got := encode(s.state(t)); got != encode(after) {
				t.Errorf("got  %s\nwant %s", got, encode(after))
			}
		}
		moved := rangeLSN(s.Engine) - lsn
		if !done {
			if got := encode(s.state(t)); got != encode(s.items) || moved != 0 {
				t.Errorf("refused, and now %s", got)
			}
			return
		}
		if moved != 0 && moved != 1 {
			t.Errorf("the LSN moved by %d", moved)
		}
		if moved == 0 && strings.Contains(a.body, `"statusCode":201`) {
			t.Error("created without a transaction")
		}
		s.reset(t)
	})
}

// checkBatchResults checks the form of a batch's results.
func checkBatchResults(t *testing.T, a answer, ops int) {
	t.Helper()
	var results []struct {
		StatusCode    int
		RequestCharge float64
		ETag          string
		ResourceBody  json.RawMessage
	}
	if err := json.Unmarshal([]byte(a.body), &results); err != nil || len(results) != ops {
		t.Fatalf("%d results of %d operations: %s (%v)", len(results), ops, a.body, err)
	}
	refused := 0
	for i, r := range results {
		switch {
		case a.status == 207 && r.StatusCode == 424:
		case a.status == 207 && r.StatusCode >= 400 && r.StatusCode < 500:
			refused++
		case a.status == 207 || r.StatusCode < 200 || r.StatusCode > 204 && r.StatusCode != 304:
			t.Errorf("operation %d of a batch that is answered %d has %d", i, a.status, r.StatusCode)
		case r.StatusCode != 204 && r.ETag == "":
			t.Errorf("operation %d has no etag", i)
		}
		if r.RequestCharge <= 0 {
			t.Errorf("operation %d costs %v", i, r.RequestCharge)
		}
	}
	if a.status == 207 && refused != 1 {
		t.Errorf("%d operations are marked as failed, want 1: %s", refused, a.body)
	}
}

// FuzzBulk sends any body as a bulk request: each operation is a transaction of its own.
func FuzzBulk(f *testing.F) {
	for _, seed := range append(batchSeeds,
		`[{"operationType":"Create","partitionKey":"[\"b\"]","resourceBody":{"id":"1","pk":"b"}},`+
			`{"operationType":"Delete","partitionKey":"[\"a\"]","id":"1"}]`,
		`[{"operationType":"Delete","partitionKey":["a"],"id":"1"}]`,
		`[{"operationType":"Read","partitionKey":"[{}]","id":"1"},{"operationType":"Read","partitionKey":"[",`+
			`"id":"1"}]`) {
		f.Add(seed)
	}
	s := mustScratch(f)
	f.Fuzz(func(t *testing.T, body string) {
		lsn := rangeLSN(s.Engine)
		a := send(t, s.Engine, "POST", docs, body, append(pk("a"), "X-Ms-Cosmos-Is-Batch-Request", "True",
			"X-Ms-Cosmos-Batch-Atomic", "False")...)
		expect(t, a, 200, 207, 400)
		if a.status == 400 {
			if got := encode(s.state(t)); got != encode(s.items) || rangeLSN(s.Engine) != lsn {
				t.Errorf("refused, and now %s", got)
			}
			return
		}
		v, _ := decode(body)
		ops, _ := v.([]any)
		var results []struct{ StatusCode int }
		if err := json.Unmarshal([]byte(a.body), &results); err != nil || ops != nil && len(results) != len(ops) {
			t.Fatalf("%d results of %d operations: %s (%v)", len(results), len(ops), a.body, err)
		}
		writes, failed := int64(0), false
		for i, r := range results {
			var op map[string]any
			if ops != nil {
				op, _ = ops[i].(map[string]any)
			}
			switch {
			case r.StatusCode >= 400 && r.StatusCode < 500:
				failed = true
			case r.StatusCode < 200 || r.StatusCode > 204 && r.StatusCode != 304:
				t.Errorf("operation %d is answered %d", i, r.StatusCode)
			case op["operationType"] != "Read":
				writes++
			}
		}
		if failed != (a.status == 207) {
			t.Errorf("answered %d: %s", a.status, a.body)
		}
		if moved := rangeLSN(s.Engine) - lsn; ops != nil && moved != writes {
			t.Errorf("%d writes moved the LSN by %d: %s", writes, moved, a.body)
		}
		s.reset(t)
	})
}
