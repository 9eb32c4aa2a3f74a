package storm

import (
	"strconv"

	"inkfeed/cosmos/costs"
	"inkfeed/web/cli/systemtest/harness"
)

// addCharge adds the charge of an answer of the engine.
func (p *faultProxy) addCharge(header string) {
	charge, err := strconv.ParseFloat(header, 64)
	if err != nil {
		return // the engine states no charge, or the connection was cut
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.charged += charge
}

// minExplained is the least share of the charged request units that /admin/costs must explain. The proxies lose many
// answers, whose charges are estimates. maxStated is the greatest share that it may explain without these: an estimate
// also counts a request that was not carried out, and the more answers are late, the more requests are estimated.
const minExplained, maxStated = 0.99, 1.0001

// checkCosts checks that the stored costs explain the request units that the engine charged to the processes, after
// these have ended. A killed process loses its last minute, so such a storm is not checked.
func (s *storm) checkCosts() {
	s.t.Helper()
	charged := 0.0
	for _, p := range s.proxies {
		p.mu.Lock()
		charged += p.charged
		p.mu.Unlock()
	}
	for _, span := range costs.Spans() {
		total := s.storedCosts(span)
		explained := (total.Charge - s.costsBefore[span].Charge) / charged
		estimated := (total.Estimated - s.costsBefore[span].Estimated) / charged
		s.t.Logf("the engine charged %.0f RU; the figures of the %s explain %.2f %% of them, %.2f %% by estimates",
			charged, span, 100*explained, 100*estimated)
		if s.kills == 0 && (explained < minExplained || explained-estimated > maxStated) {
			s.t.Errorf("the figures of the %s explain %.2f %% of the charged request units, %.2f %% by estimates",
				span, 100*explained, 100*estimated)
		}
	}
}

// storedCosts returns the sums of all stored intervals of a span.
func (s *storm) storedCosts(span costs.Span) (total costs.Figures) {
	s.t.Helper()
	store, closeStore := harness.OpenStore(s.t, s.env)
	defer closeStore()
	intervals, err := store.Costs.Intervals(s.t.Context(), span)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, i := range intervals {
		total.Add(i.Total())
	}
	return total
}
