package execution

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/pushdown"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// clientPlan tells a client how to run a query over several partitions. The protocol calls it
// partitioned query execution info.
type clientPlan struct {
	Document value.Value
	features []string // features that the client must support
}

// Lacking returns the required features that are missing from a client's list.
func (p *clientPlan) Lacking(list string) []string {
	has := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	return slices.DeleteFunc(slices.Clone(p.features), func(f string) bool { return slices.Contains(has, f) })
}

// NewClientPlan returns the plan of a query for a partition key. If key is empty, it uses the keys
// that the query names.
func NewClientPlan(c *catalog.Container, spec *Query, key []value.Value) (*clientPlan, error) {
	filter := pushdown.Compile(spec.Statement, c.Schema, spec.Params)
	keys := filter.Keys
	if len(key) > 0 {
		keys = [][]value.Value{key}
	}
	pinned := len(keys) == 1 && len(keys[0]) == len(c.KeyPaths)
	plan, err := spec.Statement.Plan(spec.Params, pinned)
	if err != nil {
		return nil, err
	}
	return &clientPlan{features: slices.Compact(plan.Features), Document: value.OfObject([]value.Member{
		{Name: "partitionedQueryExecutionInfoVersion", Value: value.OfInt(2)},
		{Name: "queryInfo", Value: queryInfo(plan)},
		{Name: "queryRanges", Value: queryRanges(c, keys)},
		{Name: "hybridSearchQueryInfo", Value: value.NullValue()},
	})}, nil
}

func queryInfo(p *query.Plan) value.Value {
	types := make([]value.Member, len(p.Aliases))
	for i, alias := range p.Aliases {
		types[i] = value.Member{Name: alias, Value: value.NullValue()}
		if p.Types[i] != "" {
			types[i].Value = value.OfString(p.Types[i])
		}
	}
	return value.OfObject([]value.Member{
		{Name: "distinctType", Value: value.OfString(p.Distinct)},
		{Name: "top", Value: intOrNull(p.Top)},
		{Name: "offset", Value: intOrNull(p.Offset)},
		{Name: "limit", Value: intOrNull(p.Limit)},
		{Name: "orderBy", Value: texts(p.Order)},
		{Name: "orderByExpressions", Value: texts(p.OrderExprs)},
		{Name: "groupByExpressions", Value: texts(p.GroupExprs)},
		{Name: "groupByAliases", Value: texts(p.Aliases)},
		{Name: "aggregates", Value: texts(p.Aggregates)},
		{Name: "groupByAliasToAggregateType", Value: value.OfObject(types)},
		{Name: "rewrittenQuery", Value: value.OfString(p.Rewritten)},
		{Name: "hasSelectValue", Value: value.OfBool(p.HasValue)},
		{Name: "dCountInfo", Value: value.NullValue()},
		{Name: "hasNonStreamingOrderBy", Value: value.OfBool(false)},
	})
}

func intOrNull(n *int64) value.Value {
	if n == nil {
		return value.NullValue()
	}
	return value.OfInt(*n)
}

func texts(list []string) value.Value {
	elems := make([]value.Value, len(list))
	for i, s := range list {
		elems[i] = value.OfString(s)
	}
	return value.OfArray(elems)
}

// queryRanges returns the hashes that a query concerns, as intervals. A whole key gives one hash; a
// prefix gives the hashes of all keys with that prefix. Without keys it returns the interval of all
// hashes.
func queryRanges(c *catalog.Container, keys [][]value.Value) value.Value {
	type interval struct {
		min, max string
		whole    bool
	}
	var list []interval
	for _, key := range keys {
		hash := strings.ToUpper(hex.EncodeToString(c.HashKey(key)))
		if len(key) == len(c.KeyPaths) {
			list = append(list, interval{hash, hash, true})
		} else {
			list = append(list, interval{hash, hash + "FF", false})
		}
	}
	if len(list) == 0 {
		list = []interval{{"", "FF", false}}
	}
	slices.SortFunc(list, func(a, b interval) int { return cmp.Compare(a.min, b.min) })
	list = slices.Compact(list)
	elems := make([]value.Value, len(list))
	for i, r := range list {
		elems[i] = value.OfObject([]value.Member{
			{Name: "min", Value: value.OfString(r.min)},
			{Name: "max", Value: value.OfString(r.max)},
			{Name: "isMinInclusive", Value: value.OfBool(true)},
			{Name: "isMaxInclusive", Value: value.OfBool(r.whole)},
		})
	}
	return value.OfArray(elems)
}
