// Package query reads Cosmos DB's SQL and divides the work of answering it between
// SQLite and Go.
//
// A query is parsed once to a Statement. For each request, Compile turns as much of
// the WHERE clause as SQLite can decide exactly into a SQL condition over the columns
// that the engine keeps beside each item (sort keys of the indexed paths, id, the
// partition key); what remains is evaluated in Go on the items that SQLite finds, as
// are projections. Both follow the same rules: three-valued logic in which undefined
// is neither true nor false, and comparisons across types are undefined.
package query

import (
	"fmt"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// Statement is a parsed query. It is immutable and may be shared.
type Statement struct {
	Distinct bool
	Top      Expr // nil: none
	Star     bool // SELECT *
	Value    bool // SELECT VALUE Items[0]
	Items    []Item
	Alias    string // what FROM calls the items; "" without FROM
	Where    Expr   // nil: all
	OrderBy  []Order
	Offset   Expr // nil: none
	Limit    Expr // set if and only if Offset is
}

// Item is a projected expression and its name.
type Item struct {
	Expr  Expr
	Label string
}

// Order is a sort key.
type Order struct {
	Path *Path
	Desc bool
}

// Expr is a scalar expression: one of the pointer types below.
type Expr interface{ expr() }

type (
	// Literal is a constant.
	Literal struct{ Value value.Value }
	// Param is a parameter; Name begins with @.
	Param struct{ Name string }
	// Path is a property of the item, or the item itself if it has no steps.
	Path struct{ Steps []Step }
	// Step is a member name, or an index if Name is "" and IsIndex.
	Step struct {
		Name    string
		Index   int
		IsIndex bool
	}
	// Unary is NOT, - or +.
	Unary struct {
		Op string
		X  Expr
	}
	// Binary has as Op a comparison, AND, OR, an arithmetic operator or ??.
	Binary struct {
		Op   string
		L, R Expr
	}
	// Concat is Parts joined, by || or by CONCAT.
	Concat struct{ Parts []Expr }
	// In is X IN (List...).
	In struct {
		X    Expr
		List []Expr
	}
	// Between is X BETWEEN Lo AND Hi.
	Between struct{ X, Lo, Hi Expr }
	// Like is X LIKE Pattern ESCAPE Escape.
	Like struct{ X, Pattern, Escape Expr }
	// Cond is If ? Then : Else.
	Cond struct{ If, Then, Else Expr }
	// Call is a function applied to arguments; Name is in upper case.
	Call struct {
		Name string
		Args []Expr
		fn   function
	}
	// Aggregate is COUNT, SUM, MIN, MAX or AVG of Arg over all items.
	Aggregate struct {
		Name string
		Arg  Expr
	}
	// MakeArray is an array constructor.
	MakeArray struct{ Elems []Expr }
	// MakeObject is an object constructor.
	MakeObject struct {
		Names  []string
		Values []Expr
	}
)

func (*Literal) expr()    {}
func (*Param) expr()      {}
func (*Path) expr()       {}
func (*Unary) expr()      {}
func (*Binary) expr()     {}
func (*Concat) expr()     {}
func (*In) expr()         {}
func (*Between) expr()    {}
func (*Like) expr()       {}
func (*Cond) expr()       {}
func (*Call) expr()       {}
func (*Aggregate) expr()  {}
func (*MakeArray) expr()  {}
func (*MakeObject) expr() {}

// Aggregate returns the aggregate of a SELECT VALUE <aggregate> query, or nil.
func (s *Statement) Aggregate() *Aggregate {
	if !s.Value {
		return nil
	}
	a, _ := s.Items[0].Expr.(*Aggregate)
	return a
}

// NeedsSystem tells whether the query reads the item as a whole or a property that
// the engine keeps outside of the stored body, which all begin with an underscore.
func (s *Statement) NeedsSystem() bool {
	found := false
	check := func(e Expr) {
		if p, ok := e.(*Path); ok && (len(p.Steps) == 0 || strings.HasPrefix(p.Steps[0].Name, "_")) {
			found = true
		}
	}
	for _, item := range s.Items {
		walk(item.Expr, check)
	}
	if s.Where != nil {
		walk(s.Where, check)
	}
	return found
}

// Grouped tells whether the query aggregates without SELECT VALUE.
func (s *Statement) Grouped() bool {
	for _, item := range s.Items {
		if !s.Value && hasAggregate(item.Expr) {
			return true
		}
	}
	return false
}

// String writes a path as a JSON pointer, the form in which a Schema names it.
func (p *Path) String() string {
	var b strings.Builder
	for _, s := range p.Steps {
		b.WriteByte('/')
		if s.IsIndex {
			fmt.Fprintf(&b, "[%d]", s.Index)
			continue
		}
		b.WriteString(pointerEscaper.Replace(s.Name))
	}
	return b.String()
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// Predicates counts the conditions that WHERE joins by AND.
func (s *Statement) Predicates() int {
	if s.Where == nil {
		return 0
	}
	return len(flatten("AND", s.Where, nil))
}
