package embedded

import (
	"strings"
	"testing"
)

func TestSlowBatchIsUndone(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	e.batchTime = -1 // the second operation exceeds the time
	batch := `[{"operationType":"Create","resourceBody":{"id":"1","pk":"a"}},{"operationType":"Create",` +
		`"resourceBody":{"id":"2","pk":"a"}}]`
	a := send(t, e, "POST", docs, batch, atomicBatch("a")...).want(t, 207)
	if !strings.Contains(a.body, `{"statusCode":424,`) || !strings.Contains(a.body, `{"statusCode":408,`) {
		t.Errorf("answered %s", a.body)
	}
	send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 404)
	e.batchTime = maxBatchTime
	send(t, e, "POST", docs, batch, atomicBatch("a")...).want(t, 200)
}
