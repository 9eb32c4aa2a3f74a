package query

import (
	"fmt"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// Text formats an expression as SQL that parses to the same expression. Like the service, it puts
// operations in parentheses.
func Text(e Expr) string {
	var w writer
	w.expr(e)
	return w.String()
}

type writer struct{ strings.Builder }

// list writes parts with a separator between them.
func (w *writer) list(parts []Expr, separator string) {
	for i, p := range parts {
		if i > 0 {
			w.WriteString(separator)
		}
		w.expr(p)
	}
}

func (w *writer) all(parts ...any) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			w.WriteString(p)
		case Expr:
			w.expr(p)
		}
	}
}

func (w *writer) expr(e Expr) {
	switch e := e.(type) {
	case *Literal:
		w.literal(e)
	case *Param:
		w.WriteString(e.Name)
	case *Path:
		w.path(e)
	case *Index:
		w.index(e)
	case *Unary:
		op := e.Op
		if op == "NOT" {
			op = "NOT "
		}
		w.all("(", op, e.X, ")")
	case *Binary:
		w.WriteByte('(')
		w.chain(e)
		w.WriteByte(')')
	case *Concat:
		w.WriteByte('(')
		w.list(e.Parts, " || ")
		w.WriteByte(')')
	case *In:
		w.all("(", e.X, " IN (")
		w.list(e.List, ", ")
		w.WriteString("))")
	case *Between:
		w.all("(", e.X, " BETWEEN ", e.Lo, " AND ", e.Hi, ")")
	case *Like:
		w.all("(", e.X, " LIKE ", e.Pattern)
		if e.Escape != nil {
			w.all(" ESCAPE ", e.Escape)
		}
		w.WriteByte(')')
	case *Cond:
		w.all("(", e.If, " ? ", e.Then, " : ", e.Else, ")")
	case *Call:
		w.WriteString(e.Name + "(")
		w.list(e.Args, ", ")
		w.WriteByte(')')
	case *Aggregate:
		w.all(e.Name, "(", e.Arg, ")")
	case *Subquery:
		w.WriteString(e.Kind + "(")
		w.statement(e.Stmt, " ")
		w.WriteByte(')')
	case *MakeArray:
		w.WriteByte('[')
		w.list(e.Elems, ", ")
		w.WriteByte(']')
	case *MakeObject:
		w.object(e.Names, e.Values)
	case *groupKey:
		w.expr(e.of)
	}
}

// chain writes a left-associative chain of operations without recursion.
func (w *writer) chain(e *Binary) {
	if left, ok := e.L.(*Binary); ok && sameLevel(left.Op, e.Op) {
		w.chain(left)
	} else {
		w.expr(e.L)
	}
	w.all(" "+e.Op+" ", e.R)
}

func sameLevel(a, b string) bool {
	if isComparison(a) {
		return isComparison(b)
	}
	for _, level := range binding {
		found := 0
		for _, op := range level {
			if op == a {
				found |= 1
			}
			if op == b {
				found |= 2
			}
		}
		if found > 0 {
			return found == 3
		}
	}
	return false
}

func (w *writer) literal(l *Literal) {
	switch {
	case l.Infinite != "":
		w.WriteString(l.Infinite)
	case !l.Value.Defined():
		w.WriteString("undefined")
	default:
		w.WriteString(l.Value.JSON())
	}
}

func (w *writer) object(names []string, values []Expr) {
	w.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			w.WriteString(", ")
		}
		w.all(quoted(name), ": ", values[i])
	}
	w.WriteByte('}')
}

func quoted(s string) string { return value.OfString(s).JSON() }

func (w *writer) path(p *Path) {
	w.WriteString(p.Root)
	for _, s := range p.Steps {
		switch {
		case s.IsIndex:
			fmt.Fprintf(w, "[%d]", s.Index)
		case isName(s.Name):
			w.WriteString("." + s.Name)
		default:
			w.all("[", quoted(s.Name), "]")
		}
	}
}

// index writes the accesses after the expression that they apply to.
func (w *writer) index(e *Index) {
	if _, literal := e.X.(*Literal); literal {
		w.all("(", e.X, ")") // a dot after a number would be a decimal point
	} else {
		w.expr(e.X)
	}
	w.all("[", e.Key, "]")
}

// isName reports whether a name can follow a dot.
func isName(s string) bool {
	l := lexer{text: s}
	l.word()
	return s != "" && l.pos == len(s) && !isDigit(s[0]) && !isKeyword(s)
}

// statement writes a statement with gap between its clauses.
func (w *writer) statement(s *Statement, gap string) {
	w.WriteString("SELECT ")
	if s.Distinct {
		w.WriteString("DISTINCT ")
	}
	if s.Top != nil {
		w.all("TOP ", s.Top, " ")
	}
	w.projection(s)
	w.tables(s, gap)
	if s.Where != nil {
		w.all(gap, "WHERE ", s.Where)
	}
	w.groupBy(s, gap)
	w.orderBy(s, gap)
	if s.Offset != nil {
		w.all(gap, "OFFSET ", s.Offset, " LIMIT ", s.Limit)
	}
}

func (w *writer) projection(s *Statement) {
	switch {
	case s.Star:
		w.WriteByte('*')
		return
	case s.Value:
		w.all("VALUE ", s.Items[0].Expr)
		return
	}
	unnamed := 1
	for i, item := range s.Items {
		if i > 0 {
			w.WriteString(", ")
		}
		w.expr(item.Expr)
		own := labelOf(item.Expr)
		if own == "" {
			own = fmt.Sprintf("$%d", unnamed)
		}
		if own != item.Label {
			w.WriteString(" AS " + item.Label)
		} else if own[0] == '$' {
			unnamed++
		}
	}
}

func (w *writer) tables(s *Statement, gap string) {
	for i, source := range s.From {
		if i == 0 {
			w.WriteString(gap + "FROM ")
		} else {
			w.WriteString(gap + "JOIN ")
		}
		if source.Elements {
			w.WriteString(source.Alias + " IN ")
		}
		if source.Sub != nil {
			w.WriteByte('(')
			w.statement(source.Sub, " ")
			w.WriteByte(')')
		} else {
			w.path(source.Path)
		}
		if !source.Elements && source.Alias != "" && (source.Sub != nil || source.Alias != labelOf(source.Path)) {
			w.WriteString(" AS " + source.Alias)
		}
	}
}

func (w *writer) groupBy(s *Statement, gap string) {
	if len(s.GroupBy) > 0 {
		w.WriteString(gap + "GROUP BY ")
		w.list(s.GroupBy, ", ")
	}
}

func (w *writer) orderBy(s *Statement, gap string) {
	for i, o := range s.OrderBy {
		if i == 0 {
			w.WriteString(gap + "ORDER BY ")
		} else {
			w.WriteString(", ")
		}
		w.path(o.Path)
		if o.Desc {
			w.WriteString(" DESC")
		} else {
			w.WriteString(" ASC")
		}
	}
}
