package query

import (
	"fmt"
	"strings"
)

// MaxText is the maximum length of a query in bytes.
const MaxText = 512 << 10

// maxNesting is the maximum depth of an expression. It bounds the parser's stack.
const maxNesting = 200

// maxChained is the maximum number of operators that deepen an expression without nesting. It
// bounds the stack of functions that walk or evaluate expressions.
const maxChained = 2000

// maxLogical is the maximum number of AND operators, and of OR operators, in a query with its subqueries. maxIn is the
// maximum number of entries of an IN list. The account document tells clients.
const maxLogical, maxIn = 2000, 16_000

// Parse parses a query.
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
	p := &parser{tokens: tokens, slots: 1}
	stmt, err := p.statement()
	if err != nil {
		return nil, err
	}
	if p.cur().kind != tokEnd {
		return nil, p.unexpected()
	}
	stmt.calls, stmt.slots, stmt.print = p.calls, p.slots, stmt.fingerprint()
	stmt.findSystem()
	return stmt, nil
}

// ParseCondition parses the condition of a patch: FROM c WHERE <predicate>.
func ParseCondition(text string) (*Statement, error) {
	if !strings.HasPrefix(strings.ToUpper(strings.TrimSpace(text)), "FROM") {
		return nil, &Error{Code: "SC1001", Message: "A condition begins with FROM."}
	}
	stmt, err := Parse("SELECT * " + text)
	if err != nil {
		return nil, err
	}
	if stmt.Where == nil || stmt.Alias == "" || stmt.Joined() || len(stmt.GroupBy) > 0 || len(stmt.OrderBy) > 0 ||
		stmt.Offset != nil {
		return nil, &Error{Code: "SC1001", Message: "A condition is FROM <alias> WHERE <predicate>."}
	}
	return stmt, nil
}

type parser struct {
	tokens  []token
	pos     int
	depth   int
	chained int // see deepen
	scope   *scope
	slots   int // number of slots in use
	joins   int
	ands    int
	ors     int
	calls   []*Call
}

// scope is the statement being parsed. Its names are resolved at its end, because the projection
// precedes FROM.
type scope struct {
	stmt    *Statement
	outer   *scope
	names   []name
	visible int // number of sources visible to the current expressions; -1: all
}

// name is a reference to an alias.
type name struct {
	path    *Path
	at      token
	visible int
}

func (p *parser) cur() token { return p.tokens[p.pos] }

func (p *parser) advance() token {
	t := p.tokens[p.pos]
	if t.kind != tokEnd {
		p.pos++
	}
	return t
}

// accept skips the next token if it is word.
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

// statement parses a query or a subquery.
func (p *parser) statement() (*Statement, error) {
	if p.depth++; p.depth > maxNesting {
		return nil, tooDeep()
	}
	defer func() { p.depth-- }()
	s := new(Statement)
	p.scope = &scope{stmt: s, outer: p.scope, visible: -1}
	defer func() { p.scope = p.scope.outer }()
	if err := p.clauses(s); err != nil {
		return nil, err
	}
	if err := p.resolve(); err != nil {
		return nil, err
	}
	return s, p.check(s)
}

func (p *parser) clauses(s *Statement) error {
	err := p.expect("SELECT")
	if err == nil {
		err = p.projection(s)
	}
	if err == nil && p.accept("FROM") {
		err = p.from(s)
	}
	if err == nil && p.accept("WHERE") {
		s.Where, err = p.expression()
	}
	if err == nil && p.accept("GROUP") {
		err = p.groupBy(s)
	}
	if err == nil && p.accept("ORDER") {
		err = p.orderBy(s)
	}
	if err != nil || !p.accept("OFFSET") {
		return err
	}
	if s.Offset, err = p.count(); err != nil {
		return err
	}
	if err = p.expect("LIMIT"); err == nil {
		s.Limit, err = p.count()
	}
	return err
}

// resolve binds the names of the scope. Unknown names are passed on to the enclosing statement.
func (p *parser) resolve() error {
	for _, n := range p.scope.names {
		if p.scope.bind(n.path, n.visible) {
			continue
		}
		outer := p.scope.outer
		if outer == nil {
			return &Error{Code: "SC2001", Start: n.at.start, End: n.at.end,
				Message: fmt.Sprintf("Identifier '%s' could not be resolved.", n.at.text)}
		}
		outer.names = append(outer.names, name{n.path, n.at, outer.visible})
	}
	return nil
}

// bind resolves a path among the first sources; all if visible is -1.
func (s *scope) bind(p *Path, visible int) bool {
	for i, source := range s.stmt.From {
		if visible >= 0 && i >= visible {
			break
		}
		if source.Alias == p.Root && source.Alias != "" {
			p.slot = source.slot
			return true
		}
	}
	return false
}
