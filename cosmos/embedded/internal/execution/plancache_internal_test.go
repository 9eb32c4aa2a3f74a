package execution

import (
	"fmt"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/query"
)

func TestPlanCacheIsBoundedByBytes(t *testing.T) {
	p := NewPlanCache(query.Parse)
	for i := range 10 {
		if _, err := p.Parse(fmt.Sprintf("SELECT * FROM c WHERE c.id = '%s%d'", strings.Repeat("x", maxPlanText),
			i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.stmts) != 0 {
		t.Errorf("%d plans of long texts are cached", len(p.stmts))
	}
	const short = "SELECT * FROM c"
	first, _ := p.Parse(short)
	if again, _ := p.Parse(short); first == nil || again != first {
		t.Error("a short text was parsed again")
	}
}
