package embedded

import (
	"fmt"
	"strings"
	"testing"
)

// TestConditionsOfPatchesAreLimited sends patches whose conditions join the elements of an array.
// The writer evaluates them, so a condition that takes too much work is refused.
func TestConditionsOfPatchesAreLimited(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	create(t, e, `{"id":"1","pk":"a","n":1,"x":[`+list(2000, func(i int) string { return fmt.Sprint(i + 1) })+`]}`).
		want(t, 201)
	const heavy = "EXISTS(SELECT VALUE 1 FROM a IN c.x JOIN b IN c.x JOIN d IN c.x WHERE a+b+d=0)"
	patch := func(condition string) string {
		return fmt.Sprintf(`{"condition":"from c where %s","operations":[{"op":"incr","path":"/n","value":1}]}`,
			condition)
	}
	t.Run("a condition within the limit decides", func(t *testing.T) {
		send(t, e, "PATCH", docs+"/1", patch("EXISTS(SELECT VALUE 1 FROM a IN c.x WHERE a = 0)"), pk("a")...).
			want(t, 412)
		a := send(t, e, "PATCH", docs+"/1", patch("EXISTS(SELECT VALUE 1 FROM a IN c.x WHERE a = 2000)"), pk("a")...).
			want(t, 200)
		if !strings.Contains(a.body, `"n":2`) {
			t.Errorf("%.100s", a.body)
		}
	})
	t.Run("a patch beyond the limit is a bad request", func(t *testing.T) {
		a := send(t, e, "PATCH", docs+"/1", patch(heavy), pk("a")...).want(t, 400)
		if !strings.Contains(a.body, "more work than one request may") {
			t.Errorf("answered %s", a.body)
		}
	})
	t.Run("a batch beyond the limit changes nothing", func(t *testing.T) {
		a := batch(`{"operationType":"Create","resourceBody":{"id":"2","pk":"a"}},`+
			`{"operationType":"Patch","id":"1","resourceBody":`+patch(heavy)+`}`).send(t, e).want(t, 207)
		if !strings.Contains(a.body, `{"statusCode":424,`) || !strings.Contains(a.body, `{"statusCode":400,`) {
			t.Errorf("answered %s", a.body)
		}
		send(t, e, "GET", docs+"/2", "", pk("a")...).want(t, 404)
	})
}
