package embedded_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

// traffic records the writes of several writers, each with its own keys.
type traffic struct {
	tb      testing.TB
	c       *azcosmos.ContainerClient
	seed    uint64
	steps   atomic.Int64  // writes so far
	reached chan struct{} // receives after every stepsPerSplit writes
	items   sync.Map      // last items by key and id
	stable  []azcosmos.ItemIdentity
}

const (
	trafficWriters = 4
	trafficWrites  = 250 // per writer
	trafficSplits  = 6
	stepsPerSplit  = trafficWriters * trafficWrites / (trafficSplits + 1)
)

// written is an item of the traffic. Seq counts the writes to its key.
type written struct {
	ID  string `json:"id"`
	PK  string `json:"pk"`
	Seq int    `json:"seq"`
	LSN int64  `json:"_lsn"`
	RID string `json:"_rid"`
}

func (w written) name() string { return w.PK + "/" + w.ID }

func read(tb testing.TB, item []byte) (w written) {
	tb.Helper()
	if err := json.Unmarshal(item, &w); err != nil {
		tb.Errorf("%s: %v", item, err)
	}
	return w
}

// write creates, replaces, patches and deletes items of its own keys, alone and in batches.
func (f *traffic) write(writer int) {
	rng := rand.New(rand.NewPCG(f.seed, uint64(writer)))
	seqs := map[string]int{}
	for range trafficWrites {
		pk := fmt.Sprintf("w%d-%d", writer, rng.IntN(25))
		seqs[pk]++
		w := written{ID: fmt.Sprint(rng.IntN(3)), PK: pk, Seq: seqs[pk]}
		body := fmt.Appendf(nil, `{"id":%q,"pk":%q,"seq":%d}`, w.ID, w.PK, w.Seq)
		_, exists := f.items.Load(w.name())
		var err error
		switch n := rng.IntN(10); {
		case exists && n == 0:
			_, err = f.c.DeleteItem(ctx, key(pk), w.ID, nil)
			f.items.Delete(w.name())
		case exists && n < 3:
			var patch azcosmos.PatchOperations
			patch.AppendSet("/seq", w.Seq)
			_, err = f.c.PatchItem(ctx, key(pk), w.ID, patch, nil)
			f.items.Store(w.name(), w)
		case n < 6:
			b := f.c.NewTransactionalBatch(key(pk))
			for _, id := range []string{"3", "4", w.ID} {
				b.UpsertItem(fmt.Appendf(nil, `{"id":%q,"pk":%q,"seq":%d}`, id, pk, w.Seq), nil)
				part := written{ID: id, PK: pk, Seq: w.Seq}
				f.items.Store(part.name(), part)
			}
			var r azcosmos.TransactionalBatchResponse
			if r, err = f.c.ExecuteTransactionalBatch(ctx, b, nil); err == nil && !r.Success {
				f.tb.Errorf("batch: %+v", r.OperationResults)
			}
		default:
			_, err = f.c.UpsertItem(ctx, key(pk), body, nil)
			f.items.Store(w.name(), w)
		}
		if err != nil {
			f.tb.Errorf("write of %s: %v", w.name(), err)
		}
		if f.steps.Add(1)%stepsPerSplit == 0 {
			f.reached <- struct{}{}
		}
	}
}

// follow reads the change feed with the SDK's token until it has drained it after the last write.
// It returns the last version of each item.
func (f *traffic) follow(done <-chan struct{}) map[string]written {
	seen := map[string]written{}
	seqs := map[string]int{} // by key
	o := azcosmos.ChangeFeedOptions{FeedRange: &azcosmos.FeedRange{MinInclusive: "", MaxExclusive: "FF"},
		MaxItemCount: 9}
	for {
		ended := false
		select {
		case <-done:
			ended = true
		default:
		}
		page, err := f.c.ReadChangeFeed(ctx, &o)
		if err != nil {
			f.tb.Errorf("change feed: %v", err)
			return seen
		}
		o.Continuation = &page.ContinuationToken
		for _, item := range page.Items {
			w := read(f.tb, item)
			if w.Seq < seqs[w.PK] {
				f.tb.Errorf("%+v was returned after number %d of its key", w, seqs[w.PK])
			}
			seqs[w.PK] = w.Seq
			if before, ok := seen[w.name()]; ok && before.Seq == w.Seq {
				f.tb.Errorf("%+v was returned twice", w)
			}
			seen[w.name()] = w
		}
		if ended && len(page.Items) == 0 {
			return seen
		}
	}
}

// scan queries all items page by page. It misses none of the items that stay.
func (f *traffic) scan() {
	rows, _, err := queryAll(f.c, azcosmos.NewPartitionKey(), "SELECT c.id, c.pk, c._rid FROM c", 20)
	if err != nil {
		f.tb.Errorf("query: %v", err)
	}
	count, rids := map[string]int{}, map[string]int{}
	for _, row := range rows {
		w := read(f.tb, []byte(row))
		count[w.name()]++
		// By rid and not by id: an item may have been deleted and created again after its page.
		if rids[w.RID]++; rids[w.RID] == 2 {
			f.tb.Errorf("query: %s was returned twice as %s", w.name(), w.RID)
		}
	}
	for _, item := range f.stable {
		if count["stable-"+item.ID+"/"+item.ID] != 1 {
			f.tb.Errorf("query: item %s is missing", item.ID)
		}
	}
	many, err := f.c.ReadManyItems(ctx, f.stable, nil)
	if err != nil || len(many.Items) != len(f.stable) {
		f.tb.Errorf("read many: %d of %d, %v", len(many.Items), len(f.stable), err)
	}
}

// check compares the change feed of each range, from the beginning, with the writes.
func (f *traffic) check(c *azcosmos.ContainerClient, ranges int) {
	list, err := c.ReadFeedRanges(ctx, nil)
	if err != nil || len(list) != ranges {
		f.tb.Fatalf("%d ranges: %v, %v", ranges, list, err)
	}
	owner := map[string]int{}
	for i, r := range list {
		o := azcosmos.ChangeFeedOptions{FeedRange: &r, MaxItemCount: 50}
		lsn := int64(0)
		for {
			page, err := c.ReadChangeFeed(ctx, &o)
			wantStatus(f.tb, err, 0)
			if len(page.Items) == 0 {
				break
			}
			o.Continuation = &page.ContinuationToken
			for _, item := range page.Items {
				w := read(f.tb, item)
				if _, ok := owner[w.name()]; ok {
					f.tb.Errorf("%s is in two ranges", w.name())
				}
				if other, ok := owner[w.PK]; ok && other != i {
					f.tb.Errorf("the key %s is in two ranges", w.PK)
				}
				owner[w.name()], owner[w.PK] = i, i
				if w.LSN < lsn {
					f.tb.Errorf("%+v was returned after LSN %d", w, lsn)
				}
				lsn = w.LSN
				if want, ok := f.items.Load(w.name()); ok && want.(written).Seq != w.Seq {
					f.tb.Errorf("got %+v, want %+v", w, want)
				}
			}
		}
	}
	f.items.Range(func(name, _ any) bool {
		if _, ok := owner[name.(string)]; !ok {
			f.tb.Errorf("%s is in no range", name)
		}
		return true
	})
}

func TestSplitsUnderTraffic(t *testing.T) {
	dir := t.TempDir()
	e, err := embedded.Open(dir, embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := &traffic{tb: t, c: MustContainer(t, MustDatabase(t, e), nil, "/pk"), seed: rand.Uint64(),
		reached: make(chan struct{}, trafficSplits+1)}
	t.Logf("seed %d", f.seed)
	for i := range 50 {
		id := fmt.Sprint(i)
		MustCreate(t, f.c, key("stable-"+id), fmt.Sprintf(`{"id":%q,"pk":"stable-%s"}`, id, id))
		f.stable = append(f.stable, azcosmos.ItemIdentity{ID: id, PartitionKey: key("stable-" + id)})
	}
	var writers, readers sync.WaitGroup
	for w := range trafficWriters {
		writers.Go(func() { f.write(w) })
	}
	done := make(chan struct{})
	var seen map[string]written
	readers.Go(func() { seen = f.follow(done) })
	readers.Go(func() {
		for {
			f.scan()
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for range trafficSplits {
		<-f.reached
		if err := e.Split(ctx, "db", "items", ""); err != nil {
			t.Error(err)
		}
	}
	writers.Wait()
	close(done)
	readers.Wait()
	f.items.Range(func(name, want any) bool {
		if got := seen[name.(string)]; got.Seq != want.(written).Seq {
			t.Errorf("the reader's last version of %s is %+v, want %+v", name, got, want)
		}
		return true
	})
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.Split(ctx, "db", "items", ""); status(err) != -1 || err == nil {
		t.Errorf("closed: %v", err)
	}
	e = MustOpen(t, dir, embedded.Options{})
	c, err := MustClient(t, e).NewContainer("db", "items")
	wantStatus(t, err, 0)
	f.check(c, trafficSplits+1)
}

func TestSplitOfAMissingContainer(t *testing.T) {
	e := MustOpen(t, t.TempDir(), embedded.Options{})
	c := MustContainer(t, MustDatabase(t, e), nil, "/pk")
	for name, names := range map[string][3]string{
		"database":  {"none", "items", "0"},
		"container": {"db", "none", "0"},
		"range":     {"db", "items", "1"},
	} {
		if err := e.Split(ctx, names[0], names[1], names[2]); err == nil {
			t.Errorf("split in a missing %s", name)
		}
	}
	if list, err := c.ReadFeedRanges(ctx, nil); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}
