package execution

import (
	"sync"

	"inkfeed/cosmos/embedded/internal/query"
)

// Bounds of the parsed statements that are kept, which take many times their text.
const (
	maxPlans    = 1000
	maxPlanText = 8 << 10
)

// planCache keeps parsed statements by their text. An application has few, with
// parameters; when there are many, all are dropped, for none is likely to come again.
type PlanCache struct {
	mu    sync.RWMutex
	stmts map[string]*query.Statement
}

func NewPlanCache() *PlanCache { return &PlanCache{stmts: make(map[string]*query.Statement)} }

func (p *PlanCache) Parse(text string) (*query.Statement, error) {
	p.mu.RLock()
	stmt, ok := p.stmts[text]
	p.mu.RUnlock()
	if ok {
		return stmt, nil
	}
	stmt, err := query.Parse(text)
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
