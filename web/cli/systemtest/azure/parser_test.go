package azure

import (
	"fmt"
	"slices"
	"strconv"
)

// The parser reads the part of Bicep that docs/azure uses, and panics on anything else. The complete syntax is checked
// by tree-sitter's grammar in make bicep.

// bicepFile is a parsed file.
type bicepFile struct {
	path       string
	parameters map[string]*parameter
	variables  map[string]expression
	resources  map[string]*declaration
	modules    map[string]*declaration
	outputs    map[string]expression
	order      []string // names of resources and modules
}

// parameter is a parameter of a file.
type parameter struct {
	kind       string // string, int, bool, array or object
	value      expression
	decorators map[string][]expression
}

// declaration is a resource or a module.
type declaration struct {
	kind      string // a type with its version, or a path
	existing  bool
	condition expression // nil: always
	body      expression // an object, or an array of a loop
	line      int
}

// expression computes a value within a scope.
type expression func(*scope) any

type parser struct {
	tokens []token
}

func (p *parser) peek() token {
	if len(p.tokens) == 0 {
		return token{}
	}
	return p.tokens[0]
}

func (p *parser) next() token {
	t := p.peek()
	if len(p.tokens) > 0 {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) fail(t token, want string) {
	panic(fmt.Sprintf("line %d: %q, want %s", t.line, t.text, want))
}

// is reports whether the next token is a word or an operator.
func (p *parser) is(text string) bool {
	t := p.peek()
	return (t.kind == 'p' || t.kind == 'w') && t.text == text
}

// accept skips a word or operator if it is next.
func (p *parser) accept(text string) bool {
	ok := p.is(text)
	if ok {
		p.next()
	}
	return ok
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail(p.peek(), text)
	}
}

func (p *parser) word() string {
	t := p.next()
	if t.kind != 'w' {
		p.fail(t, "a name")
	}
	return t.text
}

// literal reads a string without expressions.
func (p *parser) literal() string {
	t := p.next()
	if t.kind != 's' || len(t.parts) != 1 {
		p.fail(t, "a plain string")
	}
	return t.parts[0].text
}

func (p *parser) breaks() {
	for p.peek().kind == '\n' {
		p.next()
	}
}

func (p *parser) end() {
	if t := p.next(); t.kind != '\n' && t.kind != 0 {
		p.fail(t, "the end of a line")
	}
}

// parse reads a whole file.
func parse(path, source string) *bicepFile {
	f := &bicepFile{path: path, parameters: map[string]*parameter{}, variables: map[string]expression{},
		resources: map[string]*declaration{}, modules: map[string]*declaration{}, outputs: map[string]expression{}}
	p := &parser{tokens: tokens(source, 1)}
	decorators := map[string][]expression{}
	for p.breaks(); p.peek().kind != 0; p.breaks() {
		if p.accept("@") {
			name := p.word()
			p.expect("(")
			decorators[name] = p.list(")")
			continue
		}
		f.statement(p, decorators)
		p.end()
		decorators = map[string][]expression{}
	}
	return f
}

func (f *bicepFile) statement(p *parser, decorators map[string][]expression) {
	t := p.peek()
	switch p.word() {
	case "targetScope":
		p.expect("=")
		p.literal()
	case "param":
		name := f.declare(p)
		param := &parameter{kind: p.kind(), decorators: decorators}
		if p.accept("=") {
			param.value = p.expression()
		}
		f.parameters[name] = param
	case "var":
		name := f.declare(p)
		p.expect("=")
		f.variables[name] = p.expression()
	case "output":
		name := p.word()
		p.kind()
		p.expect("=")
		f.outputs[name] = p.expression()
	case "resource":
		name := f.declare(p)
		d := &declaration{kind: p.literal(), line: t.line, existing: p.accept("existing")}
		f.resources[name] = p.body(d)
		f.order = append(f.order, name)
	case "module":
		name := f.declare(p)
		f.modules[name] = p.body(&declaration{kind: p.literal(), line: t.line})
		f.order = append(f.order, name)
	default:
		p.fail(t, "a statement")
	}
}

// declare reads a name that the file does not have yet.
func (f *bicepFile) declare(p *parser) string {
	t := p.peek()
	name := p.word()
	if f.parameters[name] != nil || f.variables[name] != nil || f.resources[name] != nil || f.modules[name] != nil {
		p.fail(t, "a new name")
	}
	return name
}

func (p *parser) kind() string {
	t := p.peek()
	kind := p.word()
	if !slices.Contains([]string{"string", "int", "bool", "array", "object"}, kind) {
		p.fail(t, "a type")
	}
	return kind
}

// body reads the object of a resource or module, with its condition or loop.
func (p *parser) body(d *declaration) *declaration {
	p.expect("=")
	if p.accept("if") {
		p.expect("(")
		d.condition = p.expression()
		p.expect(")")
	}
	if !p.is("{") && !p.is("[") {
		p.fail(p.peek(), "{ or [")
	}
	d.body = p.primary()
	return d
}

// expression reads an expression. The operators are those that docs/azure uses.
func (p *parser) expression() expression {
	condition := p.operand()
	saved := p.tokens
	p.breaks()
	if !p.accept("?") {
		p.tokens = saved
		return condition
	}
	p.breaks()
	yes := p.expression()
	p.breaks()
	p.expect(":")
	p.breaks()
	no := p.expression()
	return func(s *scope) any {
		if truth(condition(s)) {
			return yes(s)
		}
		return no(s)
	}
}

// operand reads an expression without an operator of three operands.
func (p *parser) operand() expression {
	if p.accept("!") {
		value := p.operand()
		return func(s *scope) any { return !truth(value(s)) }
	}
	value := p.primary()
	for {
		object := value
		switch {
		case p.accept("."):
			member := p.word()
			value = func(s *scope) any { return memberOf(object(s), member) }
		case p.accept("["):
			index := p.expression()
			p.expect("]")
			value = func(s *scope) any { return elementOf(object(s), index(s)) }
		case p.is("!"):
			p.next() // the value is not null
		default:
			return value
		}
	}
}

func (p *parser) primary() expression {
	t := p.next()
	switch {
	case t.kind == 's':
		return func(s *scope) any { return join(s, t.parts) }
	case t.kind == 'n':
		n, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			p.fail(t, "a number")
		}
		return func(*scope) any { return n }
	case t.kind == 'p' && t.text == "{":
		return p.object()
	case t.kind == 'p' && t.text == "[":
		if p.breaks(); p.accept("for") {
			return p.loop()
		}
		items := p.list("]")
		return func(s *scope) any { return all(s, items) }
	case t.kind != 'w':
		p.fail(t, "an expression")
	case t.text == "true" || t.text == "false":
		return func(*scope) any { return t.text == "true" }
	case t.text == "null":
		return func(*scope) any { return nil }
	case p.accept("("):
		arguments := p.list(")")
		return func(s *scope) any { return s.call(t, all(s, arguments)) }
	}
	return func(s *scope) any { return s.lookup(t) }
}

// list reads expressions up to a closing bracket. Commas or line breaks separate them.
func (p *parser) list(closing string) (items []expression) {
	for p.breaks(); !p.accept(closing); p.breaks() {
		items = append(items, p.expression())
		if p.breaks(); !p.is(closing) {
			p.accept(",")
		}
	}
	return items
}

func (p *parser) object() expression {
	var keys, values []expression
	for p.breaks(); !p.accept("}"); p.breaks() {
		t := p.next()
		switch t.kind {
		case 'w':
			keys = append(keys, func(*scope) any { return t.text })
		case 's':
			keys = append(keys, func(s *scope) any { return join(s, t.parts) })
		default:
			p.fail(t, "a key")
		}
		p.expect(":")
		values = append(values, p.expression())
		p.accept(",")
	}
	return func(s *scope) any {
		object := make(map[string]any)
		for i, key := range keys {
			name := fmt.Sprint(key(s))
			if _, twice := object[name]; twice {
				panic("the key " + name + " is there twice")
			}
			object[name] = values[i](s)
		}
		return object
	}
}

// loop reads a loop after its keyword, up to the closing bracket.
func (p *parser) loop() expression {
	item, index := "", ""
	if p.accept("(") {
		item = p.word()
		p.expect(",")
		index = p.word()
		p.expect(")")
	} else {
		item = p.word()
	}
	p.expect("in")
	list := p.expression()
	p.expect(":")
	body := p.expression()
	p.breaks()
	p.expect("]")
	return func(s *scope) any {
		values := []any{}
		for i, value := range list(s).([]any) {
			values = append(values, body(s.with(map[string]any{item: value, index: float64(i)})))
		}
		return values
	}
}
