package explorer

import (
	"crypto/sha256"
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

func TestPartitionKeysOfItems(t *testing.T) {
	for name, c := range map[string]struct {
		key  keyDefinition
		item string
		want string
	}{
		"a text outside of ASCII": {keyDefinition{Paths: []string{"/a"}}, `{"a": "é😀"}`,
			`["\u00e9\ud83d\ude00"]`},
		"a control character": {keyDefinition{Paths: []string{"/a"}}, `{"a": "\u007f"}`, `["\u007f"]`},
		"a large number": {keyDefinition{Paths: []string{"/a"}}, `{"a": 9007199254740993}`,
			`[9007199254740993]`},
		"null and a boolean": {keyDefinition{Paths: []string{"/a", "/b"}}, `{"a": null, "b": true}`,
			`[null,true]`},
		"a missing property":         {keyDefinition{Paths: []string{"/a", "/b"}}, `{"b": "x"}`, `[{},"x"]`},
		"an object":                  {keyDefinition{Paths: []string{"/a"}}, `{"a": {"b": 1}}`, `[{}]`},
		"a nested and a quoted name": {keyDefinition{Paths: []string{`/a/"b c"`}}, `{"a": {"b c": "x"}}`, `["x"]`},
		"a container without a key": {keyDefinition{Paths: []string{"/_partitionKey"}, SystemKey: true}, `{}`,
			`[]`},
		"a text that is not an item":    {keyDefinition{Paths: []string{"/a"}}, `{`, `[]`},
		"a value that is not an object": {keyDefinition{Paths: []string{"/a"}}, `3`, `[{}]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.key.of([]byte(c.item)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// FuzzPartitionKey checks that a partition key in the protocol's form is ASCII and has the values that were typed.
func FuzzPartitionKey(f *testing.F) {
	for _, text := range []string{``, `"a"`, `["é", 1.50, null]`, `"\ud83d"`, `{}`, `"a" "b"`, `[[]]`, "\"\u2028\""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, err := parseKey(text)
		if err != nil || key == "" {
			return
		}
		for i := range len(key) {
			if key[i] < ' ' || key[i] > '~' {
				t.Fatalf("%q contains the byte %#x", key, key[i])
			}
		}
		typed, err := decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := typed.([]any); !ok {
			typed = []any{typed}
		}
		if got, err := decode([]byte(key)); err != nil || !reflect.DeepEqual(got, typed) {
			t.Errorf("%q became %s, %v", text, key, err)
		}
		if !json.Valid([]byte(key)) {
			t.Errorf("%q became %s", text, key)
		}
	})
}

func TestSessionsEnd(t *testing.T) {
	s := sessions{ends: make(map[[sha256.Size]byte]time.Time)}
	now := time.Unix(1_800_000_000, 0)
	first := s.begin(now)
	last := now.Add(sessionTime - time.Second)
	if !s.valid(first, last) || s.valid(first, now.Add(sessionTime)) || s.valid("", now) || s.valid(first+"x", now) {
		t.Error("a session is not valid for exactly its time and its token")
	}
	second := s.begin(now.Add(sessionTime + time.Second))
	if len(s.ends) != 1 {
		t.Errorf("%d sessions are stored, want 1", len(s.ends))
	}
	if s.end(second); s.valid(second, now) {
		t.Error("a session is valid after it was ended")
	}
}
