// Package query parses and evaluates Cosmos DB's SQL.
//
// A query is parsed once to a Statement. Package pushdown turns the part of its WHERE clause that
// SQLite can decide exactly into a SQL condition. This package evaluates the rest in Go on the
// items that SQLite finds, as well as joins, subqueries, groups and projections. Both follow the
// same rules: the logic is three-valued, and undefined is neither true nor false; values of
// different types are unequal and not ordered.
//
// Plan describes a query to clients that merge the results of several partitions themselves, with
// the text of the query that they send to each partition.
package query

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// Statement is a parsed query, or a subquery. It is immutable and may be shared.
type Statement struct {
	Distinct bool
	Top      Expr // nil: none
	Star     bool // SELECT *
	Value    bool // SELECT VALUE Items[0]
	Items    []Item
	Alias    string    // alias of the first source; "" if FROM does not bind the item
	From     []*Source // the source of FROM and those of JOIN; empty without FROM
	Where    Expr      // nil: all
	GroupBy  []Expr
	OrderBy  []Order
	Offset   Expr // nil: none
	Limit    Expr // set if and only if Offset is

	aggregates []*Aggregate // aggregates in Items, each once
	calls      []*Call      // calls of the whole query including subqueries; set only for the outermost statement
	slots      int          // number of slots for evaluation; set only for the outermost statement
	print      uint32       // see Fingerprint
	system     bool         // see NeedsSystem
}

// Item is a projected expression with its name.
type Item struct {
	Expr  Expr
	Label string
}

// Source is a source of FROM or JOIN: the items, the value at a path, the elements of an array, or
// the rows of a subquery.
type Source struct {
	Alias    string
	Path     *Path      // nil for a subquery
	Elements bool       // IN: the elements of the array at Path, or of the arrays that Sub returns
	Sub      *Statement // nil for a path
	slot     int        // slot to which its values are bound
}

// isItem reports whether the source is the item itself.
func (s *Source) isItem() bool { return s.slot == 0 }

// Order is a sort key.
type Order struct {
	Path *Path
	Desc bool
}

// Expr is a scalar expression: one of the pointer types below.
type Expr interface{ expr() }

type (
	// Literal is a constant. Infinite is "NaN", "Infinity" or "-Infinity" for a number that JSON
	// does not have. The Value of such a literal is undefined, and only ToString tells it from
	// other undefined values.
	Literal struct {
		Value    value.Value
		Infinite string
	}
	// Param is a parameter; Name begins with @.
	Param struct{ Name string }
	// Path is a property below an alias, or the alias itself if it has no steps.
	Path struct {
		Root  string // the alias
		Steps []Step
		slot  int // slot of the alias; 0 is the item
	}
	// Step is a member name, or an index if Name is "" and IsIndex.
	Step struct {
		Name    string
		Index   int
		IsIndex bool
	}
	// Index is the member or element of X with the key Key.
	Index struct{ X, Key Expr }
	// Unary is NOT, -, + or ~.
	Unary struct {
		Op string
		X  Expr
	}
	// Binary applies the operator Op: a comparison, AND, OR, ??, or an arithmetic or bitwise
	// operator.
	Binary struct {
		Op   string
		L, R Expr
	}
	// Concat concatenates Parts, by || or by CONCAT.
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
	// Call is a call of a built-in function; Name is in upper case.
	Call struct {
		Name string
		Args []Expr
		fn   *function
	}
	// Aggregate is COUNT, SUM, MIN, MAX, AVG or COUNTIF of Arg over the rows of a group.
	Aggregate struct {
		Name  string
		Arg   Expr
		index int // position among the aggregates of its statement
	}
	// Subquery is a statement within an expression. Kind determines its value: "" is its only row,
	// EXISTS is whether it has rows, ARRAY is all of its rows.
	Subquery struct {
		Kind string
		Stmt *Statement
	}
	// MakeArray is an array constructor.
	MakeArray struct{ Elems []Expr }
	// MakeObject is an object constructor.
	MakeObject struct {
		Names  []string
		Values []Expr
	}
	// groupKey replaces an expression of GROUP BY in the items of a statement.
	groupKey struct {
		index int
		of    Expr // the original expression
	}
)

func (*Literal) expr()    {}
func (*Param) expr()      {}
func (*Path) expr()       {}
func (*Index) expr()      {}
func (*Unary) expr()      {}
func (*Binary) expr()     {}
func (*Concat) expr()     {}
func (*In) expr()         {}
func (*Between) expr()    {}
func (*Like) expr()       {}
func (*Cond) expr()       {}
func (*Call) expr()       {}
func (*Aggregate) expr()  {}
func (*Subquery) expr()   {}
func (*MakeArray) expr()  {}
func (*MakeObject) expr() {}
func (*groupKey) expr()   {}

// negative returns an infinite literal with its sign changed. NaN has no sign and stays the same.
func (l *Literal) negative() *Literal {
	sign := map[string]string{"Infinity": "-Infinity", "-Infinity": "Infinity", "NaN": "NaN"}
	return &Literal{Infinite: sign[l.Infinite]}
}

// Volatile reports whether the function can return different values for the same arguments.
func (c *Call) Volatile() bool { return c.fn.volatile }

// ItemPath returns e as a path of the item and whether it is one.
func ItemPath(e Expr) (*Path, bool) {
	p, ok := e.(*Path)
	return p, ok && p.slot == 0
}

// Constant reports whether the query has no FROM and thus a single row.
func (s *Statement) Constant() bool { return len(s.From) == 0 }

// Grouped reports whether the query aggregates rows, by GROUP BY or by aggregates.
func (s *Statement) Grouped() bool { return len(s.GroupBy) > 0 || len(s.aggregates) > 0 }

// Joined reports whether the number of rows can differ from the number of items.
func (s *Statement) Joined() bool {
	return len(s.From) > 1 || len(s.From) == 1 && !s.From[0].isItem()
}

// ValueAggregate returns the aggregate of a SELECT VALUE <aggregate> query, or nil.
func (s *Statement) ValueAggregate() *Aggregate {
	if !s.Value {
		return nil
	}
	a, _ := s.Items[0].Expr.(*Aggregate)
	return a
}

// Fingerprint distinguishes queries by everything that determines the order and number of their
// rows except WHERE, because clients may narrow WHERE between pages.
func (s *Statement) Fingerprint() uint32 { return s.print }

func (s *Statement) fingerprint() uint32 {
	var w writer
	rest := *s
	rest.Where = nil
	w.statement(&rest, " ")
	h := fnv.New32a()
	h.Write([]byte(w.String()))
	return h.Sum32()
}

// Calls returns the function calls of the query and of its subqueries.
func (s *Statement) Calls() []*Call { return s.calls }

// NeedsSystem reports whether the query reads the whole item or a property that is not stored in
// the body. Such properties begin with an underscore.
func (s *Statement) NeedsSystem() bool { return s.system }

func (s *Statement) findSystem() {
	s.walk(func(e Expr) {
		if p, ok := ItemPath(e); ok && (len(p.Steps) == 0 || strings.HasPrefix(p.Steps[0].Name, "_")) {
			s.system = true
		}
	})
}

// HasIndex reports whether the path leads through an element of an array.
func (p *Path) HasIndex() bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.IsIndex })
}

// String formats the path as a JSON pointer, as in pushdown.Schema. It writes an index as ~[n], which differs from
// every member name, because each tilde in a name is escaped as ~0.
func (p *Path) String() string {
	var b strings.Builder
	for _, s := range p.Steps {
		b.WriteByte('/')
		if s.IsIndex {
			fmt.Fprintf(&b, "~[%d]", s.Index)
			continue
		}
		b.WriteString(pointerEscaper.Replace(s.Name))
	}
	return b.String()
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// Predicates returns the number of conditions that WHERE joins by AND.
func (s *Statement) Predicates() int {
	if s.Where == nil {
		return 0
	}
	return len(Flatten("AND", s.Where, nil))
}
