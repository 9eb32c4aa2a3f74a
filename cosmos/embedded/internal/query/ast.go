// Package query reads Cosmos DB's SQL and divides the work of answering it between
// SQLite and Go.
//
// A query is parsed once to a Statement. For each request, Compile turns as much of
// the WHERE clause as SQLite can decide exactly into a SQL condition over the columns
// that the engine keeps beside each item (sort keys of the indexed paths, id, the
// partition key); what remains is evaluated in Go on the items that SQLite finds, as
// are joins, subqueries, groups and projections. Both follow the same rules:
// three-valued logic in which undefined is neither true nor false; values of different
// types are unequal, and an order between them is undefined.
//
// Plan describes a query to clients that merge the answers of several partitions
// themselves, with the text of the query that they are to send to each.
package query

import (
	"fmt"
	"hash/fnv"
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
	Alias    string    // what FROM calls the items as a whole; "" if it does not bind them
	From     []*Source // empty without FROM; the first and those of JOIN
	Where    Expr      // nil: all
	GroupBy  []Expr
	OrderBy  []Order
	Offset   Expr // nil: none
	Limit    Expr // set if and only if Offset is

	aggregates []*Aggregate // of the items, each once
	calls      []*Call      // of the whole query, subqueries included; of the outermost statement only
	slots      int          // that evaluation needs; of the outermost statement only
	print      uint32       // see Fingerprint
	system     bool         // see NeedsSystem
}

// Item is a projected expression and its name.
type Item struct {
	Expr  Expr
	Label string
}

// Source is what FROM or JOIN iterates over: the items, a value at a path, the elements
// of an array, or the rows of a subquery.
type Source struct {
	Alias    string
	Path     *Path      // nil for a subquery
	Elements bool       // IN: the elements of the array at Path, or of those that are the rows
	Sub      *Statement // nil for a path
	slot     int        // that its values are bound to
}

// isItem tells whether the source is the items themselves.
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
	// Path is a property of what an alias stands for, or that itself if it has no steps.
	Path struct {
		Root  string // the alias
		Steps []Step
		slot  int // of the alias; 0 is the item
	}
	// Step is a member name, or an index if Name is "" and IsIndex.
	Step struct {
		Name    string
		Index   int
		IsIndex bool
	}
	// Index is a member or element of X that is named by Key.
	Index struct{ X, Key Expr }
	// Unary is NOT, -, + or ~.
	Unary struct {
		Op string
		X  Expr
	}
	// Binary has as Op a comparison, AND, OR, an arithmetic or bitwise operator or ??.
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
		fn   *function
	}
	// Aggregate is COUNT, SUM, MIN, MAX, AVG or COUNTIF of Arg over the rows of a group.
	Aggregate struct {
		Name  string
		Arg   Expr
		index int // among those of its statement
	}
	// Subquery is a statement within an expression. Kind says what becomes of its rows:
	// "" their only one, EXISTS whether there are any, ARRAY all of them.
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
	// groupKey stands in the items of a grouped statement for what it is grouped by.
	groupKey struct {
		index int
		of    Expr // as it was written
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

// Volatile tells whether the function may return another value each time.
func (c *Call) Volatile() bool { return c.fn.volatile }

// ItemPath returns e as a path of the item, if it is one.
func ItemPath(e Expr) (*Path, bool) {
	p, ok := e.(*Path)
	return p, ok && p.slot == 0
}

// Constant tells whether the query has no FROM, and so just one row.
func (s *Statement) Constant() bool { return len(s.From) == 0 }

// Grouped tells whether rows are gathered: by GROUP BY, by aggregates, or both.
func (s *Statement) Grouped() bool { return len(s.GroupBy) > 0 || len(s.aggregates) > 0 }

// Joined tells whether one item can make another number of rows than one.
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

// Fingerprint tells queries apart by all that decides on the order and the number of their
// rows but WHERE: clients that go on with a query may narrow that.
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

// Calls lists the function calls of the query, those of its subqueries included.
func (s *Statement) Calls() []*Call { return s.calls }

// NeedsSystem tells whether the query reads the item as a whole or a property that
// the engine keeps outside of the stored body, which all begin with an underscore.
func (s *Statement) NeedsSystem() bool { return s.system }

func (s *Statement) findSystem() {
	s.walk(func(e Expr) {
		if p, ok := ItemPath(e); ok && (len(p.Steps) == 0 || strings.HasPrefix(p.Steps[0].Name, "_")) {
			s.system = true
		}
	})
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
	return len(Flatten("AND", s.Where, nil))
}
