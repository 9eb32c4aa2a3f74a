package query

import "fmt"

// maxJoins bounds the JOINs of a query, subqueries included. The account tells clients.
const maxJoins = 10

// from reads the sources after FROM.
func (p *parser) from(s *Statement) error {
	if err := p.source(s); err != nil {
		return err
	}
	if first := s.From[0]; first.isItem() {
		s.Alias = first.Alias
	}
	for p.accept("JOIN") {
		if p.joins++; p.joins > maxJoins {
			return &Error{Code: "SC3002", Message: fmt.Sprintf("The query exceeds the maximum number of joins allowed, %d.", maxJoins)}
		}
		if err := p.source(s); err != nil {
			return err
		}
	}
	return nil
}

// source reads one source: alias IN path, path alias, or (subquery) alias.
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
				Message: fmt.Sprintf("The input alias '%s' is specified more than once in the FROM clause.", source.Alias)}
		}
	}
	s.From = append(s.From, source)
	return nil
}

// alias reads what follows a source: a name for it, if there is one.
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

// sourcePath reads a path, whose beginning is the container in the first source of a
// query, whatever it is called, and an alias everywhere else.
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
