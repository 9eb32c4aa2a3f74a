package embedded

import (
	"fmt"
	"strings"
	"testing"
)

func TestPlanCacheIsBoundedByBytes(t *testing.T) {
	p := newPlanCache()
	for i := range 10 {
		if _, err := p.parse(fmt.Sprintf("SELECT * FROM c WHERE c.id = '%s%d'", strings.Repeat("x", maxPlanText), i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.stmts) != 0 {
		t.Errorf("%d long texts are kept", len(p.stmts))
	}
	const short = "SELECT * FROM c"
	first, _ := p.parse(short)
	if again, _ := p.parse(short); first == nil || again != first {
		t.Error("a short text was parsed again")
	}
}

func TestRowLongerThanAPageIsRefused(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	create(t, e, `{"id":"1","pk":"a","x":"`+strings.Repeat("x", 1<<20)+`"}`).want(t, 201)
	ask := func(n int) answer {
		sql := "SELECT 1"
		for i := range n {
			sql += fmt.Sprintf(", c.x AS x%d", i)
		}
		return send(t, e, "POST", docs, `{"query":"`+sql+` FROM c"}`, append(pk("a"), "Content-Type", "application/query+json")...)
	}
	ask(3).want(t, 200)
	ask(5).want(t, 400)
}
