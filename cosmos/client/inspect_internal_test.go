package client

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"

	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/operations"
)

const items = "/dbs/blog/colls/posts/docs"

func TestDescribe(t *testing.T) {
	for name, tt := range map[string]struct {
		method, path string
		header       []string
		body         string
		kind, text   string
	}{
		"a point read": {"GET", items + "/1", nil, "", "read", "point read of one item by its id"},
		"a query": {"POST", items, []string{"x-ms-documentdb-query", "True"},
			`{"query":"SELECT * FROM c WHERE c.id = @id","parameters":[{"name":"@id","value":"secret"}]}`, "query",
			"SELECT * FROM c WHERE c.id = @id"},
		"a create": {"POST", items, nil, `{"id":"secret"}`, "create", "create one item"},
		"an upsert": {"POST", items, []string{"x-ms-documentdb-is-upsert", "true"}, `{}`, "upsert",
			"create or replace one item"},
		"a replace": {"PUT", items + "/1", nil, `{}`, "replace", "replace one item"},
		"a delete":  {"DELETE", items + "/1", nil, "", "delete", "delete one item"},
		"a patch": {"PATCH", items + "/1", nil,
			`{"operations":[{"op":"incr","path":"/likeCount","value":1},` +
				`{"op":"set","path":"/title","value":"secret"}]}`,
			"patch", "patch one item: incr /likeCount, set /title"},
		"a batch": {"POST", items, []string{"x-ms-cosmos-is-batch-request", "True"},
			`[{"operationType":"Create","resourceBody":{"id":"secret"}},{"operationType":"Create"},` +
				`{"operationType":"Patch"}]`,
			"batch", "transactional batch of 3: create, patch"},
		"a page of the change feed": {"GET", items, []string{"A-IM", "Incremental Feed"}, "", "change feed",
			"changes since the continuation"},
		"the account": {"GET", "/", nil, "", "metadata", "get the definition of the account"},
		"a container": {"GET", "/dbs/blog/colls/posts", nil, "", "metadata",
			"get the definition of a container"},
		"a list of ranges": {"GET", "/dbs/blog/colls/posts/pkranges", nil, "", "metadata",
			"get the definition of a container's pkranges"},
		"a query in bad JSON": {"POST", items, []string{"x-ms-documentdb-query", "true"}, `{"query":1`, "query", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := http.NewRequest(tt.method, "https://account.example"+tt.path, nil)
			for i := 0; i < len(tt.header); i += 2 {
				r.Header.Set(tt.header[i], tt.header[i+1])
			}
			if kind, text := describeRequest(r, []byte(tt.body)); kind != tt.kind || text != tt.text {
				t.Errorf("described as %q, %q", kind, text)
			}
		})
	}
}

func FuzzDescribe(f *testing.F) {
	f.Add([]byte(`{"query":"SELECT 1","parameters":[{"name":"@a","value":"b"}]}`))
	f.Add([]byte(`[{"operationType":"Create","resourceBody":{"a":"b"}}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, header := range []string{"x-ms-documentdb-query", "x-ms-cosmos-is-batch-request", "A-IM",
			"x-ms-documentdb-is-upsert"} {
			r, _ := http.NewRequest(http.MethodPost, "https://account.example"+items, nil)
			r.Header.Set(header, "true")
			if kind, _ := describeRequest(r, body); kind == "" {
				t.Error("a request has no kind")
			}
		}
	})
}

func TestRangesOf(t *testing.T) {
	for name, tt := range map[string]struct {
		header []string
		want   int
	}{
		"one range is named": {[]string{"x-ms-documentdb-partitionkeyrangeid", "0", SessionHeader, "0:-1#4"},
			1},
		"several ranges have tokens":  {[]string{SessionHeader, "0:-1#4,1:-1#5,2:-1#6"}, 3},
		"an answer without any token": {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{}
			for i := 0; i < len(tt.header); i += 2 {
				h.Set(tt.header[i], tt.header[i+1])
			}
			if got := rangesOf(h); got != tt.want {
				t.Errorf("%d ranges, want %d", got, tt.want)
			}
		})
	}
}

func TestInspect(t *testing.T) {
	part := dependency.PartitionRef{Container: "posts", Key: "1"}
	t.Run("costs no allocation without a recording", func(t *testing.T) {
		r, err := runtime.NewRequest(t.Context(), http.MethodGet, "https://account.example"+items+"/1")
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if n := testing.AllocsPerRun(100, func() {
			inspect(r)(Attempt{Partition: part, Status: 200, Charge: 1, Start: start, Latency: time.Millisecond})
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
	t.Run("leaves the body to be sent", func(t *testing.T) {
		var recording operations.Recording
		ctx := Reads("Q4").In(operations.With(context.Background(), &recording))
		r, err := runtime.NewRequest(ctx, http.MethodPost, "https://account.example"+items)
		if err != nil {
			t.Fatal(err)
		}
		r.Raw().Header.Set("x-ms-documentdb-query", "true")
		body := `{"query":"SELECT 1"}`
		if err := r.SetBody(streaming.NopCloser(strings.NewReader(body)), "application/query+json"); err != nil {
			t.Fatal(err)
		}
		answered := inspect(r)
		var sent bytes.Buffer
		if _, err := sent.ReadFrom(r.Raw().Body); err != nil || sent.String() != body {
			t.Errorf("sent %q, %v", sent.String(), err)
		}
		answered(Attempt{Operation: operationOf(ctx), Partition: part, Status: 429, Charge: 0.5,
			Start: time.Now(), Latency: time.Millisecond})
		list, _ := recording.Operations()
		if len(list) != 1 || list[0].Name != "Q4" || list[0].Text != "SELECT 1" || list[0].Partition != part ||
			list[0].Status != 429 || list[0].Charge != 0.5 {
			t.Errorf("recorded %+v", list)
		}
	})
}
