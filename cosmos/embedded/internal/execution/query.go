package execution

import (
	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// Query is a parsed query with its parameters.
type Query struct {
	Text      string
	Statement *query.Statement
	Params    query.Params
}

// ReadParams parses the parameters in the body of a query.
func ReadParams(list value.Value) (query.Params, error) {
	if list.Kind() > value.Null && list.Kind() != value.Array {
		return nil, apierror.BadRequest("The parameters of a query must be an array.")
	}
	params := make(query.Params, len(list.Elems()))
	for _, p := range list.Elems() {
		name := p.Member("name").Str()
		if len(name) < 2 || name[0] != '@' {
			return nil, apierror.BadRequest("The parameter name %s does not begin with @.", p.Member("name").JSON())
		}
		if _, ok := params[name]; ok {
			return nil, apierror.BadRequest("The parameter %s is given more than once.", name)
		}
		params[name] = p.Member("value")
	}
	return params, nil
}
