package embedded

import (
	"context"
	"database/sql/driver"
	"strings"
)

// explainPage returns how SQLite would run the statements of a page, one query plan for each.
// Tests use it to check that queries search indexes.
func explainPage(ctx context.Context, c *container, spec *querySpec, t *target, o pageOptions) ([]string, error) {
	r, err := newRun(ctx, c, spec, t, o)
	if err != nil {
		return nil, err
	}
	var statements []sqlQuery
	if r.ordered() {
		statements = r.orderedStatements()
		for i := range statements {
			r.limit(&statements[i])
		}
	} else {
		s := r.statement(c.ranges[0])
		s.tail = " ORDER BY rid"
		statements = append(statements, s)
	}
	plans := make([]string, len(statements))
	err = o.store.read(ctx, func(conn *conn) error {
		for i, s := range statements {
			if plans[i], err = explain(ctx, conn, s); err != nil {
				return err
			}
		}
		return nil
	})
	return plans, err
}

func explain(ctx context.Context, conn *conn, s sqlQuery) (string, error) {
	// A connection notices changes of the schema only when it runs a statement.
	if err := conn.query(ctx, s.text(), s.args, func([]driver.Value) (bool, error) { return false, nil }); err != nil {
		return "", err
	}
	var steps []string
	err := conn.query(ctx, "EXPLAIN QUERY PLAN "+s.text(), s.args, func(row []driver.Value) (bool, error) {
		steps = append(steps, asText(row[3]))
		return true, nil
	})
	return strings.NewReplacer(`"`, "", "^", "").Replace(strings.Join(steps, "; ")), err
}
