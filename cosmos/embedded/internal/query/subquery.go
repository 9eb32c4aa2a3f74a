package query

import "inkfeed/cosmos/embedded/internal/value"

// maxRows is the maximum number of rows that a subquery may hold.
const maxRows = 1_000_000

// subquery evaluates a statement within an expression.
func (e *Env) subquery(s *Subquery) value.Value {
	switch s.Kind {
	case "EXISTS":
		found := false
		e.rows(s.Stmt, func(value.Value) bool {
			found = true
			return false
		})
		return value.OfBool(found)
	case "ARRAY":
		defer e.release(e.held)
		rows := e.collect(s.Stmt)
		left := maxBuilt
		for _, v := range rows {
			if left = v.Spend(left); left < 0 {
				return value.Value{}
			}
		}
		return value.OfArray(rows)
	}
	var only value.Value
	n := 0
	e.rows(s.Stmt, func(v value.Value) bool {
		only = v
		n++
		return n < 2
	})
	if n > 1 {
		e.fail(&Error{Code: "SC3101",
			Message: "The cardinality of a scalar subquery result set cannot be greater than one."})
		return value.Value{}
	}
	return only
}

// collect returns the rows of a subquery and accounts for their memory.
func (e *Env) collect(s *Statement) []value.Value {
	var list []value.Value
	e.rows(s, func(v value.Value) bool {
		if len(list) == maxRows {
			e.fail(tooMuch("A subquery has more rows than there is room for"))
			return false
		}
		list = append(list, v)
		return e.take(v) && e.err == nil
	})
	return list
}

// rows calls yield with the rows of a subquery until it returns false.
func (e *Env) rows(s *Statement, yield func(value.Value) bool) {
	left := e.most(s)
	var seen map[string]bool
	if s.Distinct {
		seen = make(map[string]bool)
	}
	room := maxHeld
	emit := func(v value.Value) bool {
		if !v.Defined() || !e.spend(1) {
			return e.err == nil
		}
		if seen != nil {
			key := string(v.Key())
			if seen[key] {
				return true
			}
			seen[key] = true
			if room -= len(key) + 64; room < 0 {
				e.fail(tooMuch("DISTINCT has more distinct rows than fit into memory"))
				return false
			}
		}
		if left == 0 {
			return false
		}
		left--
		return yield(v) && left != 0
	}
	if left == 0 {
		return
	}
	outer := e.group
	e.group = nil
	defer func() { e.group = outer }()
	if !s.Grouped() {
		e.Rows(s, nil, func(Position) bool {
			return !e.Passes(s.Where) || emit(e.Project(s))
		})
		return
	}
	groups := NewGroups(s)
	e.Rows(s, nil, func(Position) bool {
		if e.Passes(s.Where) {
			groups.Add(e)
		}
		return e.err == nil
	})
	groups.Each(e, emit)
}

// most returns the maximum number of rows of a subquery; -1 means no limit.
func (e *Env) most(s *Statement) int64 {
	if s.Top == nil {
		return -1
	}
	n, ok := e.eval(s.Top).Int()
	if !ok || n < 0 {
		e.fail(&Error{Code: "SC2060", Message: "The argument of TOP is not a whole number from 0."})
	}
	return n
}
