package embedded_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

// witness is an engine that records responses.
type witness struct {
	*embedded.Engine
	mu   sync.Mutex
	seen []http.Response // copies, because the SDK changes some
}

func (w *witness) Do(r *http.Request) (*http.Response, error) {
	resp, err := w.Engine.Do(r)
	if err == nil {
		w.mu.Lock()
		w.seen = append(w.seen, *resp)
		w.mu.Unlock()
	}
	return resp, err
}

// count returns the number of responses to requests with a method and the end of a path.
func (w *witness) count(method, end string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.seen {
		if r.Request.Method == method && strings.HasSuffix(r.Request.URL.Path, end) {
			n++
		}
	}
	return n
}

func (w *witness) statuses() map[int]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := make(map[int]int)
	for _, r := range w.seen {
		n[r.StatusCode]++
	}
	return n
}

// witnessed creates a container /pk on an engine behind a witness.
func witnessed(
	t *testing.T,
	o embedded.Options,
	edit func(*azcosmos.ContainerProperties),
) (*azcosmos.ContainerClient, *azcosmos.DatabaseClient, *witness) {
	t.Helper()
	w := &witness{Engine: MustOpen(t, t.TempDir(), o)}
	cred, err := azcosmos.NewKeyCredential(w.Key())
	if err != nil {
		t.Fatal(err)
	}
	client, err := azcosmos.NewClientWithKey(w.Endpoint(), cred,
		&azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: w}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	if _, err := client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: "db"}, nil); err != nil {
		t.Fatal(err)
	}
	db, err := client.NewDatabase("db")
	if err != nil {
		t.Fatal(err)
	}
	return MustContainer(t, db, edit, "/pk"), db, w
}

// TestTraps tests the known pitfalls of implementing the protocol, as seen by the SDK.
// TestTrapsOnTheWire tests those visible only on the wire. The numbers are those of the list.
func TestTraps(t *testing.T) {
	everything := &azcosmos.FeedRange{MinInclusive: "", MaxExclusive: "FF"}

	t.Run("02 a partition key without a version would be V1", func(t *testing.T) {
		c, _, _ := witnessed(t, embedded.Options{Ranges: 5}, nil) // the SDK omits the version
		r, err := c.Read(ctx, nil)
		if err != nil || r.ContainerProperties.PartitionKeyDefinition.Version != 2 {
			t.Errorf("%+v, %v", r.ContainerProperties, err)
		}
		// It hashes keys by the version that it has read, to address the range that owns them.
		var identities []azcosmos.ItemIdentity
		for i := range 20 {
			MustCreate(t, c, key(number(i)), fmt.Sprintf(`{"id":"1","pk":"%s"}`, number(i)))
			identities = append(identities, azcosmos.ItemIdentity{ID: "1", PartitionKey: key(number(i))})
		}
		many, err := c.ReadManyItems(ctx, identities, nil)
		if err != nil || len(many.Items) != len(identities) {
			t.Errorf("%d items, %v", len(many.Items), err)
		}
	})
	t.Run("03 feed ranges are read until 304", func(t *testing.T) {
		c, _, w := witnessed(t, embedded.Options{Ranges: 3}, nil)
		ranges, err := c.ReadFeedRanges(ctx, nil)
		if err != nil || len(ranges) != 3 {
			t.Fatal(ranges, err)
		}
		if n := w.count("GET", "/pkranges"); n != 2 || w.statuses()[304] != 1 {
			t.Errorf("%d requests: %v", n, w.statuses())
		}
	})
	t.Run("04 the account document moves the client to another host and port", func(t *testing.T) {
		e := MustOpen(t, t.TempDir(), embedded.Options{})
		var hosts sync.Map
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			hosts.Store(r.Host, true)
			e.ServeHTTP(w, r)
		}))
		defer s.Close()
		cred, _ := azcosmos.NewKeyCredential(e.Key())
		client, err := azcosmos.NewClientWithKey(s.URL, cred,
			&azcosmos.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: s.Client(),
				InsecureAllowCredentialWithHTTP: true}})
		wantStatus(t, err, 0)
		defer client.Close()
		_, err = client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: "db"}, nil)
		wantStatus(t, err, 0)
		hosts.Range(func(host, _ any) bool {
			if "http://"+host.(string) != s.URL {
				t.Errorf("the client went to %s", host)
			}
			return true
		})
	})
	t.Run("06 keys with the SDK's Go escapes are refused", func(t *testing.T) {
		c := newContainer(t)
		for _, k := range []string{"\u2028", "\ufeff", "\u00ad", `"`, `\`, "'", "\r\n\t", "[]", "é", `\U0001f600`} {
			item, err := json.Marshal(map[string]string{"id": "1", "pk": k})
			wantStatus(t, err, 0)
			MustCreate(t, c, key(k), string(item))
			r, err := c.ReadItem(ctx, key(k), "1", nil)
			if err != nil {
				t.Errorf("%q: %v", k, err)
				continue
			}
			var got struct{ PK string }
			if err := json.Unmarshal(r.Value, &got); err != nil || got.PK != k {
				t.Errorf("%q is %q, %v", k, got.PK, err)
			}
		}
		for _, k := range []string{"\a", "\v", "\x00", "\x7f", "\xff", "\U0001f600", "\x1b[0m", "\U0010ffff"} {
			_, err := c.ReadItem(ctx, key(k), "1", nil)
			wantStatus(t, err, 400)
		}
	})
	t.Run("07 ids of dots collapse the path but not the container", func(t *testing.T) {
		c := newContainer(t)
		MustCreate(t, c, key("a"), `{"id":"1","pk":"a"}`)
		for _, id := range []string{"..", ".", "../..", "../../.."} {
			_, err := c.DeleteItem(ctx, key("a"), id, nil)
			if s := status(err); s < 400 || s > 499 {
				t.Errorf("delete %s: %v", id, err)
			}
			_, err = c.ReadItem(ctx, key("a"), id, nil)
			if s := status(err); s < 400 || s > 499 {
				t.Errorf("read %s: %v", id, err)
			}
		}
		_, err := c.ReadItem(ctx, key("a"), "1", nil)
		wantStatus(t, err, 0)
	})
	t.Run("08 a patch that sets null drops the value", func(t *testing.T) {
		c := newContainer(t)
		MustCreate(t, c, key("a"), `{"id":"1","pk":"a","s":1,"r":1}`)
		var p azcosmos.PatchOperations
		p.AppendSet("/s", nil)
		p.AppendAdd("/a", nil)
		p.AppendReplace("/r", nil)
		r, err := c.PatchItem(ctx, key("a"), "1", p, &azcosmos.ItemOptions{EnableContentResponseOnWrite: true})
		if err != nil || body(t, r.Value) != `{"a":null,"id":"1","pk":"a","r":null,"s":null}` {
			t.Errorf("%s, %v", r.Value, err)
		}
	})
	t.Run("09 ids of batches and conditions of patches are not escaped", func(t *testing.T) {
		c := newContainer(t)
		MustCreate(t, c, key("a"), `{"id":"1","pk":"a","s":"x"}`, `{"id":"say \"x\"","pk":"a"}`)
		b := c.NewTransactionalBatch(key("a"))
		b.DeleteItem("1", nil)
		b.DeleteItem(`say "x"`, nil)
		_, err := c.ExecuteTransactionalBatch(ctx, b, nil)
		if s := status(err); s != 400 && s != -1 {
			t.Errorf("batch: %v", err)
		}
		var p azcosmos.PatchOperations
		p.SetCondition(`from c where c.s = "x"`)
		p.AppendSet("/s", "y")
		_, err = c.PatchItem(ctx, key("a"), "1", p, nil)
		if s := status(err); s != 400 && s != -1 {
			t.Errorf("patch: %v", err)
		}
		r, err := c.ReadItem(ctx, key("a"), "1", nil)
		if err != nil || body(t, r.Value) != `{"id":"1","pk":"a","s":"x"}` {
			t.Errorf("%s, %v", r.Value, err)
		}
		p = azcosmos.PatchOperations{}
		p.SetCondition("from c where c.s = 'x' and c.s < 'y' and c.s > 'a'") // < and > are escaped for HTML
		p.AppendSet("/s", "<&>")
		_, err = c.PatchItem(ctx, key("a"), "1", p, nil)
		wantStatus(t, err, 0)
		r, err = c.ReadItem(ctx, key("a"), "1", nil)
		if err != nil || !strings.Contains(string(r.Value), `"s":"<&>"`) {
			t.Errorf("%s, %v", r.Value, err)
		}
	})
	t.Run("10 no refusal stalls the client for two minutes", func(t *testing.T) {
		c, db, w := witnessed(t, embedded.Options{}, nil)
		props := azcosmos.ContainerProperties{ID: "items",
			PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}, Version: 2},
			UniqueKeyPolicy: &azcosmos.UniqueKeyPolicy{UniqueKeys: []azcosmos.UniqueKey{
				{Paths: []string{"/u"}}}}}
		before := w.count("PUT", "")
		_, err := c.Replace(ctx, props, nil)
		wantStatus(t, err, 403)
		if n := w.count("PUT", "") - before; n != 1 {
			t.Errorf("the client sent %d requests", n)
		}
		_, err = db.Delete(ctx, nil)
		wantStatus(t, err, 0)
		_, err = c.ReadItem(ctx, key("a"), "1", nil)
		wantStatus(t, err, 404)
		for _, r := range w.seen {
			if sub := r.Header.Get("X-Ms-Substatus"); r.StatusCode == 403 && (sub == "3" || sub == "1008") {
				t.Errorf("403/%s to %s", sub, r.Request.URL)
			}
		}
	})
	t.Run("11 writers in conflict are never answered 449", func(t *testing.T) {
		c, _, w := witnessed(t, embedded.Options{}, nil)
		MustCreate(t, c, key("a"), `{"id":"1","pk":"a","n":0}`)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 10 {
					var p azcosmos.PatchOperations
					p.AppendIncrement("/n", 1)
					if _, err := c.PatchItem(ctx, key("a"), "1", p, nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if n := w.statuses(); n[200] < 80 || n[449] > 0 || n[410] > 0 {
			t.Errorf("%v", n)
		}
	})
	t.Run("12 answers with return=minimal have no body, but batches return etags", func(t *testing.T) {
		c := newContainer(t)
		var p azcosmos.PatchOperations
		p.AppendSet("/n", 1)
		for name, write := range map[string]func(*azcosmos.ItemOptions) (azcosmos.ItemResponse, error){
			"create": func(o *azcosmos.ItemOptions) (azcosmos.ItemResponse, error) {
				return c.CreateItem(ctx, key("a"), fmt.Appendf(nil, `{"id":"new%v","pk":"a"}`, o == nil), o)
			},
			"upsert": func(o *azcosmos.ItemOptions) (azcosmos.ItemResponse, error) {
				return c.UpsertItem(ctx, key("a"), []byte(`{"id":"1","pk":"a"}`), o)
			},
			"replace": func(o *azcosmos.ItemOptions) (azcosmos.ItemResponse, error) {
				c.UpsertItem(ctx, key("a"), []byte(`{"id":"1","pk":"a"}`), nil)
				return c.ReplaceItem(ctx, key("a"), "1", []byte(`{"id":"1","pk":"a"}`), o)
			},
			"patch": func(o *azcosmos.ItemOptions) (azcosmos.ItemResponse, error) {
				c.UpsertItem(ctx, key("a"), []byte(`{"id":"1","pk":"a"}`), nil)
				return c.PatchItem(ctx, key("a"), "1", p, o)
			},
		} {
			r, err := write(nil)
			if err != nil || len(r.Value) > 0 || r.ETag == "" {
				t.Errorf("%s: %s, %q, %v", name, r.Value, r.ETag, err)
			}
			r, err = write(&azcosmos.ItemOptions{EnableContentResponseOnWrite: true})
			if err != nil || len(r.Value) == 0 || r.ETag == "" {
				t.Errorf("%s with its content: %s, %q, %v", name, r.Value, r.ETag, err)
			}
		}
		for _, content := range []bool{false, true} {
			b := c.NewTransactionalBatch(key("a"))
			b.UpsertItem([]byte(`{"id":"1","pk":"a"}`), nil)
			r, err := c.ExecuteTransactionalBatch(ctx, b,
				&azcosmos.TransactionalBatchOptions{EnableContentResponseOnWrite: content})
			if err != nil || len(r.OperationResults) != 1 || r.OperationResults[0].ETag == "" ||
				len(r.OperationResults[0].ResourceBody) > 0 != content {
				t.Errorf("batch, content %v: %+v, %v", content, r.OperationResults, err)
			}
		}
	})
	t.Run("13 a batch is answered 207 only if it fails", func(t *testing.T) {
		c := newContainer(t)
		for _, want := range []int{200, 207} {
			b := c.NewTransactionalBatch(key("a"))
			b.CreateItem([]byte(`{"id":"1","pk":"a"}`), nil)
			r, err := c.ExecuteTransactionalBatch(ctx, b, nil)
			if err != nil || r.RawResponse.StatusCode != want || r.Success != (want == 200) {
				t.Errorf("%d, %v, %v", r.RawResponse.StatusCode, r.Success, err)
			}
		}
	})
	t.Run("15 a transaction may overflow a page of the change feed but is not split", func(t *testing.T) {
		c := newContainer(t)
		for n := range 3 {
			b := c.NewTransactionalBatch(key("a"))
			for i := range 4 {
				b.CreateItem(fmt.Appendf(nil, `{"id":"%d%d","pk":"a"}`, n, i), nil)
			}
			_, err := c.ExecuteTransactionalBatch(ctx, b, nil)
			wantStatus(t, err, 0)
		}
		pages, _ := feedOf(t, c, azcosmos.ChangeFeedOptions{FeedRange: everything, MaxItemCount: 3})
		if got := strings.Join(pages, ", "); got != "00 01 02 03, 10 11 12 13, 20 21 22 23" {
			t.Errorf("pages %s", got)
		}
	})
	t.Run("16 a scan ends with an empty page, an order does not", func(t *testing.T) {
		c := newContainer(t)
		for i := range 20 {
			MustCreate(t, c, key("a"), fmt.Sprintf(`{"id":"%s","pk":"a","n":%d}`, number(i), i))
		}
		rows, pages, err := queryAll(c, key("a"), "SELECT * FROM c", 5)
		if err != nil || len(rows) != 20 || pages != 5 {
			t.Errorf("scan: %d rows on %d pages, %v", len(rows), pages, err)
		}
		rows, pages, err = queryAll(c, key("a"), "SELECT * FROM c WHERE c.n < 10 ORDER BY c.n", 5)
		if err != nil || len(rows) != 10 || pages != 2 {
			t.Errorf("order: %d rows on %d pages, %v", len(rows), pages, err)
		}
	})
	t.Run("17 index metrics come on request, query metrics always", func(t *testing.T) {
		c := newContainer(t)
		for _, ask := range []bool{false, true} {
			r, err := c.NewQueryItemsPager("SELECT * FROM c", key("a"),
				&azcosmos.QueryOptions{PopulateIndexMetrics: ask}).NextPage(ctx)
			if err != nil || (r.IndexMetrics != nil) != ask || r.QueryMetrics == nil || *r.QueryMetrics == "" {
				t.Errorf("asked %v: %v, %v, %v", ask, r.IndexMetrics, r.QueryMetrics, err)
			}
		}
	})
	t.Run("18 the offers of a container without throughput are an empty list", func(t *testing.T) {
		_, db, w := witnessed(t, embedded.Options{}, nil)
		_, err := db.ReadThroughput(ctx, nil)
		wantStatus(t, err, 404) // the SDK turns an empty list into 404
		if w.count("POST", "/offers") != 1 || w.statuses()[404] != 0 {
			t.Errorf("%v", w.statuses())
		}
	})
	t.Run("22 a missing value is null only for unique keys", func(t *testing.T) {
		c, _, _ := witnessed(t, embedded.Options{}, func(p *azcosmos.ContainerProperties) {
			p.UniqueKeyPolicy = &azcosmos.UniqueKeyPolicy{UniqueKeys: []azcosmos.UniqueKey{{Paths: []string{"/u"}}}}
		})
		MustCreate(t, c, key("a"), `{"id":"null","pk":"a","n":null,"u":1}`, `{"id":"missing","pk":"a","u":2}`)
		for filter, want := range map[string]string{"c.n = null": `["null"]`, "NOT IS_DEFINED(c.n)": `["missing"]`,
			"c.n != null": `[]`, "IS_NULL(c.n)": `["null"]`} {
			rows, _, err := queryAll(c, key("a"), "SELECT VALUE c.id FROM c WHERE "+filter, 0)
			if got := "[" + strings.Join(rows, ",") + "]"; err != nil || got != want {
				t.Errorf("%s: %s, %v", filter, got, err)
			}
		}
		MustCreate(t, c, key("a"), `{"id":"3","pk":"a"}`)
		_, err := c.CreateItem(ctx, key("a"), []byte(`{"id":"4","pk":"a","u":null}`), nil)
		wantStatus(t, err, 409)
		MustCreate(t, c, azcosmos.NullPartitionKey, `{"id":"5","pk":null}`)
		_, err = c.CreateItem(ctx, azcosmos.NullPartitionKey, []byte(`{"id":"6"}`), nil)
		wantStatus(t, err, 400)
	})
	t.Run("24 TOP, ORDER BY and aggregates across partitions are refused, even with one range", func(t *testing.T) {
		c := newContainer(t)
		MustCreate(t, c, key("a"), `{"id":"1","pk":"a"}`)
		for _, text := range []string{"SELECT TOP 1 * FROM c", "SELECT * FROM c ORDER BY c.id",
			"SELECT VALUE COUNT(1) FROM c",
			"SELECT DISTINCT c.pk FROM c", "SELECT * FROM c OFFSET 0 LIMIT 1"} {
			_, _, err := queryAll(c, azcosmos.NewPartitionKey(), text, 0)
			wantStatus(t, err, 400)
			if !strings.Contains(err.Error(), "cross partition query can not be directly served by the gateway") {
				t.Errorf("%s: %v", text, err)
			}
			_, _, err = queryAll(c, key("a"), text, 0)
			wantStatus(t, err, 0)
		}
		_, _, err := queryAll(c, azcosmos.NewPartitionKey(), "SELECT COUNT(1) FROM c", 0)
		wantStatus(t, err, 400)
		if !strings.Contains(err.Error(), "Cross partition query only supports 'VALUE") {
			t.Error(err)
		}
	})
	t.Run("25 an upsert with If-Match creates a missing item", func(t *testing.T) {
		c := newContainer(t)
		stale := &azcosmos.ItemOptions{IfMatchEtag: new(azcore.ETag)}
		*stale.IfMatchEtag = `"0"`
		r, err := c.UpsertItem(ctx, key("a"), []byte(`{"id":"1","pk":"a"}`), stale)
		if err != nil || r.RawResponse.StatusCode != 201 {
			t.Fatal(r.RawResponse, err)
		}
		_, err = c.UpsertItem(ctx, key("a"), []byte(`{"id":"1","pk":"a"}`), stale)
		wantStatus(t, err, 412)
	})
	t.Run("29 creating only a missing item relies on 409", func(t *testing.T) {
		c := newContainer(t)
		MustCreate(t, c, key("a"), `{"id":"1","pk":"a","n":1}`)
		_, err := c.CreateItem(ctx, key("a"), []byte(`{"id":"1","pk":"a","n":2}`), nil)
		wantStatus(t, err, 409)
		r, err := c.ReadItem(ctx, key("a"), "1", nil)
		if err != nil || body(t, r.Value) != `{"id":"1","n":1,"pk":"a"}` {
			t.Errorf("%s, %v", r.Value, err)
		}
	})
}
