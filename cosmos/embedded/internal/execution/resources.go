package execution

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// ListResources runs a query over databases, containers or offers for one page. next is the
// continuation token of the next page; empty if this is the last.
func ListResources(
	ctx context.Context,
	spec *Query,
	all []value.Value,
	size int,
	token string,
) (documents [][]byte, next string, err error) {
	stmt := spec.Statement
	if stmt.Distinct || stmt.Grouped() || stmt.Joined() {
		return nil, "", apierror.BadRequest("Aggregates, DISTINCT and JOIN are not supported here.")
	}
	after, err := resourceAfter(token, spec)
	if err != nil {
		return nil, "", err
	}
	slices.SortFunc(all, func(a, b value.Value) int {
		for _, o := range stmt.OrderBy {
			x, y := query.Eval(o.Path, a, nil), query.Eval(o.Path, b, nil)
			if o.Desc {
				x, y = y, x
			}
			if c := value.Compare(x, y); c != 0 {
				return c
			}
		}
		return value.Compare(a.Member("id"), b.Member("id"))
	})
	if after != "" {
		if all, err = following(all, after, len(stmt.OrderBy) > 0); err != nil {
			return nil, "", err
		}
	}
	r := &Page{spec: spec, stmt: stmt, remaining: -1, PageOptions: PageOptions{Size: len(all) + 1},
		env: query.NewEnv(ctx, stmt, spec.Params)}
	if err := r.limits(); err != nil {
		return nil, "", err
	}
	if stmt.Constant() {
		all = []value.Value{{}}
	}
	last, more := "", false
	for _, v := range all {
		if r.env.Bind(v); !r.env.Passes(stmt.Where) || r.remaining == 0 {
			continue
		}
		if more = len(r.Documents) == size; more {
			break
		}
		last = v.Member("id").Str()
		if err := r.row(); err != nil {
			return nil, "", err
		}
	}
	if err := r.env.Err(); err != nil {
		return nil, "", err
	}
	if more {
		return r.Documents, resourceToken(last, spec), nil
	}
	return r.Documents, "", nil
}

// resourceToken returns the continuation token after the resource with an id.
func resourceToken(id string, spec *Query) string {
	return fmt.Sprintf("%x.%s", spec.Statement.Fingerprint(), base64.RawURLEncoding.EncodeToString([]byte(id)))
}

// resourceAfter is the inverse of resourceToken.
func resourceAfter(token string, spec *Query) (id string, err error) {
	if token == "" {
		return "", nil
	}
	_, encoded, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || len(text) == 0 || resourceToken(string(text), spec) != token {
		return "", errContinuation()
	}
	return string(text), nil
}

// following returns the resources after the one with an id. If that resource was deleted, its
// position is still known in the order of ids, but lost in any other order.
func following(all []value.Value, id string, ordered bool) ([]value.Value, error) {
	is := func(v value.Value) bool { return v.Member("id").Str() == id }
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i+1:], nil
	}
	if ordered {
		return nil, errContinuation()
	}
	i := slices.IndexFunc(all, func(v value.Value) bool { return v.Member("id").Str() > id })
	if i < 0 {
		i = len(all)
	}
	return all[i:], nil
}
