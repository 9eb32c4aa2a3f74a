package cosmos

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/schema"
)

// awkwardKeys are partition keys that azcosmos writes with escapes that JSON does not have, and
// similar keys.
func awkwardKeys() []string {
	return []string{"😀", "𠮷野家", "\U0010ffff", "a\U00010000b", "\a", "\v", "\x00", "\x1f", "\x7f", "\u0080", "\xff",
		"\xf0\x9f", "é", "\u2028", "\ufeff", "\uffff", `"`, `\`, `\U0001f600`, `\\"`, "[]", "'", "\r\n\t\b\f", "/", ""}
}

func TestPartitionKeysAreSentAsJSON(t *testing.T) {
	for header, want := range map[string]string{
		`["plain"]`:                      `["plain"]`,
		`["\U0001f600"]`:                 `["\ud83d\ude00"]`,
		`["\U00020bb7\u91ce"]`:           `["\ud842\udfb7\u91ce"]`,
		`["\a\v\x00\x7f"]`:               `["\u0007\u000b\u0000\u007f"]`,
		`["\xff"]`:                       `["\ufffd"]`,
		`["\"\\U0001f600"]`:              `["\"\\U0001f600"]`,
		`["\x01",1.5,null,"\x02]` + `"]`: `["\u0001",1.5,null,"\u0002]"]`,
		`["\q"]`:                         `["\q"]`,
		`["\x00`:                         `["\x00`,
	} {
		if got := client.JSONFromGoQuoted(header); got != want {
			t.Errorf("%s became %s, want %s", header, got, want)
		}
	}
}

func FuzzPartitionKeyHeader(f *testing.F) {
	for _, key := range awkwardKeys() {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		header := client.JSONFromGoQuoted("[" + strconv.QuoteToASCII(key) + "]") // like azcosmos
		for _, b := range []byte(header) {
			if b < ' ' || b > '~' {
				t.Fatalf("%q has a character that a header must not have", header)
			}
		}
		var got []string
		if err := json.Unmarshal([]byte(header), &got); err != nil {
			t.Fatalf("%q is not JSON: %v", header, err)
		}
		item, err := json.Marshal([]string{key})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if err := json.Unmarshal(item, &want); err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0] != want[0] {
			t.Fatalf("%q became %q, want %q as in an item", key, got, want)
		}
	})
}

// headerTap is a transport that records the values of a header.
type headerTap struct {
	policy.Transporter
	name string
	mu   sync.Mutex
	seen []string
}

func (h *headerTap) Do(r *http.Request) (*http.Response, error) {
	if v := r.Header.Get(h.name); v != "" {
		h.mu.Lock()
		h.seen = append(h.seen, v)
		h.mu.Unlock()
	}
	return h.Transporter.Do(r)
}

func (h *headerTap) values() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.seen...)
}

func tagOf(t *testing.T, item []byte) string {
	t.Helper()
	var tagged struct{ Tag string }
	if err := json.Unmarshal(item, &tagged); err != nil {
		t.Fatal(err)
	}
	return tagged.Tag
}

func TestAwkwardPartitionKeysReachTheirItems(t *testing.T) {
	tap := &headerTap{name: client.KeyHeader}
	s := newStore(t, func(engine policy.Transporter) policy.Transporter { tap.Transporter = engine; return tap })
	c := s.Container(schema.TagsContainer)
	for _, k := range awkwardKeys() {
		body := client.Encode(map[string]string{"id": "1", "tag": k})
		if _, err := c.Client.CreateItem(t.Context(), client.Key(k), body, nil); err != nil {
			t.Errorf("create under %q: %v", k, err)
			continue
		}
		resp, err := c.Client.ReadItem(t.Context(), client.Key(k), "1", nil)
		if err != nil {
			t.Errorf("read under %q: %v", k, err)
			continue
		}
		if got, want := tagOf(t, resp.Value), tagOf(t, body); got != want {
			t.Errorf("%q came back as %q, want %q", k, got, want)
		}
		batch := c.Batch(k)
		batch.DeleteItem("1", nil)
		if _, err := c.Execute(t.Context(), batch, false); err != nil {
			t.Errorf("delete under %q: %v", k, err)
		}
	}
	for _, header := range tap.values() {
		if !json.Valid([]byte(header)) {
			t.Errorf("the header was sent as %s, which is not JSON", header)
		}
	}
}

func TestWritesAreReportedUnderTheirPartitionKeys(t *testing.T) {
	var mu sync.Mutex
	written := make(map[dependency.PartitionRef]bool)
	s := openStore(t, newEngine(t, embedded.Options{}), Options{Observers: []client.Observer{client.OnWrite(func(
		part dependency.PartitionRef, _ dependency.Facets) {
		mu.Lock()
		defer mu.Unlock()
		written[part] = true
	})}})
	for _, k := range awkwardKeys() {
		body := client.Encode(map[string]string{"id": "1", "tag": k})
		if _, err := s.Container(schema.TagsContainer).Client.CreateItem(t.Context(), client.Key(k), body,
			nil); err != nil {
			t.Fatal(err)
		}
		if !written[dependency.PartitionRef{Container: schema.TagsContainer, Key: tagOf(t, body)}] {
			t.Errorf("the write under %q was not reported: %v", k, written)
		}
		clear(written)
	}
}

func TestChangeFeedStartsAtATime(t *testing.T) {
	tap := &headerTap{name: "If-Modified-Since"}
	s := newStore(t, func(engine policy.Transporter) policy.Transporter { tap.Transporter = engine; return tap })
	if _, err := s.Container(schema.TagsContainer).Client.CreateItem(t.Context(), client.Key("a"),
		client.Encode(map[string]string{"id": "1", "tag": "a"}), nil); err != nil {
		t.Fatal(err)
	}
	feed := s.PartitionChanges(time.Now().Add(time.Hour))[schema.TagsContainer]
	ranges, err := feed.FeedRanges(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range ranges {
		page, err := feed.Read(t.Context(), r, "", 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Changes) > 0 {
			t.Errorf("a change feed that starts in an hour has %d changes", len(page.Changes))
		}
	}
	times := tap.values()
	if len(times) == 0 {
		t.Fatal("the request has no If-Modified-Since header")
	}
	for _, at := range times {
		if _, err := time.Parse(http.TimeFormat, at); err != nil {
			t.Errorf("%q is no HTTP date: %v", at, err)
		}
	}
}
