package query

import (
	"fmt"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// postfix parses an operand followed by member and element accesses.
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

// step parses one access. The result is a key expression unless the key is constant.
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
	return Step{}, nil, &Error{Code: "SC1001", Message: fmt.Sprintf("Syntax error, incorrect syntax near '%s'.",
		start.text),
		Start: start.start, End: start.end}
}

// name parses an identifier that is not reserved.
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

// subquery parses a statement after its opening parenthesis.
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

// wrongArguments returns the error of a call whose number of arguments is not between least and
// most.
func wrongArguments(t token, least, most int) error {
	count := fmt.Sprint(least)
	if most > least {
		count = fmt.Sprintf("%d to %d", least, most)
	}
	return &Error{Code: "SC2050", Start: t.start, End: t.end,
		Message: fmt.Sprintf("The %s function requires %s argument(s).", strings.ToUpper(t.text), count)}
}

// userDefined returns the error of a call of a user-defined function, after "udf.". Containers of
// this engine have none.
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
