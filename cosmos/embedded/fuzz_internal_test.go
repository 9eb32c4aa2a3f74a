package embedded

import (
	"testing"

	"inkfeed/cosmos/embedded/internal/value"
)

func FuzzKeyHeader(f *testing.F) {
	for _, seed := range []string{`["a"]`, `["\x00\a\U0001f600"]`, `[1.5,null,true]`, `[{}]`, `[]`, `["é\ud83d\ude00", -0]`, `["`, `[,]`, `[{`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, err := parseKeyHeader(text)
		if err != nil {
			return
		}
		enc := encodeKey(key)
		if again := encodeKey(decodeKey(enc)); string(again) != string(enc) {
			t.Errorf("%q: %x becomes %x", text, enc, again)
		}
	})
}

func FuzzPatchPath(f *testing.F) {
	for _, seed := range []string{"/a", "/list/0", "/list/-", "/a~1b/~0", "/", "//", "/list/99999999999999999999", "/o/p/q"} {
		f.Add(seed, "add")
		f.Add(seed, "remove")
	}
	item, err := value.Parse(`{"id":"1","a":1,"list":[1,[2]],"o":{"p":{"q":1}},"a/b":1}`)
	if err != nil {
		f.Fatal(err)
	}
	c := &container{keyPaths: [][]string{{"pk"}}, table: newTable(1, nil), policy: new(indexPolicy)}
	c.policy.none = true
	f.Fuzz(func(t *testing.T, path, op string) {
		entry := value.OfObject([]value.Member{{Name: "op", Value: value.OfString(op)}, {Name: "path", Value: value.OfString(path)},
			{Name: "from", Value: value.OfString("/o")}, {Name: "value", Value: value.OfInt(1)}})
		p, err := readPatch(c, value.OfArray([]value.Value{entry}))
		if err != nil {
			return
		}
		patched, err := p.ops[0].apply(item)
		if err == nil && !value.Equal(patched.Member("id"), item.Member("id")) {
			t.Errorf("%s %s changed the id", op, path)
		}
	})
}

func FuzzBatch(f *testing.F) {
	for _, seed := range []string{
		`[{"operationType":"Create","resourceBody":{"id":"1","pk":"a"}}]`, `[{"operationType":"Patch","id":"1","resourceBody":{"operations":[{"op":"incr","path":"/n","value":1}]}}]`,
		`[]`, `[1]`, `{}`, `[{"operationType":"Read","id":"1"},{"operationType":"Delete","id":"1","ifMatch":"x"}]`, `[{"operationType":`,
	} {
		f.Add(seed)
	}
	e, _ := mustEngine(f, Options{}, plainContainer)
	f.Fuzz(func(t *testing.T, text string) {
		a := send(t, e, "POST", docs, text, append(pk("a"), "X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "True")...)
		if a.status >= 500 {
			t.Errorf("status %d: %s", a.status, a.body)
		}
	})
}

func FuzzContinuation(f *testing.F) {
	e, _ := mustEngine(f, Options{}, plainContainer)
	for _, seed := range []string{"", "1.1.0.5.0.811c9dc5", "1.1.-1.0.0.0", "{}", "1.1.0.99999999999999999999.0.0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		a := send(t, e, "GET", docs, "", "X-Ms-Continuation", token)
		if a.status != 200 && a.status != 400 {
			t.Errorf("status %d: %s", a.status, a.body)
		}
	})
}
