package query

import (
	"fmt"
	"strings"
)

// MaxText is the longest query that is read, in bytes.
const MaxText = 512 << 10

// maxNesting bounds the depth of an expression, and so the parser's stack.
const maxNesting = 200

// maxChained bounds the operators that deepen an expression without nesting it, and so
// the stack of whoever walks or evaluates it.
const maxChained = 2000

// Parse reads a query.
func Parse(text string) (*Statement, error) {
	if len(text) > MaxText {
		return nil, &Error{Code: "SC1002", Message: "The SQL query text exceeded the maximum limit of 524288 bytes."}
	}
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	if len(tokens) == 1 {
		return nil, &Error{Code: "SC1002", Message: "The query is empty."}
	}
	p := &parser{tokens: tokens, stmt: new(Statement)}
	p.findAlias()
	if err := p.statement(); err != nil {
		return nil, err
	}
	return p.stmt, p.check()
}

// ParseCondition reads the condition of a patch: FROM c WHERE <predicate>.
func ParseCondition(text string) (*Statement, error) {
	if !strings.HasPrefix(strings.ToUpper(strings.TrimSpace(text)), "FROM") {
		return nil, &Error{Code: "SC1001", Message: "A condition begins with FROM."}
	}
	stmt, err := Parse("SELECT * " + text)
	if err != nil {
		return nil, err
	}
	if stmt.Where == nil || len(stmt.OrderBy) > 0 || stmt.Offset != nil {
		return nil, &Error{Code: "SC1001", Message: "A condition is FROM <alias> WHERE <predicate>."}
	}
	return stmt, nil
}

type parser struct {
	tokens  []token
	pos     int
	depth   int
	chained int // see deepen
	stmt    *Statement
}

func (p *parser) cur() token { return p.tokens[p.pos] }

func (p *parser) advance() token {
	t := p.tokens[p.pos]
	if t.kind != tokEnd {
		p.pos++
	}
	return t
}

// accept passes the next token if it is word.
func (p *parser) accept(word string) bool {
	if p.cur().is(word) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) expect(word string) error {
	if !p.accept(word) {
		return p.unexpected()
	}
	return nil
}

func (p *parser) unexpected() error {
	t := p.cur()
	if t.kind == tokEnd {
		return &Error{Code: "SC1001", Message: "Syntax error, incorrect syntax near the end of the query.",
			Start: t.start, End: max(t.end, 1)}
	}
	return &Error{Code: "SC1001", Message: fmt.Sprintf("Syntax error, incorrect syntax near '%s'.", t.text),
		Start: t.start, End: t.end}
}

// findAlias looks ahead for what FROM calls the items, as the projection that comes
// before it is to be resolved.
func (p *parser) findAlias() {
	for i, t := range p.tokens {
		if !t.is("FROM") || i > 0 && p.tokens[i-1].is(".") || i+1 >= len(p.tokens) || p.tokens[i+1].kind != tokIdent {
			continue
		}
		p.stmt.Alias = p.tokens[i+1].text
		next := p.tokens[i+2]
		if next.is("AS") {
			next = p.tokens[i+3]
		}
		if next.kind == tokIdent && !isKeyword(next.text) {
			p.stmt.Alias = next.text
		}
		return
	}
}

func (p *parser) statement() error {
	s := p.stmt
	if err := p.expect("SELECT"); err != nil {
		return err
	}
	if err := p.projection(); err != nil {
		return err
	}
	if p.accept("FROM") {
		if err := p.from(); err != nil {
			return err
		}
	}
	var err error
	if p.accept("WHERE") {
		if s.Where, err = p.expression(); err != nil {
			return err
		}
		if hasAggregate(s.Where) {
			return unsupported("An aggregate in WHERE")
		}
	}
	if p.cur().is("GROUP") {
		return unsupported("GROUP BY")
	}
	if p.accept("ORDER") {
		if err := p.orderBy(); err != nil {
			return err
		}
	}
	if p.accept("OFFSET") {
		if s.Offset, err = p.count(); err != nil {
			return err
		}
		if err := p.expect("LIMIT"); err != nil {
			return err
		}
		if s.Limit, err = p.count(); err != nil {
			return err
		}
	}
	if p.cur().kind != tokEnd {
		return p.unexpected()
	}
	return nil
}

func (p *parser) projection() (err error) {
	s := p.stmt
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
		item := Item{Expr: e}
		if path, ok := e.(*Path); ok && len(path.Steps) > 0 && !path.Steps[len(path.Steps)-1].IsIndex {
			item.Label = path.Steps[len(path.Steps)-1].Name
		} else if ok && len(path.Steps) == 0 {
			item.Label = s.Alias
		}
		if p.accept("AS") {
			if p.cur().kind != tokIdent && p.cur().kind != tokString {
				return p.unexpected()
			}
			item.Label = p.advance().text
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

func (p *parser) from() error {
	if p.cur().kind != tokIdent {
		return p.unexpected()
	}
	p.advance()
	if p.cur().is(".") || p.cur().is("[") || p.cur().is("IN") {
		return unsupported("FROM a property")
	}
	named := p.accept("AS")
	if t := p.cur(); t.kind == tokIdent && (named || !isKeyword(t.text)) {
		p.advance()
	} else if named {
		return p.unexpected()
	}
	if p.cur().is("JOIN") || p.cur().is(",") {
		return unsupported("JOIN")
	}
	return nil
}

func (p *parser) orderBy() error {
	if err := p.expect("BY"); err != nil {
		return err
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
				Message: "Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path."}
		}
		o := Order{Path: path}
		if o.Desc = p.accept("DESC"); !o.Desc {
			p.accept("ASC")
		}
		p.stmt.OrderBy = append(p.stmt.OrderBy, o)
		if !p.accept(",") {
			return nil
		}
	}
}

// count reads the argument of TOP, OFFSET or LIMIT: a number or a parameter.
func (p *parser) count() (Expr, error) {
	e, err := p.primary()
	if err != nil {
		return nil, err
	}
	switch e.(type) {
	case *Literal, *Param:
		return e, nil
	}
	return nil, p.unexpected()
}

// check refuses what is well formed but means nothing or is not served.
func (p *parser) check() error {
	s := p.stmt
	if s.Alias == "" && (s.Star || s.Where != nil || len(s.OrderBy) > 0) {
		return &Error{Code: "SC2001", Message: "'SELECT *' and filters are only valid with a FROM clause."}
	}
	if s.Top != nil && s.Offset != nil {
		return &Error{Code: "SC1001", Message: "TOP and OFFSET LIMIT cannot be used together."}
	}
	labels := make(map[string]bool, len(s.Items))
	for _, item := range s.Items {
		if !s.Value && labels[item.Label] {
			return &Error{Code: "SC2022", Message: fmt.Sprintf("The property name '%s' is used more than once.", item.Label)}
		}
		labels[item.Label] = true
		if _, top := item.Expr.(*Aggregate); hasAggregate(item.Expr) && !(s.Value && top) && s.Value {
			return unsupported("An expression over an aggregate")
		}
	}
	if s.Aggregate() != nil && (s.Distinct || len(s.OrderBy) > 0) {
		return unsupported("DISTINCT or ORDER BY with an aggregate")
	}
	if s.Distinct && len(s.OrderBy) > 0 {
		return unsupported("DISTINCT with ORDER BY")
	}
	return nil
}
