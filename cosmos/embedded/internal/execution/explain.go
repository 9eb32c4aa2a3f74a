package execution

import (
	"context"
	"database/sql/driver"
	"strings"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/storage"
)

// Explain returns SQLite's query plan for each statement of a page. Tests use it to check that
// queries search indexes.
func Explain(ctx context.Context, c *catalog.Container, spec *Query, t *Target, o PageOptions) ([]string, error) {
	r, err := newRun(ctx, c, spec, t, o)
	if err != nil {
		return nil, err
	}
	var statements []sqlQuery
	switch {
	case r.countedBySQLite():
		statements = append(statements, r.countStatement())
	case r.ordered():
		statements = r.orderedStatements()
		for i := range statements {
			r.limit(&statements[i])
		}
	default:
		s := r.statement(c.Ranges[0])
		s.tail = " ORDER BY rid"
		statements = append(statements, s)
	}
	plans := make([]string, len(statements))
	err = o.Store.Read(ctx, func(conn *storage.Conn) error {
		for i, s := range statements {
			if err := r.sortNumbers(conn, &s); err != nil {
				return err
			}
			if plans[i], err = explain(ctx, conn, s); err != nil {
				return err
			}
		}
		return nil
	})
	return plans, err
}

func explain(ctx context.Context, conn *storage.Conn, s sqlQuery) (string, error) {
	// A connection notices changes of the schema only when it runs a statement.
	if err := conn.Query(ctx, s.text(), s.args, func([]driver.Value) (bool, error) { return false, nil }); err != nil {
		return "", err
	}
	var steps []string
	err := conn.Query(ctx, "EXPLAIN QUERY PLAN "+s.text(), s.args, func(row []driver.Value) (bool, error) {
		steps = append(steps, storage.AsText(row[3]))
		return true, nil
	})
	return strings.NewReplacer(`"`, "", "^", "").Replace(strings.Join(steps, "; ")), err
}
