package embedded_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

func TestReopen(t *testing.T) {
	dir := t.TempDir()
	e, err := embedded.Open(dir, embedded.Options{Ranges: 2})
	if err != nil {
		t.Fatal(err)
	}
	c := MustContainer(t, MustDatabase(t, e), blogPolicy, "/postId")
	MustCreate(t, c, key("a"), `{"id":"1","postId":"a","type":"post"}`)
	before, err := c.ReadItem(ctx, key("a"), "1", nil)
	wantStatus(t, err, 0)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	_, err = c.ReadItem(ctx, key("a"), "1", nil)
	wantStatus(t, err, 503)

	e = MustOpen(t, dir, embedded.Options{})
	c, err = MustClient(t, e).NewContainer("db", "items")
	wantStatus(t, err, 0)
	after, err := c.ReadItem(ctx, key("a"), "1", nil)
	if err != nil || string(after.Value) != string(before.Value) {
		t.Errorf("got  %s\nwant %s (%v)", after.Value, before.Value, err)
	}
	r, err := c.UpsertItem(ctx, key("a"), []byte(`{"id":"1","postId":"a","type":"post"}`), nil)
	if err != nil || !strings.HasSuffix(*r.SessionToken, "#2") || r.ETag == before.ETag {
		t.Errorf("the LSN or etag did not go on: %v, %v", *r.SessionToken, err)
	}
	if ranges, err := c.ReadFeedRanges(ctx, nil); err != nil || len(ranges) != 2 {
		t.Errorf("%v, %v", ranges, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Run("a directory in use", func(t *testing.T) {
		dir := t.TempDir()
		MustOpen(t, dir, embedded.Options{})
		if _, err := embedded.Open(dir, embedded.Options{}); err == nil || !strings.Contains(err.Error(), "in use by another process") {
			t.Errorf("got %v", err)
		}
	})
	for name, content := range map[string]string{"a text file": strings.Repeat("not a database\n", 100), "an empty file": ""} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "inkfeed.db")
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := embedded.Open(dir, embedded.Options{}); err == nil || !strings.Contains(err.Error(), "is not a database of this engine") {
				t.Errorf("got %v", err)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != content {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
	t.Run("a key that is not base64", func(t *testing.T) {
		if _, err := embedded.Open(t.TempDir(), embedded.Options{Key: "?"}); err == nil {
			t.Error("opened")
		}
	})
}

// crashDir names the environment variable by which the test binary, run again, is the
// process that is to be killed.
const crashDir = "EMBEDDED_CRASH_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		writeUntilKilled(dir)
	}
	os.Exit(m.Run())
}

const crashWriters = 4

// writeUntilKilled writes batches and prints each once it is acknowledged.
func writeUntilKilled(dir string) {
	fail := func(err error) {
		fmt.Println("error", err)
		os.Exit(1)
	}
	e, err := embedded.Open(dir, embedded.Options{Ranges: 2})
	if err != nil {
		fail(err)
	}
	cred, _ := azcosmos.NewKeyCredential(e.Key())
	o := new(azcosmos.ClientOptions)
	o.Transport = e
	client, err := azcosmos.NewClientWithKey(e.Endpoint(), cred, o)
	if err != nil {
		fail(err)
	}
	client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: "db"}, nil) // exists after the first time
	db, _ := client.NewDatabase("db")
	db.CreateContainer(ctx, azcosmos.ContainerProperties{ID: "items", PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}}}, nil)
	c, _ := client.NewContainer("db", "items")
	var wg sync.WaitGroup
	var output sync.Mutex
	for w := range crashWriters {
		wg.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d-%d", os.Getpid(), w, i)
				b := c.NewTransactionalBatch(key(id))
				for part := range 3 {
					b.CreateItem(fmt.Appendf(nil, `{"id":"%d","pk":%q}`, part, id), nil)
				}
				r, err := c.ExecuteTransactionalBatch(ctx, b, nil)
				if err != nil || !r.Success {
					fail(fmt.Errorf("%v %v", r.Success, err))
				}
				output.Lock()
				fmt.Println(id)
				output.Unlock()
			}
		})
	}
	wg.Wait()
}

// TestCrash kills a writing process and then finds every write that it acknowledged,
// whole, and LSNs that agree with the items.
func TestCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	dir := t.TempDir()
	var acknowledged []string
	for round := range 4 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), crashDir+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if strings.HasPrefix(lines.Text(), "error") {
				t.Fatal(lines.Text())
			}
			acknowledged = append(acknowledged, lines.Text())
			if n == 20+37*round {
				cmd.Process.Kill()
			}
		}
		cmd.Wait() // killed: an error
	}

	c, err := MustClient(t, MustOpen(t, dir, embedded.Options{})).NewContainer("db", "items")
	wantStatus(t, err, 0)
	rows, _, err := queryAll(c, azcosmos.NewPartitionKey(), "SELECT VALUE c.pk FROM c", -1)
	wantStatus(t, err, 0)
	parts := map[string]int{}
	for _, row := range rows {
		pk, _ := strconv.Unquote(row)
		parts[pk]++
	}
	for pk, n := range parts {
		if n != 3 {
			t.Errorf("batch %s has %d of its 3 items", pk, n)
		}
	}
	for _, id := range acknowledged {
		if parts[id] == 0 {
			t.Errorf("batch %s was acknowledged and is lost", id)
		}
	}
	t.Logf("%d batches acknowledged, %d found", len(acknowledged), len(parts))

	ranges, err := c.ReadFeedRanges(ctx, nil)
	wantStatus(t, err, 0)
	changes := 0
	for _, r := range ranges {
		batches, counter := lsnsOf(t, c, r)
		for lsn := range counter {
			ids := batches[lsn+1]
			if len(ids) != 3 || ids[0] != ids[1] || ids[0] != ids[2] {
				t.Errorf("range %s, LSN %d of %d is that of %q, not of one batch", r.MinInclusive, lsn+1, counter, ids)
			}
			changes += len(ids)
		}
		if len(batches) != int(counter) {
			t.Errorf("range %s counts %d transactions, its items have %d LSNs", r.MinInclusive, counter, len(batches))
		}
	}
	if changes != len(rows) {
		t.Errorf("the change feed has %d of %d items", changes, len(rows))
	}
}

// lsnsOf drains the change feed of a range, and returns the partition keys of its items
// by their LSNs, and how far the range's counter is.
func lsnsOf(t *testing.T, c *azcosmos.ContainerClient, r azcosmos.FeedRange) (keys map[int64][]string, counter int64) {
	t.Helper()
	keys = make(map[int64][]string)
	o := azcosmos.ChangeFeedOptions{FeedRange: &r, MaxItemCount: 100}
	for {
		page, err := c.ReadChangeFeed(ctx, &o)
		wantStatus(t, err, 0)
		if len(page.Items) == 0 {
			counter, err := strconv.ParseInt(page.RawResponse.Header.Get("Lsn"), 10, 64)
			wantStatus(t, err, 0)
			return keys, counter
		}
		for _, text := range page.Items {
			var item struct {
				PK  string `json:"pk"`
				LSN int64  `json:"_lsn"`
			}
			if err := json.Unmarshal(text, &item); err != nil {
				t.Fatal(err)
			}
			keys[item.LSN] = append(keys[item.LSN], item.PK)
		}
		o.Continuation = &page.ContinuationToken
	}
}
