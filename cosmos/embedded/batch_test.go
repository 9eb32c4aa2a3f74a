package embedded_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

func TestBatch(t *testing.T) {
	t.Run("later operations see earlier ones", func(t *testing.T) {
		c := newContainer(t)
		b := c.NewTransactionalBatch(key("a"))
		b.CreateItem([]byte(`{"id":"1","pk":"a","n":1}`), nil)
		b.UpsertItem([]byte(`{"id":"2","pk":"a"}`), nil)
		var p azcosmos.PatchOperations
		p.AppendIncrement("/n", 4)
		b.PatchItem("1", p, nil)
		b.ReadItem("1", nil)
		b.ReplaceItem("2", []byte(`{"id":"2","pk":"a","x":true}`), nil)
		b.DeleteItem("1", nil)
		r, err := c.ExecuteTransactionalBatch(ctx, b, nil)
		if err != nil || !r.Success {
			t.Fatal(r, err)
		}
		etags := map[azcore.ETag]bool{}
		for i, want := range []int32{201, 201, 200, 200, 200, 204} {
			if r.OperationResults[i].StatusCode != want || r.OperationResults[i].RequestCharge <= 0 {
				t.Errorf("operation %d: %+v", i, r.OperationResults[i])
			}
			etags[r.OperationResults[i].ETag] = true
		}
		if len(etags) != 5 { // the read repeats an etag, and the delete has none
			t.Errorf("etags %v", etags)
		}
		if !strings.Contains(string(r.OperationResults[3].ResourceBody), `"n":5`) {
			t.Errorf("read %s", r.OperationResults[3].ResourceBody)
		}
		if !strings.HasSuffix(r.SessionToken, "#1") {
			t.Errorf("the session token is %s, want one LSN for the transaction", r.SessionToken)
		}
		_, err = c.ReadItem(ctx, key("a"), "1", nil)
		wantStatus(t, err, 404)
	})
	t.Run("a failed operation undoes the others", func(t *testing.T) {
		c := newContainer(t)
		MustCreate(t, c, key("a"), `{"id":"taken","pk":"a"}`)
		b := c.NewTransactionalBatch(key("a"))
		b.CreateItem([]byte(`{"id":"1","pk":"a"}`), nil)
		b.CreateItem([]byte(`{"id":"taken","pk":"a"}`), nil)
		b.CreateItem([]byte(`{"id":"3","pk":"a"}`), nil)
		r, err := c.ExecuteTransactionalBatch(ctx, b, nil)
		if err != nil || r.Success || r.RawResponse.StatusCode != 207 {
			t.Fatal(r.Success, err)
		}
		for i, want := range []int32{424, 409, 424} {
			if r.OperationResults[i].StatusCode != want {
				t.Errorf("operation %d: got %d, want %d", i, r.OperationResults[i].StatusCode, want)
			}
		}
		if r.RequestCharge <= 0 || !strings.HasSuffix(r.SessionToken, "#1") {
			t.Errorf("charge %v, session %s", r.RequestCharge, r.SessionToken)
		}
		_, err = c.ReadItem(ctx, key("a"), "1", nil)
		wantStatus(t, err, 404)
	})
	t.Run("an item with another partition key is rejected", func(t *testing.T) {
		c := newContainer(t)
		b := c.NewTransactionalBatch(key("a"))
		b.CreateItem([]byte(`{"id":"1","pk":"b"}`), nil)
		r, err := c.ExecuteTransactionalBatch(ctx, b, nil)
		if err != nil || r.OperationResults[0].StatusCode != 400 ||
			r.RawResponse.Header.Get("x-ms-substatus") != "1001" {
			t.Error(r, err)
		}
	})
	t.Run("a stale etag fails the batch", func(t *testing.T) {
		c := newContainer(t)
		MustCreate(t, c, key("a"), `{"id":"1","pk":"a"}`)
		stale := azcore.ETag(`"0"`)
		b := c.NewTransactionalBatch(key("a"))
		b.ReplaceItem("1", []byte(`{"id":"1","pk":"a"}`), &azcosmos.TransactionalBatchItemOptions{IfMatchETag: &stale})
		r, err := c.ExecuteTransactionalBatch(ctx, b, nil)
		if err != nil || r.OperationResults[0].StatusCode != 412 {
			t.Error(r, err)
		}
	})
	for n, want := range map[int]int{100: 0, 101: 400} {
		t.Run(fmt.Sprintf("%d operations", n), func(t *testing.T) {
			c := newContainer(t)
			b := c.NewTransactionalBatch(key("a"))
			for i := range n {
				b.CreateItem(fmt.Appendf(nil, `{"id":"%d","pk":"a"}`, i), nil)
			}
			_, err := c.ExecuteTransactionalBatch(ctx, b, nil)
			wantStatus(t, err, want)
		})
	}
}

func TestPatch(t *testing.T) {
	const item = `{"id":"1","pk":"a","n":1,"s":"x","list":[1,2,3],"o":{"p":{"q":1}},"a/b":1}`
	type ops = azcosmos.PatchOperations
	for _, tt := range []struct {
		name  string
		patch func(*ops)
		want  string // "" means 400
	}{
		{"add a member", func(p *ops) { p.AppendAdd("/new", 5) },
			`{"a/b":1,"id":"1","list":[1,2,3],"n":1,"new":5,"o":{"p":{"q":1}},"pk":"a","s":"x"}`},
		{"add inserts", func(p *ops) { p.AppendAdd("/list/1", 9) },
			`{"a/b":1,"id":"1","list":[1,9,2,3],"n":1,"o":{"p":{"q":1}},"pk":"a","s":"x"}`},
		{"add appends", func(p *ops) { p.AppendAdd("/list/-", 9); p.AppendAdd("/list/4", 10) },
			`{"a/b":1,"id":"1","list":[1,2,3,9,10],"n":1,"o":{"p":{"q":1}},"pk":"a","s":"x"}`},
		{"add beyond the end", func(p *ops) { p.AppendAdd("/list/4", 9) }, ""},
		{"add without a parent", func(p *ops) { p.AppendAdd("/x/y", 9) }, ""},
		{"set replaces an element", func(p *ops) { p.AppendSet("/list/0", 9) },
			`{"a/b":1,"id":"1","list":[9,2,3],"n":1,"o":{"p":{"q":1}},"pk":"a","s":"x"}`},
		{"set null", func(p *ops) { p.AppendSet("/s", nil) },
			`{"a/b":1,"id":"1","list":[1,2,3],"n":1,"o":{"p":{"q":1}},"pk":"a","s":null}`},
		{"replace nested", func(p *ops) { p.AppendReplace("/o/p/q", "y") },
			`{"a/b":1,"id":"1","list":[1,2,3],"n":1,"o":{"p":{"q":"y"}},"pk":"a","s":"x"}`},
		{"replace missing", func(p *ops) { p.AppendReplace("/o/none", 1) }, ""},
		{"remove", func(p *ops) { p.AppendRemove("/list/0"); p.AppendRemove("/o") },
			`{"a/b":1,"id":"1","list":[2,3],"n":1,"pk":"a","s":"x"}`},
		{"remove missing", func(p *ops) { p.AppendRemove("/none") }, ""},
		{"increment", func(p *ops) { p.AppendIncrement("/n", -3); p.AppendIncrement("/list/2", 1) },
			`{"a/b":1,"id":"1","list":[1,2,4],"n":-2,"o":{"p":{"q":1}},"pk":"a","s":"x"}`},
		{"increment missing", func(p *ops) { p.AppendIncrement("/m", 3) },
			`{"a/b":1,"id":"1","list":[1,2,3],"m":3,"n":1,"o":{"p":{"q":1}},"pk":"a","s":"x"}`},
		{"increment text", func(p *ops) { p.AppendIncrement("/s", 3) }, ""},
		{"escaped path", func(p *ops) { p.AppendReplace("/a~1b", 2) },
			`{"a/b":2,"id":"1","list":[1,2,3],"n":1,"o":{"p":{"q":1}},"pk":"a","s":"x"}`},
		{"id", func(p *ops) { p.AppendSet("/id", "2") }, ""},
		{"partition key", func(p *ops) { p.AppendSet("/pk", "b") }, ""},
		{"system property", func(p *ops) { p.AppendSet("/_ts", 1) }, ""},
		{"one fails, none applies", func(p *ops) { p.AppendSet("/n", 2); p.AppendRemove("/none") }, ""},
		{"eleven", func(p *ops) {
			for range 11 {
				p.AppendSet("/n", 2)
			}
		}, ""},
		{"condition holds", func(p *ops) { p.SetCondition("FROM c WHERE c.n = 1"); p.AppendSet("/n", 7) },
			`{"a/b":1,"id":"1","list":[1,2,3],"n":7,"o":{"p":{"q":1}},"pk":"a","s":"x"}`},
		{"condition is no condition", func(p *ops) { p.SetCondition("FROM c"); p.AppendSet("/n", 7) }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newContainer(t)
			MustCreate(t, c, key("a"), item)
			var p ops
			tt.patch(&p)
			r, err := c.PatchItem(ctx, key("a"), "1", p, &azcosmos.ItemOptions{EnableContentResponseOnWrite: true})
			if tt.want == "" {
				wantStatus(t, err, 400)
				got, err := c.ReadItem(ctx, key("a"), "1", nil)
				if err != nil || body(t, got.Value) != body(t, []byte(item)) {
					t.Errorf("the item changed: %s, %v", got.Value, err)
				}
				return
			}
			if err != nil || body(t, r.Value) != tt.want {
				t.Errorf("got  %s\nwant %s (%v)", body(t, r.Value), tt.want, err)
			}
		})
	}
	t.Run("a patch whose condition fails changes nothing", func(t *testing.T) {
		c := newContainer(t)
		MustCreate(t, c, key("a"), item)
		var p ops
		p.SetCondition("FROM c WHERE c.n > 1")
		p.AppendSet("/n", 7)
		_, err := c.PatchItem(ctx, key("a"), "1", p, nil)
		wantStatus(t, err, 412)
	})
}
