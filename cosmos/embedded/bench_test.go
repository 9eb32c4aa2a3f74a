package embedded_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

// blogPolicy is the indexing policy of a container of posts.
func blogPolicy(p *azcosmos.ContainerProperties) {
	order := func(o azcosmos.CompositeIndexOrder) []azcosmos.CompositeIndex {
		return []azcosmos.CompositeIndex{{Path: "/type", Order: o}, {Path: "/creationDate", Order: o}, {Path: "/id", Order: o}}
	}
	p.IndexingPolicy = &azcosmos.IndexingPolicy{
		Automatic: true, IndexingMode: azcosmos.IndexingModeConsistent,
		IncludedPaths:    []azcosmos.IncludedPath{{Path: "/userId/?"}},
		ExcludedPaths:    []azcosmos.ExcludedPath{{Path: "/*"}},
		CompositeIndexes: [][]azcosmos.CompositeIndex{order(azcosmos.CompositeIndexAscending)},
	}
}

func comment(post string, i int) []byte {
	return fmt.Appendf(nil, `{"id":"c%06d","type":"comment","postId":%q,"userId":"user%05d","userUsername":"someone","content":%q,"creationDate":"2026-11-21T10:00:%02dZ"}`,
		i, post, i*7919%100000, strings.Repeat("lorem ipsum ", 20), i%60)
}

// BenchmarkBulk measures concurrent batches of 100 creates, as a seed writes them.
func BenchmarkBulk(b *testing.B) {
	for _, writers := range []int{1, 8, 16} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			c := MustContainer(b, MustDatabase(b, MustOpen(b, b.TempDir(), embedded.Options{})), blogPolicy, "/postId")
			var next atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			for range writers {
				wg.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						post := fmt.Sprintf("post%08d", n*2654435761%100000000)
						batch := c.NewTransactionalBatch(key(post))
						for i := range 100 {
							batch.CreateItem(comment(post, i), nil)
						}
						r, err := c.ExecuteTransactionalBatch(context.Background(), batch, nil)
						if err != nil || !r.Success {
							b.Error(r.Success, err)
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N*100)/b.Elapsed().Seconds(), "items/s")
		})
	}
}

// BenchmarkPointRead compares reading an item, through the SDK and through the engine
// alone, with the bare SQLite lookup of the same row.
func BenchmarkPointRead(b *testing.B) {
	dir := b.TempDir()
	e := MustOpen(b, dir, embedded.Options{})
	c := MustContainer(b, MustDatabase(b, e), blogPolicy, "/postId")
	for i := range 100 {
		post := "post" + number(i)
		batch := c.NewTransactionalBatch(key(post))
		for j := range 100 {
			batch.CreateItem(comment(post, j), nil)
		}
		if _, err := c.ExecuteTransactionalBatch(context.Background(), batch, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("sdk", func(b *testing.B) {
		for i := range b.N {
			if _, err := c.ReadItem(context.Background(), key("post"+number(i%100)), fmt.Sprintf("c%06d", i*37%100), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("engine", func(b *testing.B) {
		var inside timedTransport
		inside.engine = e
		c := timedContainer(b, &inside)
		for i := range b.N {
			if _, err := c.ReadItem(context.Background(), key("post"+number(i%100)), fmt.Sprintf("c%06d", i*37%100), nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(inside.spent.Nanoseconds())/float64(b.N), "ns-inside/op")
	})
	b.Run("sqlite", func(b *testing.B) {
		db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "inkfeed.db")+"?mode=ro")
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		var table string
		if err := db.QueryRow("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'items_%'").Scan(&table); err != nil {
			b.Fatal(err)
		}
		var keys [][]byte
		rows, err := db.Query("SELECT DISTINCT pk FROM " + table)
		if err != nil {
			b.Fatal(err)
		}
		for rows.Next() {
			var pk []byte
			rows.Scan(&pk)
			keys = append(keys, pk)
		}
		rows.Close()
		stmt, err := db.Prepare("SELECT rid, version, ts, exp, body FROM " + table + " WHERE pk = ? AND id = ?")
		if err != nil {
			b.Fatal(err)
		}
		b.ResetTimer()
		for i := range b.N {
			var rid, version, ts int64
			var exp sql.NullInt64
			var body string
			if err := stmt.QueryRow(keys[i%100], fmt.Sprintf("c%06d", i*37%100)).Scan(&rid, &version, &ts, &exp, &body); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkComment measures one comment's batch (a count and a create), inside the
// engine, beside a bare synced SQLite transaction that writes the same rows.
func BenchmarkComment(b *testing.B) {
	dir := b.TempDir()
	e := MustOpen(b, dir, embedded.Options{})
	MustContainer(b, MustDatabase(b, e), blogPolicy, "/postId")
	b.Run("engine", func(b *testing.B) {
		inside := &timedTransport{engine: e}
		c := timedContainer(b, inside)
		post := fmt.Sprintf("p%d", b.N)
		MustCreate(b, c, key(post), fmt.Sprintf(`{"id":"post","type":"post","postId":%q,"creationDate":"d","commentCount":0,"content":%q}`, post, strings.Repeat("x", 2000)))
		inside.spent = 0
		for i := range b.N {
			batch := c.NewTransactionalBatch(key(post))
			var p azcosmos.PatchOperations
			p.AppendIncrement("/commentCount", 1)
			batch.PatchItem("post", p, nil)
			batch.CreateItem(comment(post, i), nil)
			if r, err := c.ExecuteTransactionalBatch(context.Background(), batch, nil); err != nil || !r.Success {
				b.Fatal(r.Success, err)
			}
		}
		b.ReportMetric(float64(inside.spent.Nanoseconds())/float64(b.N), "ns-inside/op")
	})
	b.Run("sqlite", func(b *testing.B) {
		db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "bare.db")+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)")
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(1)
		for _, s := range []string{"CREATE TABLE items (rid INTEGER PRIMARY KEY, pk TEXT, id TEXT, lsn INTEGER, type TEXT, created TEXT, user TEXT, body TEXT)",
			"CREATE UNIQUE INDEX a ON items (pk, id)", "CREATE INDEX b ON items (lsn)", "CREATE INDEX c ON items (pk, type, created, id)", "CREATE INDEX d ON items (user)",
			"CREATE TABLE counters (id INTEGER PRIMARY KEY, lsn INTEGER)", "INSERT INTO counters VALUES (1, 0)"} {
			if _, err := db.Exec(s); err != nil {
				b.Fatal(err)
			}
		}
		insert, err := db.Prepare("INSERT INTO items (pk, id, lsn, type, created, user, body) VALUES ('p', ?, ?, ?, '2026-11-21T10:00:00Z', ?, ?)")
		if err != nil {
			b.Fatal(err)
		}
		post := strings.Repeat("x", 2000)
		insert.Exec("post", 0, "post", "u", post)
		update, _ := db.Prepare("UPDATE items SET lsn = ?, body = ? WHERE pk = 'p' AND id = 'post'")
		count, _ := db.Prepare("UPDATE counters SET lsn = ?")
		b.ResetTimer()
		for i := range b.N {
			tx, err := db.Begin()
			if err != nil {
				b.Fatal(err)
			}
			tx.Stmt(update).Exec(i, post)
			tx.Stmt(insert).Exec(fmt.Sprintf("c%06d", i), i, "comment", fmt.Sprintf("user%05d", i*7919%100000), string(comment("p", i)))
			tx.Stmt(count).Exec(i)
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkWriters measures single creates by one writer and by several, whose commits
// are shared.
func BenchmarkWriters(b *testing.B) {
	for _, writers := range []int{1, 8, 32} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			c := MustContainer(b, MustDatabase(b, MustOpen(b, b.TempDir(), embedded.Options{})), blogPolicy, "/postId")
			var next atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			for range writers {
				wg.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						post := "post" + number(int(n)%1000)
						if _, err := c.CreateItem(context.Background(), key(post), comment(post, int(n)), nil); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// BenchmarkEmptyPoll measures reading a change feed in which nothing is new.
func BenchmarkEmptyPoll(b *testing.B) {
	e := MustOpen(b, b.TempDir(), embedded.Options{})
	c := MustContainer(b, MustDatabase(b, e), nil, "/pk")
	MustCreate(b, c, key("a"), `{"id":"1","pk":"a"}`)
	inside := &timedTransport{engine: e}
	c = timedContainer(b, inside)
	o := azcosmos.ChangeFeedOptions{FeedRange: &azcosmos.FeedRange{MinInclusive: "", MaxExclusive: "FF"}}
	_, next := feedOf(b, c, o)
	inside.spent = 0
	b.ResetTimer()
	for range b.N {
		if _, err := c.ReadChangeFeed(context.Background(), &azcosmos.ChangeFeedOptions{Continuation: &next}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(inside.spent.Nanoseconds())/float64(b.N), "ns-inside/op")
}
