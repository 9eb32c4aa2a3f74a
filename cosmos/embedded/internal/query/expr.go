package query

import (
	"fmt"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// keywords are the reserved words, without regard to case. A reserved word cannot be an alias, a
// label, or a property name after a dot. They are the keywords of Microsoft's grammar (sql.g4 in
// azure-cosmos-dotnet-v3) that its rule for identifiers excludes. In the grammar the constants and
// udf are in lower case only.
var keywords = [...]string{
	"AND", "ARRAY", "AS", "ASC", "BETWEEN", "BY", "DESC", "DISTINCT", "ESCAPE", "EXISTS", "FROM", "GROUP", "IN", "JOIN",
	"LEFT", "LIKE", "LIMIT", "NOT", "OFFSET", "OR", "ORDER", "RANK", "RIGHT", "SELECT", "TOP", "VALUE", "WHERE",
}

func isKeyword(word string) bool {
	switch word {
	case "false", "null", "true", "udf", "undefined":
		return true
	}
	for _, k := range keywords {
		if strings.EqualFold(k, word) {
			return true
		}
	}
	return false
}

// binding lists the binary operators by increasing precedence.
var binding = [...][]string{
	{"??"}, {"OR"}, {"AND"},
	nil, // comparisons, parsed by comparison
	{"||"}, {"|"}, {"^"}, {"&"}, {"<<", ">>", ">>>"}, {"+", "-"}, {"*", "/", "%"},
}

const comparisonLevel = 3

func tooDeep() error { return &Error{Code: "SC1003", Message: "The query is nested too deeply."} }

func (p *parser) expression() (Expr, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, tooDeep()
	}
	defer func() { p.depth-- }()
	e, err := p.binary(0)
	if err != nil || !p.accept("?") {
		return e, err
	}
	then, err := p.expression()
	if err != nil {
		return nil, err
	}
	if err := p.expect(":"); err != nil {
		return nil, err
	}
	other, err := p.expression()
	return &Cond{If: e, Then: then, Else: other}, err
}

func (p *parser) binary(level int) (Expr, error) {
	switch level {
	case comparisonLevel:
		return p.comparison()
	case len(binding):
		return p.unary()
	}
	return p.chain(level, func() (Expr, error) { return p.binary(level + 1) })
}

// chain parses operands joined by the operators of one precedence. The operators of a level with a
// single operator are associative. Their operands become a balanced tree, so that a query with a
// thousand alternatives is not a thousand levels deep.
func (p *parser) chain(level int, operand func() (Expr, error)) (Expr, error) {
	left, err := operand()
	list := []Expr{left}
	for n := 0; err == nil; n++ {
		op, ok := p.operator(level)
		if !ok {
			return Balance(binding[level][0], list), nil
		}
		if err = p.countLogical(op); err != nil {
			break
		}
		var right Expr
		if right, err = operand(); err != nil {
			break
		}
		if len(binding[level]) == 1 {
			list = append(list, right)
			continue
		}
		list[0] = &Binary{Op: op, L: list[0], R: right}
		err = p.deepen(n)
	}
	return nil, err
}

// countLogical counts the AND and OR operators of the query.
func (p *parser) countLogical(op string) error {
	switch op {
	case "AND":
		p.ands++
	case "OR":
		p.ors++
	}
	if max(p.ands, p.ors) > maxLogical {
		return &Error{Code: "SC3002",
			Message: fmt.Sprintf("The query exceeds the maximum number of %s operators allowed, %d.", op, maxLogical)}
	}
	return nil
}

// Balance joins the operands of an associative operator to a balanced tree.
func Balance(op string, list []Expr) Expr {
	switch {
	case len(list) == 1:
		return list[0]
	case op == "||":
		return &Concat{Parts: list}
	}
	half := len(list) / 2
	return &Binary{Op: op, L: Balance(op, list[:half]), R: Balance(op, list[half:])}
}

// deepen counts operators that make an expression deeper without nesting: all but the first in a
// chain that is evaluated from left to right.
func (p *parser) deepen(before int) error {
	if before == 0 {
		return nil
	}
	if p.chained++; p.chained > maxChained {
		return &Error{Code: "SC1003", Message: "The query has too many operators in a row."}
	}
	return nil
}

func (p *parser) operator(level int) (string, bool) {
	for _, op := range binding[level] {
		if p.accept(op) {
			return op, true
		}
	}
	return "", false
}

func (p *parser) comparison() (Expr, error) {
	left, err := p.binary(comparisonLevel + 1)
	for n := 0; err == nil; n++ {
		t := p.cur()
		switch {
		case t.kind == tokSymbol && isComparison(t.text):
			p.advance()
			op := t.text
			if op == "<>" {
				op = "!="
			}
			var right Expr
			right, err = p.binary(comparisonLevel + 1)
			left = &Binary{Op: op, L: left, R: right}
		case t.is("NOT"):
			p.advance()
			left, err = p.membership(left)
			left = &Unary{Op: "NOT", X: left}
		case t.is("IN"), t.is("BETWEEN"), t.is("LIKE"):
			left, err = p.membership(left)
		default:
			return left, nil
		}
		if err == nil {
			err = p.deepen(n)
		}
	}
	return nil, err
}

func isComparison(op string) bool {
	switch op {
	case "=", "!=", "<>", "<", "<=", ">", ">=":
		return true
	}
	return false
}

// membership parses IN, BETWEEN or LIKE after the left operand.
func (p *parser) membership(x Expr) (Expr, error) {
	switch {
	case p.accept("IN"):
		if err := p.expect("("); err != nil {
			return nil, err
		}
		list, err := p.list(")")
		switch {
		case err == nil && len(list) == 0:
			err = p.unexpected()
		case len(list) > maxIn:
			err = &Error{Code: "SC3002",
				Message: fmt.Sprintf("An IN list exceeds the maximum number of entries allowed, %d.", maxIn)}
		}
		return &In{X: x, List: list}, err
	case p.accept("BETWEEN"):
		lo, err := p.binary(comparisonLevel + 1)
		if err != nil {
			return nil, err
		}
		if err := p.expect("AND"); err != nil {
			return nil, err
		}
		hi, err := p.binary(comparisonLevel + 1)
		return &Between{X: x, Lo: lo, Hi: hi}, err
	case p.accept("LIKE"):
		pattern, err := p.binary(comparisonLevel + 1)
		if err != nil || !p.accept("ESCAPE") {
			return &Like{X: x, Pattern: pattern}, err
		}
		escape := p.cur()
		if escape.kind != tokString {
			return nil, p.unexpected()
		}
		p.advance()
		return &Like{X: x, Pattern: pattern, Escape: &Literal{Value: value.OfString(escape.text)}}, nil
	}
	return nil, p.unexpected()
}

// unary parses an operand with its prefix operators, including NOT. As in sql.g4, NOT has a higher
// precedence than comparisons, so NOT c.a = 1 means (NOT c.a) = 1.
func (p *parser) unary() (Expr, error) {
	op := ""
	for _, o := range []string{"-", "+", "~", "NOT"} {
		if p.cur().is(o) {
			op = o
		}
	}
	if op == "" {
		return p.postfix()
	}
	p.advance()
	if p.depth++; p.depth > maxNesting {
		return nil, tooDeep()
	}
	defer func() { p.depth-- }()
	x, err := p.unary()
	if lit, ok := x.(*Literal); ok && err == nil {
		if op == "-" && lit.Infinite != "" {
			return lit.negative(), nil
		}
		return &Literal{Value: unary(op, lit.Value)}, nil
	}
	return &Unary{Op: op, X: x}, err
}
