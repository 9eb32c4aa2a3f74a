package embedded

import (
	"net/http"
	"strconv"
	"time"

	"inkfeed/cosmos/embedded/internal/value"
)

const maxBatchOps = 100

// maxBatchTime is how long a batch may hold the writer: the service's limit too. Within
// the other limits there are batches that would take minutes.
const maxBatchTime = 5 * time.Second

// batchOp is an operation of a batch as it was read. If it is refused already, that is
// its result, once the operations before it have gone well.
type batchOp struct {
	itemOp
	refused error
}

// executeBatch runs a transactional batch: all operations or none.
func (e *Engine) executeBatch(q *request) (*response, error) {
	if !isTrue(q.header("X-Ms-Cosmos-Batch-Atomic")) {
		return e.executeBulk(q)
	}
	c, p, key, err := q.item()
	if err != nil {
		return nil, err
	}
	ops, err := q.readBatch(c, func(*container, value.Value) ([]value.Value, error) { return key, nil })
	if err != nil {
		return nil, err
	}
	results := make([]itemResult, 0, len(ops))
	var failed error
	var lsn int64
	size := 0
	for i := range ops {
		size += ops[i].bytes()
	}
	err = e.writer.submit(&write{ctx: q.ctx(), rows: len(ops), bytes: size, multi: true, apply: func(t *txn) error {
		c, err := t.current(c.num)
		if err != nil {
			return err
		}
		p = p.moved(c)
		q.rng = p.rng
		began := time.Now()
		for i := range ops {
			result, err := itemResult{}, ops[i].refused
			if err == nil {
				err = t.ctx.Err() // a batch may take the writer long enough for its client to go
			}
			if err == nil && i > 0 && time.Since(began) > e.batchTime {
				err = failure(http.StatusRequestTimeout, subNone, "The batch took too long, so no changes were made.")
			}
			if err == nil {
				result, err = t.applyItem(c, p, &ops[i].itemOp)
			}
			if err != nil {
				failed = err
				return err
			}
			results = append(results, result)
		}
		lsn = t.nextLSN(p.rng)
		if t.rng == nil {
			lsn--
		}
		return nil
	}})
	if isRefusal(failed) {
		return q.batchFailed(ops, results, failed)
	}
	if err != nil {
		return nil, err
	}
	body := []byte{'['}
	total := 0.0
	withItems := !minimal(q.header("Prefer"))
	for i, r := range results {
		total += r.charge
		if i > 0 {
			body = append(body, ',')
		}
		body = appendResult(body, r, c, withItems)
	}
	q.spend(p.rng, total)
	resp := q.respond(http.StatusOK, append(body, ']'), total)
	q.sessionAt(resp, lsn)
	return resp, nil
}

// readBatch reads the operations. What is wrong with the request as a whole is an
// error; what is wrong with one operation is that operation's result.
func (q *request) readBatch(c *container, keyOf func(*container, value.Value) ([]value.Value, error)) ([]batchOp, error) {
	text, err := q.readBody()
	if err != nil {
		return nil, err
	}
	list, err := value.ParseWithin(text, maxWrappedDepth)
	if err != nil {
		return nil, badRequest("The batch is not valid: %v.", err)
	}
	if list.Kind() != value.Array || len(list.Elems()) == 0 {
		return nil, badRequest("A batch is a list of at least one operation.")
	}
	if len(list.Elems()) > maxBatchOps {
		return nil, badRequest("Batch request has more operations than what is supported: %d, not %d.", len(list.Elems()), maxBatchOps)
	}
	ops := make([]batchOp, len(list.Elems()))
	for i, entry := range list.Elems() {
		if entry.Kind() != value.Object {
			return nil, badRequest("An operation of a batch is not a JSON object.")
		}
		key, err := keyOf(c, entry)
		if err == nil {
			err = ops[i].read(c, key, entry)
		}
		ops[i].refused = err
	}
	return ops, nil
}

var batchKinds = map[string]opKind{
	"Create": opCreate, "Upsert": opUpsert, "Replace": opReplace, "Patch": opPatch, "Delete": opDelete, "Read": opRead,
}

// read checks one operation against the partition key of the batch.
func (op *batchOp) read(c *container, key []value.Value, entry value.Value) error {
	kind, ok := batchKinds[entry.Member("operationType").Str()]
	if !ok {
		return badRequest("The operation type %s is not supported.", entry.Member("operationType").JSON())
	}
	op.kind = kind
	for _, member := range []struct {
		name string
		to   *string
	}{{"id", &op.id}, {"ifMatch", &op.ifMatch}, {"ifNoneMatch", &op.ifNoneMatch}} {
		if err := readText(entry, member.name, member.to); err != nil {
			return err
		}
	}
	if op.id == "" && kind != opCreate && kind != opUpsert {
		return badRequest("The operation names no item.")
	}
	body := entry.Member("resourceBody")
	switch kind {
	case opCreate, opUpsert, opReplace:
		doc, err := newDocument(c, body)
		if err != nil {
			return err
		}
		if kind == opReplace && doc.id != op.id {
			return badRequest("The id of the item is not the one that the operation addresses.")
		}
		op.doc = doc
		return checkKey(c, body, key)
	case opPatch:
		patch, err := readPatch(c, body)
		op.patch = patch
		return err
	}
	return nil
}

// readText reads a member that may be missing. Anything but text is refused: an etag that
// was passed over would make the operation unconditional.
func readText(entry value.Value, name string, to *string) error {
	v := entry.Member(name)
	if v.Kind() > value.Null && v.Kind() != value.String {
		return badRequest("The member %s of an operation is not text.", name)
	}
	*to = v.Str()
	return nil
}

// appendResult writes the result of an operation that went well.
func appendResult(b []byte, r itemResult, c *container, withItem bool) []byte {
	b = strconv.AppendInt(append(b, `{"statusCode":`...), int64(r.status), 10)
	b = strconv.AppendFloat(append(b, `,"requestCharge":`...), r.charge, 'f', -1, 64)
	if r.item != nil {
		b = value.AppendString(append(b, `,"eTag":`...), r.item.etag())
		if withItem && r.status != http.StatusNotModified {
			b = append(append(b, `,"resourceBody":`...), r.item.render(c, false)...)
		}
	}
	return append(b, '}')
}

// appendFailure writes the result of an operation that was not done, but for its end.
func appendFailure(b []byte, status, substatus int, charge float64) []byte {
	b = strconv.AppendInt(append(b, `{"statusCode":`...), int64(status), 10)
	if substatus != subNone {
		b = strconv.AppendInt(append(b, `,"substatusCode":`...), int64(substatus), 10)
	}
	return strconv.AppendFloat(append(b, `,"requestCharge":`...), charge, 'f', -1, 64)
}

// batchFailed answers for a batch of which one operation failed and all were undone.
func (q *request) batchFailed(ops []batchOp, done []itemResult, failed error) (*response, error) {
	e, meant := asAPIError(failed)
	if !meant {
		return nil, failed
	}
	body := []byte{'['}
	total := 0.0
	for i := range ops {
		status, cost := http.StatusFailedDependency, failureUnits*writeUnit
		switch {
		case i < len(done):
			cost = done[i].charge
		case i == len(done):
			status = e.status
			cost = max(e.units, failureUnits) * writeUnit
		case ops[i].doc != nil:
			cost = float64(ops[i].doc.units) * writeUnit
		}
		if i <= len(done) {
			total += cost
		}
		if i > 0 {
			body = append(body, ',')
		}
		substatus := subNone
		if i == len(done) {
			substatus = e.substatus
		}
		body = append(appendFailure(body, status, substatus, cost), '}')
	}
	q.spend(q.rng, total)
	r := q.respond(http.StatusMultiStatus, append(body, ']'), total)
	if e.substatus != 0 {
		r.set("X-Ms-Substatus", strconv.Itoa(e.substatus))
	}
	return r, nil
}
