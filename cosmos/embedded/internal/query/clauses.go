package query

import "fmt"

// maxJoins is the maximum number of JOINs in a query with its subqueries. The account document
// tells clients.
const maxJoins = 10

// from parses the sources after FROM.
func (p *parser) from(s *Statement) error {
	if err := p.source(s); err != nil {
		return err
	}
	if first := s.From[0]; first.isItem() {
		s.Alias = first.Alias
	}
	for p.accept("JOIN") {
		if p.joins++; p.joins > maxJoins {
			return &Error{Code: "SC3002",
				Message: fmt.Sprintf("The query exceeds the maximum number of joins allowed, %d.", maxJoins)}
		}
		if err := p.source(s); err != nil {
			return err
		}
	}
	return nil
}

// source parses one source: alias IN path, path alias, or (subquery) alias.
func (p *parser) source(s *Statement) error {
	source := &Source{slot: p.slots}
	p.slots++
	p.scope.visible = len(s.From)
	defer func() { p.scope.visible = -1 }()
	start := p.cur()
	var err error
	switch {
	case start.kind == tokIdent && !isKeyword(start.text) && p.tokens[p.pos+1].is("IN"):
		source.Alias, source.Elements = p.advance().text, true
		p.advance()
		if p.cur().is("(") {
			err = p.sourceQuery(source)
		} else {
			err = p.sourcePath(s, source)
		}
	case start.is("("):
		if err = p.sourceQuery(source); err == nil {
			source.Alias, err = p.alias("")
		}
	default:
		if err = p.sourcePath(s, source); err == nil {
			source.Alias, err = p.alias(labelOf(source.Path))
		}
	}
	if err != nil {
		return err
	}
	if source.Sub != nil && p.scope.outer == nil && len(s.From) == 0 {
		return unsupported("A subquery over the container")
	}
	for _, other := range s.From {
		if other.Alias == source.Alias && source.Alias != "" {
			return &Error{Code: "SC2011", Start: start.start, End: start.end,
				Message: fmt.Sprintf("The input alias '%s' is specified more than once in the FROM clause.",
					source.Alias)}
		}
	}
	s.From = append(s.From, source)
	return nil
}

// alias parses the optional alias after a source.
func (p *parser) alias(otherwise string) (string, error) {
	if p.accept("AS") {
		return p.name()
	}
	if t := p.cur(); t.kind == tokIdent && !isKeyword(t.text) {
		return p.advance().text, nil
	}
	return otherwise, nil
}

func (p *parser) sourceQuery(source *Source) error {
	p.advance()
	sub, err := p.statement()
	if err != nil {
		return err
	}
	source.Sub = sub
	return p.expect(")")
}

// sourcePath parses a path. In the first source of a query it begins with the container, by any
// name; in other sources with an alias.
func (p *parser) sourcePath(s *Statement, source *Source) error {
	start := p.cur()
	if start.kind != tokIdent || isKeyword(start.text) {
		return p.unexpected()
	}
	p.advance()
	path := &Path{Root: start.text}
	for n := 0; p.cur().is(".") || p.cur().is("["); n++ {
		step, key, err := p.step()
		if err != nil {
			return err
		}
		if key != nil {
			return unsupported("FROM a computed property")
		}
		path.Steps = append(path.Steps, step)
	}
	source.Path = path
	if p.scope.outer == nil && len(s.From) == 0 {
		if !source.Elements && len(path.Steps) == 0 {
			source.slot = 0
		}
		return nil
	}
	p.scope.names = append(p.scope.names, name{path, start, len(s.From)})
	return nil
}

func (p *parser) projection(s *Statement) (err error) {
	s.Distinct = p.accept("DISTINCT")
	if p.accept("TOP") {
		if s.Top, err = p.count(); err != nil {
			return err
		}
	}
	if p.accept("*") {
		s.Star = true
		return nil
	}
	if s.Value = p.accept("VALUE"); s.Value {
		e, err := p.expression()
		s.Items = []Item{{Expr: e}}
		return err
	}
	for unnamed := 1; ; {
		e, err := p.expression()
		if err != nil {
			return err
		}
		item := Item{Expr: e, Label: labelOf(e)}
		if p.accept("AS") {
			if item.Label, err = p.name(); err != nil {
				return err
			}
		} else if t := p.cur(); t.kind == tokIdent && !isKeyword(t.text) {
			item.Label = p.advance().text
		}
		if item.Label == "" {
			item.Label = fmt.Sprintf("$%d", unnamed)
			unnamed++
		}
		s.Items = append(s.Items, item)
		if !p.accept(",") {
			return nil
		}
	}
}

// labelOf returns the implicit name of an expression.
func labelOf(e Expr) string {
	switch e := e.(type) {
	case *Path:
		if len(e.Steps) == 0 {
			return e.Root
		}
		return e.Steps[len(e.Steps)-1].Name
	case *Index:
		if key, ok := e.Key.(*Literal); ok {
			return key.Value.Str()
		}
	}
	return ""
}

func (p *parser) groupBy(s *Statement) error {
	err := p.expect("BY")
	for err == nil {
		var e Expr
		if e, err = p.expression(); err != nil {
			break
		}
		if s.GroupBy = append(s.GroupBy, e); len(s.GroupBy) > maxGroupKeys {
			return &Error{Code: "SC3003", Message: fmt.Sprintf("GROUP BY has more than %d expressions.", maxGroupKeys)}
		}
		if !p.accept(",") {
			return nil
		}
	}
	return err
}

const maxGroupKeys = 100

func (p *parser) orderBy(s *Statement) error {
	if err := p.expect("BY"); err != nil {
		return err
	}
	if t := p.cur(); t.is("RANK") && p.tokens[p.pos+1].kind == tokIdent {
		return unsupported("ORDER BY RANK")
	}
	for {
		start := p.cur()
		e, err := p.expression()
		if err != nil {
			return err
		}
		path, ok := e.(*Path)
		if !ok || len(path.Steps) == 0 {
			return &Error{Code: "SC2104", Start: start.start, End: start.end,
				Message: "Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document " +
					"path."}
		}
		o := Order{Path: path}
		if o.Desc = p.accept("DESC"); !o.Desc {
			p.accept("ASC")
		}
		s.OrderBy = append(s.OrderBy, o)
		if !p.accept(",") {
			return nil
		}
	}
}

// count parses the argument of TOP, OFFSET or LIMIT: a number or a parameter.
func (p *parser) count() (Expr, error) {
	t := p.cur()
	e, err := p.primary()
	if err != nil {
		return nil, err
	}
	switch e := e.(type) {
	case *Literal:
		if n, ok := e.Value.Int(); !ok || n < 0 || n > maxCount {
			return nil, &Error{Code: "SC2060", Start: t.start, End: t.end,
				Message: "The count value provided for a TOP, OFFSET or LIMIT clause must be an integer."}
		}
		return e, nil
	case *Param:
		return e, nil
	}
	p.pos--
	return nil, p.unexpected()
}

// maxCount is the largest argument of TOP, OFFSET and LIMIT.
const maxCount = 1<<32 - 1
