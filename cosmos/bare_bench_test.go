package cosmos_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bareCopy is a copy of a blog's SQLite database. It measures the same writes without the engine.
type bareCopy struct {
	db               *sql.DB
	insert, update   *sql.Stmt
	count            *sql.Stmt
	comment          []any // the row of a comment, as a template
	rid, pk, id, lsn int   // their columns
	written          int
}

func newBareCopy(b *testing.B, g *blog) *bareCopy {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Helper()
			b.Fatal(err)
		}
	}
	file := filepath.Join(b.TempDir(), "bare.db")
	source, err := sql.Open("sqlite", "file:"+filepath.Join(g.dir, "inkfeed.db")+"?mode=ro")
	must(err)
	defer source.Close()
	_, err = source.Exec("VACUUM INTO ?", file)
	must(err)

	c := new(bareCopy)
	c.db, err = sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(wal)&"+bareOptions)
	must(err)
	b.Cleanup(func() { c.db.Close() })
	c.db.SetMaxOpenConns(1)
	table := postsTable(b, c.db)
	first := g.comments[0]
	rows, err := c.db.Query("SELECT * FROM "+table+" WHERE pk = ? AND id = ?", storedKey(first.PostID), first.ID)
	must(err)
	columns, err := rows.Columns()
	must(err)
	c.comment = make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range into {
		into[i] = &c.comment[i]
	}
	if !rows.Next() {
		b.Fatal("the database has no row of the first comment")
	}
	must(rows.Scan(into...))
	must(rows.Close())
	c.rid, c.pk = slices.Index(columns, "rid"), slices.Index(columns, "pk")
	c.id, c.lsn = slices.Index(columns, "id"), slices.Index(columns, "lsn")

	c.insert, err = c.db.Prepare(fmt.Sprintf("INSERT INTO %s VALUES (%s)", table,
		strings.Join(slices.Repeat([]string{"?"}, len(columns)), ", ")))
	must(err)
	c.update, err = c.db.Prepare("UPDATE " + table +
		" SET lsn = ?, version = ?, ts = ?, body = replace(body, 'commentCount', 'commentCount') WHERE pk = ? AND id " +
		"= ?")
	must(err)
	c.count, err = c.db.Prepare("UPDATE ranges SET lsn = ?, version = ?")
	must(err)
	return c
}

// addComment writes the same rows as the engine does for a comment: the post, the comment and the counters of the feed
// range. It returns the duration of the transaction.
func (c *bareCopy) addComment(post string) (time.Duration, error) {
	c.written++
	lsn := 1<<40 + c.written
	row := slices.Clone(c.comment)
	row[c.rid], row[c.pk], row[c.id], row[c.lsn] = nil, storedKey(post), fmt.Sprintf("bare%020d", c.written), lsn
	began := time.Now()
	tx, err := c.db.Begin()
	if err != nil {
		return 0, err
	}
	defer tx.Rollback()
	if _, err := tx.Stmt(c.update).Exec(lsn, lsn, lsn, storedKey(post), post); err != nil {
		return 0, err
	}
	if _, err := tx.Stmt(c.insert).Exec(row...); err != nil {
		return 0, err
	}
	if _, err := tx.Stmt(c.count).Exec(lsn, lsn); err != nil {
		return 0, err
	}
	if err := tx.Commit(); err != nil {
		return 0, err
	}
	return time.Since(began), nil
}

// postsTable returns the name of the posts container's table.
func postsTable(b *testing.B, db *sql.DB) string {
	b.Helper()
	var num int
	if err := db.QueryRow("SELECT num FROM containers WHERE id = 'posts'").Scan(&num); err != nil {
		b.Fatal(err)
	}
	return fmt.Sprintf("items_%d", num)
}

// storedKey returns a partition key of one string as the engine stores it.
func storedKey(s string) []byte { return append([]byte{6}, s+"\x00\x00"...) }
