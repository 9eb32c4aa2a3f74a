package storage

import (
	"context"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestConnectionRetainsShortStatementsOnly(t *testing.T) {
	c, err := OpenConn(NewDriver(), filepath.Join(t.TempDir(), "db"), false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := c.Exec("CREATE TABLE t (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		// SQLite limits the length of an expression, but not that of a list.
		long := strings.Repeat(", 0", maxStatementText)
		if _, err := c.Exec(fmt.Sprintf("INSERT INTO t SELECT %d WHERE 0 IN (0%s)", i, long)); err != nil {
			t.Fatal(err)
		}
		var got []int64
		err := c.Query(context.Background(), fmt.Sprintf("SELECT n FROM t WHERE n IN (%d%s) AND n > 0", i, long),
			nil, func(row []driver.Value) (bool, error) {
				got = append(got, AsInt(row[0]))
				return true, nil
			})
		if err != nil || i > 0 && (len(got) != 1 || got[0] != int64(i)) {
			t.Errorf("statement %d returned %v, %v", i, got, err)
		}
	}
	if _, err := c.One("SELECT count(*) FROM t"); err != nil {
		t.Error(err)
	}
	if len(c.stmts) != 2 { // CREATE and SELECT count
		t.Errorf("the connection retains %d statements, want the two short ones", len(c.stmts))
	}
}
