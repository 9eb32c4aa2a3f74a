package embedded

import (
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/execution"
	"inkfeed/cosmos/embedded/internal/value"
)

// queryResources runs a query over databases, containers or offers, which are few.
func (e *Engine) queryResources(q *request, name, parent string, all []value.Value) (*response, error) {
	spec, err := q.readQuery()
	if err != nil {
		return nil, err
	}
	size, err := q.pageSize()
	if err != nil {
		return nil, err
	}
	documents, next, err := execution.ListResources(q.ctx(), spec, all, size, q.header("X-Ms-Continuation"))
	if err != nil {
		return nil, err
	}
	resp := q.feed(name, parent, documents, charge.QueryRU)
	if next != "" {
		resp.set("X-Ms-Continuation", next)
	}
	return resp, nil
}
