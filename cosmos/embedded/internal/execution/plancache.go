package execution

import (
	"sync"

	"inkfeed/cosmos/embedded/internal/query"
)

// Limits of the cache. A parsed statement takes many times the memory of its text.
const (
	maxPlans    = 1000
	maxPlanText = 8 << 10
)

// PlanCache caches parsed statements by their text. An application uses few distinct texts, with
// parameters. When the cache is full it is emptied, because many distinct texts are unlikely to
// recur.
type PlanCache struct {
	parse func(string) (*query.Statement, error)
	mu    sync.RWMutex
	stmts map[string]*query.Statement
}

// NewPlanCache returns an empty cache of what a function parses.
func NewPlanCache(parse func(string) (*query.Statement, error)) *PlanCache {
	return &PlanCache{parse: parse, stmts: make(map[string]*query.Statement)}
}

// Parse parses the text of a query, or returns the cached result.
func (p *PlanCache) Parse(text string) (*query.Statement, error) {
	p.mu.RLock()
	stmt, ok := p.stmts[text]
	p.mu.RUnlock()
	if ok {
		return stmt, nil
	}
	stmt, err := p.parse(text)
	if err != nil || len(text) > maxPlanText {
		return stmt, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.stmts) >= maxPlans {
		clear(p.stmts)
	}
	p.stmts[text] = stmt
	return stmt, nil
}
