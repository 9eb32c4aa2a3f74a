package query

import (
	"fmt"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// keywords are the reserved words, in any case. A reserved word cannot be an alias, a label or a property name after a
// dot. These are the keywords of Microsoft's grammar (sql.g4 in azure-cosmos-dotnet-v3) that its rule for identifiers
// leaves out. In the grammar the constants and udf are in lower case only.
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

// binding is how tightly the binary operators bind; the loosest comes first.
var binding = [...][]string{
	{"??"}, {"OR"}, {"AND"},
	nil, // the comparisons, which are read by comparison
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

// chain reads operands joined by the operators of one level. A level of one operator is
// associative, and so becomes a balanced tree: a query that names a thousand items is not
// a thousand levels deep.
func (p *parser) chain(level int, operand func() (Expr, error)) (Expr, error) {
	left, err := operand()
	list := []Expr{left}
	for n := 0; err == nil; n++ {
		op, ok := p.operator(level)
		if !ok {
			return balance(binding[level][0], list), nil
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

// balance joins the operands of an associative operator.
func balance(op string, list []Expr) Expr {
	switch {
	case len(list) == 1:
		return list[0]
	case op == "||":
		return &Concat{Parts: list}
	}
	half := len(list) / 2
	return &Binary{Op: op, L: balance(op, list[:half]), R: balance(op, list[half:])}
}

// deepen counts the operators that make an expression deeper without nesting: all but
// the first of a chain that is read from left to right.
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

// membership reads IN, BETWEEN or LIKE after their left side.
func (p *parser) membership(x Expr) (Expr, error) {
	switch {
	case p.accept("IN"):
		if err := p.expect("("); err != nil {
			return nil, err
		}
		list, err := p.list(")")
		if err == nil && len(list) == 0 {
			err = p.unexpected()
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

// unary reads an operand with the operators before it. NOT is one of these operators. As in sql.g4
// it binds tighter than the comparisons, so NOT c.a = 1 means (NOT c.a) = 1.
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

// postfix reads an operand and the member and element accesses after it.
func (p *parser) postfix() (Expr, error) {
	e, err := p.primary()
	for n := 0; err == nil && (p.cur().is(".") || p.cur().is("[")); n++ {
		var step Step
		var key Expr
		if step, key, err = p.step(); err != nil {
			break
		}
		if path, ok := e.(*Path); ok && key == nil {
			path.Steps = append(path.Steps, step)
			continue
		}
		if key == nil {
			key = &Literal{Value: step.value()}
		}
		e = &Index{X: e, Key: key}
		err = p.deepen(n)
	}
	return e, err
}

func (s Step) value() value.Value {
	if s.IsIndex {
		return value.OfInt(int64(s.Index))
	}
	return value.OfString(s.Name)
}

// step reads one access. Its key is an expression unless it is a constant.
func (p *parser) step() (Step, Expr, error) {
	if p.advance().is(".") {
		name, err := p.name()
		return Step{Name: name}, nil, err
	}
	start := p.cur()
	key, err := p.expression()
	if err != nil {
		return Step{}, nil, err
	}
	if err := p.expect("]"); err != nil {
		return Step{}, nil, err
	}
	lit, ok := key.(*Literal)
	if !ok {
		return Step{}, key, nil
	}
	if lit.Value.Kind() == value.String {
		return Step{Name: lit.Value.Str()}, nil, nil
	}
	if i, ok := lit.Value.Int(); ok && i >= 0 && i <= 1<<31 {
		return Step{Index: int(i), IsIndex: true}, nil, nil
	}
	return Step{}, nil, &Error{Code: "SC1001", Message: fmt.Sprintf("Syntax error, incorrect syntax near '%s'.", start.text),
		Start: start.start, End: start.end}
}

// name reads an identifier that is not reserved.
func (p *parser) name() (string, error) {
	if t := p.cur(); t.kind != tokIdent || isKeyword(t.text) {
		return "", p.unexpected()
	}
	return p.advance().text, nil
}

func (p *parser) list(end string) ([]Expr, error) {
	var list []Expr
	if p.accept(end) {
		return nil, nil
	}
	for {
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		if p.accept(end) {
			return list, nil
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
}

func (p *parser) primary() (Expr, error) {
	t := p.advance()
	switch t.kind {
	case tokNumber:
		return &Literal{Value: number(t.text)}, nil
	case tokString:
		return &Literal{Value: value.OfString(t.text)}, nil
	case tokParam:
		return &Param{Name: t.text}, nil
	case tokIdent:
		return p.identifier(t)
	case tokSymbol:
		switch t.text {
		case "(":
			if p.cur().is("SELECT") {
				return p.subquery("")
			}
			e, err := p.expression()
			if err != nil {
				return nil, err
			}
			return e, p.expect(")")
		case "[":
			list, err := p.list("]")
			return &MakeArray{Elems: list}, err
		case "{":
			return p.objectLiteral()
		}
	}
	if t.kind != tokEnd {
		p.pos--
	}
	return nil, p.unexpected()
}

func (p *parser) identifier(t token) (Expr, error) {
	switch {
	case t.text == "true":
		return &Literal{Value: value.OfBool(true)}, nil
	case t.text == "false":
		return &Literal{Value: value.OfBool(false)}, nil
	case t.text == "null":
		return &Literal{Value: value.NullValue()}, nil
	case t.text == "undefined":
		return &Literal{}, nil
	case t.text == "NaN", t.text == "Infinity":
		return &Literal{Infinite: t.text}, nil
	case t.text == "udf" && p.accept("."):
		return nil, p.userDefined()
	case t.is("EXISTS"):
		if err := p.expect("("); err != nil {
			return nil, err
		}
		return p.subquery("EXISTS")
	case t.is("ARRAY") && p.accept("("):
		return p.subquery("ARRAY")
	case p.cur().is("("):
		p.advance()
		return p.call(t)
	case isKeyword(t.text):
		p.pos--
		return nil, p.unexpected()
	}
	path := &Path{Root: t.text}
	p.scope.names = append(p.scope.names, name{path, t, p.scope.visible})
	return path, nil
}

// subquery reads a statement after its opening parenthesis.
func (p *parser) subquery(kind string) (Expr, error) {
	stmt, err := p.statement()
	if err != nil {
		return nil, err
	}
	return &Subquery{Kind: kind, Stmt: stmt}, p.expect(")")
}

func (p *parser) call(t token) (Expr, error) {
	args, err := p.list(")")
	if err != nil {
		return nil, err
	}
	name := strings.ToUpper(t.text)
	if aggregates[name] != "" {
		if len(args) != 1 || hasAggregate(args[0]) {
			return nil, wrongArguments(t, 1, 1)
		}
		return &Aggregate{Name: name, Arg: args[0]}, nil
	}
	fn, ok := functions[name]
	if !ok {
		return nil, &Error{Code: "SC2005", Start: t.start, End: t.end,
			Message: fmt.Sprintf("'%s' is not a recognized built-in function name.", t.text)}
	}
	if len(args) < fn.min || len(args) > fn.max {
		return nil, wrongArguments(t, fn.min, fn.max)
	}
	if name == "CONCAT" {
		return &Concat{Parts: args}, nil
	}
	if name == "TOSTRING" {
		if lit, ok := args[0].(*Literal); ok && lit.Infinite != "" {
			return &Literal{Value: value.OfString(lit.Infinite)}, nil
		}
	}
	call := &Call{Name: name, Args: args, fn: fn}
	p.calls = append(p.calls, call)
	return call, nil
}

// wrongArguments is the error of a call whose number of arguments is not between least and most.
func wrongArguments(t token, least, most int) error {
	count := fmt.Sprint(least)
	if most > least {
		count = fmt.Sprintf("%d to %d", least, most)
	}
	return &Error{Code: "SC2050", Start: t.start, End: t.end,
		Message: fmt.Sprintf("The %s function requires %s argument(s).", strings.ToUpper(t.text), count)}
}

// userDefined is the error of a call to a user-defined function; "udf." has been read. Containers
// of this engine have none.
func (p *parser) userDefined() error {
	t := p.cur()
	if _, err := p.name(); err != nil {
		return err
	}
	return &Error{Code: "SC2005", Start: t.start, End: t.end,
		Message: fmt.Sprintf(
			"The user-defined function '%s' does not exist: this engine has no user-defined functions.",
			t.text,
		)}
}

func (p *parser) objectLiteral() (Expr, error) {
	obj := new(MakeObject)
	if p.accept("}") {
		return obj, nil
	}
	for {
		label := p.cur()
		if label.kind == tokString {
			p.advance()
		} else if _, err := p.name(); err != nil {
			return nil, err
		}
		if err := p.expect(":"); err != nil {
			return nil, err
		}
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		obj.Names = append(obj.Names, label.text)
		obj.Values = append(obj.Values, e)
		if p.accept("}") {
			return obj, nil
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
}
