package execution

import (
	"net/http"
	"slices"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/query"
)

// CheckStreamable fails for queries whose partial results the service's gateway cannot merge across
// partitions, even if the container has only one partition.
//
// It also fails for a parallel query without a feed range. The client then takes the query plan
// from the error, or requests it, and queries each range. The SDKs for Python 3.1 and JavaScript
// 3.2 depend on that.
func CheckStreamable(c *catalog.Container, spec *Query, parallel bool) error {
	stmt := spec.Statement
	if NeedsValue(stmt) {
		return apierror.BadRequest("Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates.")
	}
	if !parallel && len(stmt.OrderBy) == 0 && stmt.Top == nil && stmt.Offset == nil && !stmt.Distinct &&
		!stmt.Grouped() {
		return nil
	}
	plan, err := NewClientPlan(c, spec, nil)
	if err != nil {
		return err
	}
	e := apierror.New(http.StatusBadRequest, apierror.SubCrossPartition,
		"The provided cross partition query can not be directly served by the gateway. "+
			"This is a first chance (internal) exception that all newer clients will know how to handle gracefully. "+
			"This exception is traced, but unless you see it bubble up as an exception (which only happens on "+
			"older SDK clients), "+
			"then you can safely ignore this message.")
	e.NoCharge = true
	e.Extra = plan.Document.JSON()
	return e
}

// NeedsValue reports whether a query aggregates in a form that is refused across partitions.
func NeedsValue(stmt *query.Statement) bool {
	return stmt.Grouped() && (len(stmt.GroupBy) > 0 || stmt.ValueAggregate() == nil)
}

// CheckIndexed fails if the query needs an index that the container does not have.
func CheckIndexed(c *catalog.Container, stmt *query.Statement) error {
	if err := checkFullText(c, stmt); err != nil {
		return err
	}
	return checkOrder(c, stmt.OrderBy)
}

// checkOrder fails if no index of the container serves an ORDER BY.
func checkOrder(c *catalog.Container, orders []query.Order) error {
	for _, o := range orders {
		if name := o.Path.Steps[0].Name; catalog.IsSystemProperty(name) && name != "_ts" && name != "_rid" {
			return apierror.BadRequest("The index path corresponding to the specified order-by item is excluded.")
		}
		if strings.Contains(o.Path.String(), "\x00") {
			return apierror.BadRequest("An order by path has a NUL, which no indexed path can have.")
		}
	}
	if len(orders) == 1 {
		var steps []string
		for _, s := range orders[0].Path.Steps {
			if s.IsIndex {
				s.Name = "[]" // as in an indexing policy
			}
			steps = append(steps, s.Name)
		}
		if !c.Policy.Covers(steps) {
			return apierror.BadRequest("The index path corresponding to the specified order-by item is excluded.")
		}
	}
	if len(orders) < 2 {
		return nil
	}
	for _, composite := range c.Policy.Composites {
		if servesOrder(composite, orders, false) || servesOrder(composite, orders, true) {
			return nil
		}
	}
	return apierror.BadRequest(
		"The order by query does not have a corresponding composite index that it can be served from.")
}

// servesOrder reports whether a composite index, read forwards or backwards, has exactly the paths
// of an ORDER BY in the same sequence.
func servesOrder(composite []catalog.IndexPath, orders []query.Order, backwards bool) bool {
	return slices.EqualFunc(composite, orders, func(p catalog.IndexPath, o query.Order) bool {
		return p.Path == o.Path.String() && p.Desc == (o.Desc != backwards)
	})
}
