package embedded_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

var ctx = context.Background()

func TestItems(t *testing.T) {
	c := newContainer(t)
	withBody := &azcosmos.ItemOptions{EnableContentResponseOnWrite: true}

	t.Run("are stored as sent, followed by system properties", func(t *testing.T) {
		r, err := c.CreateItem(ctx, key("a"),
			[]byte(
				` {"z":1, "id":"order","pk":"a","a":{"y":3.0,"b":-0.0},"big":9007199254740993,`+
					`"f":1.8446744073709552e+19}`,
			), withBody)
		wantStatus(t, err, 0)
		const want = `{"z":1,"id":"order","pk":"a","a":{"y":3,"b":0},"big":9007199254740993,` +
			`"f":1.8446744073709552e+19,"_rid":"`
		if !strings.HasPrefix(string(r.Value), want) {
			t.Errorf("got %s", r.Value)
		}
		at := 0
		for _, name := range []string{`"_rid":"`, `"_self":"dbs/`, `"_etag":"\"`, `"_attachments":"attachments/"`,
			`"_ts":`} {
			next := strings.Index(string(r.Value), name)
			if next < at {
				t.Errorf("%s is not in order in %s", name, r.Value)
			}
			at = next
		}
		if r.RequestCharge <= 0 || r.SessionToken == nil || r.ActivityID == "" || r.ETag == "" ||
			r.RawResponse.StatusCode != 201 {
			t.Errorf("a header is missing: %v", r.RawResponse.Header)
		}
	})
	t.Run("are not returned if the client prefers a minimal answer", func(t *testing.T) {
		r, err := c.CreateItem(ctx, key("a"), []byte(`{"id":"minimal","pk":"a"}`), nil)
		if err != nil || len(r.Value) != 0 || r.ETag == "" {
			t.Errorf("%q, %v", r.Value, err)
		}
	})
	t.Run("can have the same id in different partitions", func(t *testing.T) {
		MustCreate(t, c, key("b"), `{"id":"minimal","pk":"b"}`)
	})
	t.Run("cannot have a taken id", func(t *testing.T) {
		_, err := c.CreateItem(ctx, key("a"), []byte(`{"id":"minimal","pk":"a"}`), nil)
		wantStatus(t, err, 409)
	})
	t.Run("are created and then replaced by upserts", func(t *testing.T) {
		for _, want := range []int{201, 200} {
			r, err := c.UpsertItem(ctx, key("a"), []byte(`{"id":"upsert","pk":"a"}`), nil)
			if err != nil || r.RawResponse.StatusCode != want {
				t.Errorf("got %d, want %d: %v", r.RawResponse.StatusCode, want, err)
			}
		}
	})
	t.Run("can be replaced, read and deleted", func(t *testing.T) {
		MustCreate(t, c, key("a"), `{"id":"x","pk":"a","n":1}`)
		_, err := c.ReplaceItem(ctx, key("a"), "x", []byte(`{"id":"x","pk":"a","n":2}`), nil)
		wantStatus(t, err, 0)
		r, err := c.ReadItem(ctx, key("a"), "x", nil)
		if err != nil || !strings.HasPrefix(string(r.Value), `{"id":"x","pk":"a","n":2,`) {
			t.Errorf("%s, %v", r.Value, err)
		}
		_, err = c.DeleteItem(ctx, key("a"), "x", nil)
		wantStatus(t, err, 0)
		_, err = c.ReadItem(ctx, key("a"), "x", nil)
		wantStatus(t, err, 404)
	})
	t.Run("that are missing are not found", func(t *testing.T) {
		_, err := c.ReplaceItem(ctx, key("a"), "none", []byte(`{"id":"none","pk":"a"}`), nil)
		wantStatus(t, err, 404)
		_, err = c.DeleteItem(ctx, key("a"), "none", nil)
		wantStatus(t, err, 404)
	})
	t.Run("are not changed with a stale etag", func(t *testing.T) {
		r, err := c.UpsertItem(ctx, key("a"), []byte(`{"id":"etag","pk":"a"}`), nil)
		wantStatus(t, err, 0)
		stale := &azcosmos.ItemOptions{IfMatchEtag: &r.ETag}
		next, err := c.ReplaceItem(ctx, key("a"), "etag", []byte(`{"id":"etag","pk":"a"}`), stale)
		wantStatus(t, err, 0)
		if next.ETag == r.ETag {
			t.Error("the etag did not change")
		}
		_, err = c.ReplaceItem(ctx, key("a"), "etag", []byte(`{"id":"etag","pk":"a"}`), stale)
		wantStatus(t, err, 412)
		_, err = c.DeleteItem(ctx, key("a"), "etag", stale)
		wantStatus(t, err, 412)
		_, err = c.UpsertItem(ctx, key("a"), []byte(`{"id":"etag","pk":"a"}`), stale)
		wantStatus(t, err, 412)
		_, err = c.UpsertItem(ctx, key("a"), []byte(`{"id":"etag2","pk":"a"}`), stale)
		wantStatus(t, err, 0)
	})
	t.Run("can have keys that need escapes", func(t *testing.T) {
		for _, pk := range []string{"é漢", "a\r\b", `"\/`, "\u2028"} {
			item := fmt.Sprintf(`{"id":"1","pk":"%s"}`,
				strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", `\r`, "\b", `\b`).Replace(pk))
			MustCreate(t, c, key(pk), item)
			_, err := c.ReadItem(ctx, key(pk), "1", nil)
			wantStatus(t, err, 0)
		}
	})
	t.Run("can have keys of every type", func(t *testing.T) {
		keys := map[string]azcosmos.PartitionKey{
			`1.5`: azcosmos.NewPartitionKeyNumber(1.5), `12`: azcosmos.NewPartitionKeyNumber(12),
			`true`: azcosmos.NewPartitionKeyBool(true), `null`: azcosmos.NullPartitionKey,
		}
		for text, pk := range keys {
			MustCreate(t, c, pk, fmt.Sprintf(`{"id":"typed","pk":%s}`, text))
		}
		for text, pk := range keys {
			r, err := c.ReadItem(ctx, pk, "typed", nil)
			if err != nil || !strings.Contains(string(r.Value), `"pk":`+text) {
				t.Errorf("%s: %s, %v", text, r.Value, err)
			}
		}
	})
	for name, tt := range map[string]struct {
		item string
		want int
	}{
		"no id":              {`{"pk":"a"}`, 400},
		"id of another type": {`{"id":5,"pk":"a"}`, 400},
		"not JSON":           {`{"id":"bad","pk":"a"`, 400},
		"other key":          {`{"id":"bad","pk":"b"}`, 400},
		"key is an object":   {`{"id":"bad","pk":{}}`, 400},
		"key is missing":     {`{"id":"bad"}`, 400},
		"too large":          {`{"id":"bad","pk":"a","x":"` + strings.Repeat("x", 2<<20) + `"}`, 413},
		"long id":            {`{"id":"` + strings.Repeat("x", 1024) + `","pk":"a"}`, 400},
		"too deep": {`{"id":"bad","pk":"a","x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`,
			400},
	} {
		t.Run("refused: "+name, func(t *testing.T) {
			_, err := c.CreateItem(ctx, key("a"), []byte(tt.item), nil)
			wantStatus(t, err, tt.want)
		})
	}
	t.Run("of a missing container are not found", func(t *testing.T) {
		db := MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{}))
		c, err := db.NewContainer("none")
		wantStatus(t, err, 0)
		_, err = c.ReadItem(ctx, key("a"), "x", nil)
		wantStatus(t, err, 404)
		var e *azcore.ResponseError
		if azcoreError(err, &e); e.RawResponse.Header.Get("x-ms-substatus") != "1003" {
			t.Errorf("substatus %q", e.RawResponse.Header.Get("x-ms-substatus"))
		}
	})
	t.Run("are not created after the context has ended", func(t *testing.T) {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := c.CreateItem(ended, key("a"), []byte(`{"id":"late","pk":"a"}`), nil); err == nil {
			t.Error("the item was created")
		}
		_, err := c.ReadItem(ctx, key("a"), "late", nil)
		wantStatus(t, err, 404)
	})
}

func TestConcurrentIncrements(t *testing.T) {
	c := newContainer(t)
	MustCreate(t, c, key("a"), `{"id":"n","pk":"a","n":0}`)
	const writers, each = 8, 50
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				var p azcosmos.PatchOperations
				p.AppendIncrement("/n", 1)
				if _, err := c.PatchItem(ctx, key("a"), "n", p, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	rows, _, err := queryAll(c, key("a"), "SELECT VALUE c.n FROM c", 0)
	if err != nil || rows[0] != fmt.Sprint(writers*each) {
		t.Errorf("got %v, want %d (%v)", rows, writers*each, err)
	}
}

func TestUniqueKeys(t *testing.T) {
	c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{})),
		func(p *azcosmos.ContainerProperties) {
			p.UniqueKeyPolicy = &azcosmos.UniqueKeyPolicy{UniqueKeys: []azcosmos.UniqueKey{{Paths: []string{"/name"}}}}
		}, "/pk")
	MustCreate(t, c, key("a"), `{"id":"1","pk":"a","name":"x"}`, `{"id":"2","pk":"a"}`)
	MustCreate(t, c, key("b"), `{"id":"1","pk":"b","name":"x"}`)
	for name, item := range map[string]string{"same value": `{"id":"3","pk":"a","name":"x"}`,
		"a missing value counts as null": `{"id":"3","pk":"a","name":null}`} {
		t.Run(name, func(t *testing.T) {
			_, err := c.CreateItem(ctx, key("a"), []byte(item), nil)
			wantStatus(t, err, 409)
		})
	}
	t.Run("a replacement with a taken value is rejected", func(t *testing.T) {
		_, err := c.ReplaceItem(ctx, key("a"), "2", []byte(`{"id":"2","pk":"a","name":"x"}`), nil)
		wantStatus(t, err, 409)
	})
}

func TestHierarchicalKeys(t *testing.T) {
	c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{Ranges: 2})), nil, "/t", "/u")
	pk := key("x").AppendNumber(5)
	MustCreate(t, c, pk, `{"id":"1","t":"x","u":5}`)
	_, err := c.ReadItem(ctx, pk, "1", nil)
	wantStatus(t, err, 0)
	_, err = c.ReadItem(ctx, key("x"), "1", nil)
	wantStatus(t, err, 400)
}
