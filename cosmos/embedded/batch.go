package embedded

import (
	"net/http"
	"strconv"
	"time"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/execution"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

const maxBatchOps = 100

// maxBatchTime is how long a batch may occupy the writer. The service has the same limit. A batch
// within all other limits could take minutes.
const maxBatchTime = 5 * time.Second

// batchOp is a parsed operation of a batch. An invalid operation carries its error, which is
// reported once all operations before it have succeeded.
type batchOp struct {
	items.Op
	refused error
}

// batchResponse accounts for the items in the response to a batch. The service limits a response to
// 4 MB ("Azure Cosmos DB service quotas", per-request limits). Beyond that it answers an operation 413
// with substatus 3402, BatchResponseSizeExceeded (BulkExecutionRetryPolicy of the .NET and JavaScript
// SDKs). Without the limit, a hundred small patches or reads could need 200 MB.
type batchResponse struct {
	withItems bool
	bytes     int
}

// add accounts for the result of an operation and fails if the response is too large. It releases an
// item that is not in the response. Only the writer may call it.
func (a *batchResponse) add(r items.Result) error {
	switch {
	case r.Item == nil:
	case !a.withItems || r.Status == http.StatusNotModified:
		r.Item.Body = ""
	default:
		if a.bytes+len(r.Item.Body) > execution.MaxPageBytes {
			return apierror.BatchResponseTooLarge()
		}
		a.bytes += len(r.Item.Body)
	}
	return nil
}

// executeBatch runs a transactional batch: all operations succeed, or none is applied.
func (e *Engine) executeBatch(q *request) (*response, error) {
	if !isTrue(q.header("X-Ms-Cosmos-Batch-Atomic")) {
		return e.executeBulk(q)
	}
	c, p, key, err := q.item()
	if err != nil {
		return nil, err
	}
	ops, err := q.readBatch(c, func(*catalog.Container, value.Value) ([]value.Value, error) { return key, nil })
	if err != nil {
		return nil, err
	}
	b := &batchRun{q: q, container: c, partition: p, ops: ops, results: make([]items.Result, 0, len(ops)),
		answer: batchResponse{withItems: !minimal(q.header("Prefer"))}}
	size := 0
	for i := range ops {
		size += ops[i].Bytes()
	}
	err = e.writer.Submit(&items.Write{Ctx: q.ctx(), Rows: len(ops), Bytes: size, Multi: true, Apply: b.apply})
	if items.IsRefusal(b.failed) {
		return q.batchFailed(ops, b.results, b.failed)
	}
	if err != nil {
		return nil, err
	}
	body := []byte{'['}
	total := 0.0
	for i, r := range b.results {
		total += r.Charge
		if i > 0 {
			body = append(body, ',')
		}
		body = appendResult(body, r, c, b.answer.withItems)
	}
	q.spend(b.partition.Range, total)
	resp := q.respond(http.StatusOK, append(body, ']'), total)
	q.sessionAt(resp, b.lsn)
	return resp, nil
}

// batchRun is a transactional batch while it is executed.
type batchRun struct {
	q         *request
	container *catalog.Container
	partition items.Partition
	ops       []batchOp
	answer    batchResponse
	results   []items.Result
	failed    error // of an operation
	lsn       int64
}

// apply applies the operations until one fails.
func (b *batchRun) apply(t *items.Txn) error {
	c, err := t.Current(b.container.Num)
	if err != nil {
		return err
	}
	b.partition = b.partition.Moved(c)
	b.q.rng = b.partition.Range
	began := time.Now()
	for i := range b.ops {
		result, err := items.Result{}, b.ops[i].refused
		if err == nil {
			err = t.Ctx.Err() // the client may have disconnected during a long batch
		}
		if err == nil && i > 0 && time.Since(began) > b.q.engine.batchTime {
			err = apierror.New(http.StatusRequestTimeout, apierror.SubNone,
				"The batch took too long, so no changes were made.")
		}
		if err == nil {
			result, err = t.ApplyItem(c, b.partition, &b.ops[i].Op)
		}
		if err == nil {
			err = b.answer.add(result)
		}
		if err != nil {
			b.failed = err
			return err
		}
		b.results = append(b.results, result)
	}
	b.lsn = t.NextLSN(b.partition.Range)
	if t.Range == nil {
		b.lsn--
	}
	return nil
}

// readBatch parses the operations. An invalid request is returned as an error. An invalid operation
// is stored in the operation.
func (q *request) readBatch(
	c *catalog.Container,
	keyOf func(*catalog.Container, value.Value) ([]value.Value, error),
) ([]batchOp, error) {
	text, err := q.readBody()
	if err != nil {
		return nil, err
	}
	list, err := value.ParseWithin(text, items.MaxWrappedDepth)
	if err != nil {
		return nil, apierror.BadRequest("The batch is not valid: %v.", err)
	}
	if list.Kind() != value.Array || len(list.Elems()) == 0 {
		return nil, apierror.BadRequest("A batch requires a list of at least one operation.")
	}
	if len(list.Elems()) > maxBatchOps {
		return nil, apierror.BadRequest("Batch request has more operations than what is supported: %d, not %d.",
			len(list.Elems()), maxBatchOps)
	}
	ops := make([]batchOp, len(list.Elems()))
	for i, entry := range list.Elems() {
		if entry.Kind() != value.Object {
			return nil, apierror.BadRequest("An operation of a batch is not a JSON object.")
		}
		key, err := keyOf(c, entry)
		if err == nil {
			err = ops[i].read(c, key, entry, q.engine.conditions.Parse)
		}
		ops[i].refused = err
	}
	return ops, nil
}

var batchKinds = map[string]items.OpKind{
	"Create": items.OpCreate, "Upsert": items.OpUpsert, "Replace": items.OpReplace, "Patch": items.OpPatch,
	"Delete": items.OpDelete, "Read": items.OpRead,
}

// read parses one operation and checks it against the partition key of the batch.
func (op *batchOp) read(
	c *catalog.Container,
	key []value.Value,
	entry value.Value,
	parseCondition func(string) (*query.Statement, error),
) error {
	kind, ok := batchKinds[entry.Member("operationType").Str()]
	if !ok {
		return apierror.BadRequest("The operation type %s is not supported.", entry.Member("operationType").JSON())
	}
	op.Kind = kind
	for _, member := range []struct {
		name string
		to   *string
	}{{"id", &op.ID}, {"ifMatch", &op.IfMatch}, {"ifNoneMatch", &op.IfNoneMatch}} {
		if err := readText(entry, member.name, member.to); err != nil {
			return err
		}
	}
	if op.ID == "" && kind != items.OpCreate && kind != items.OpUpsert {
		return apierror.BadRequest("The operation has no item id.")
	}
	body := entry.Member("resourceBody")
	switch kind {
	case items.OpCreate, items.OpUpsert, items.OpReplace:
		doc, err := items.NewDocument(c, body)
		if err != nil {
			return err
		}
		if kind == items.OpReplace && doc.ID != op.ID {
			return apierror.BadRequest("The id of the item is not the one that the operation addresses.")
		}
		op.Doc = doc
		return items.CheckKey(c, body, key)
	case items.OpPatch:
		patch, err := items.ReadPatch(c, body, parseCondition)
		op.Patch = patch
		return err
	}
	return nil
}

// readText reads an optional text member. It rejects other types: ignoring an invalid etag would
// make the operation unconditional.
func readText(entry value.Value, name string, to *string) error {
	v := entry.Member(name)
	if v.Kind() > value.Null && v.Kind() != value.String {
		return apierror.BadRequest("The member %s of an operation is not text.", name)
	}
	*to = v.Str()
	return nil
}

// appendResult appends the result of a successful operation.
func appendResult(b []byte, r items.Result, c *catalog.Container, withItem bool) []byte {
	b = strconv.AppendInt(append(b, `{"statusCode":`...), int64(r.Status), 10)
	b = strconv.AppendFloat(append(b, `,"requestCharge":`...), r.Charge, 'f', -1, 64)
	if r.Item != nil {
		b = value.AppendString(append(b, `,"eTag":`...), r.Item.ETAG())
		if withItem && r.Status != http.StatusNotModified {
			b = append(append(b, `,"resourceBody":`...), r.Item.Render(c, false)...)
		}
	}
	return append(b, '}')
}

// appendFailure appends the result of a failed operation without its closing brace.
func appendFailure(b []byte, status, substatus int, charge float64) []byte {
	b = strconv.AppendInt(append(b, `{"statusCode":`...), int64(status), 10)
	if substatus != apierror.SubNone {
		b = strconv.AppendInt(append(b, `,"substatusCode":`...), int64(substatus), 10)
	}
	return strconv.AppendFloat(append(b, `,"requestCharge":`...), charge, 'f', -1, 64)
}

// batchFailed returns the response to a batch that was rolled back because one operation failed.
func (q *request) batchFailed(ops []batchOp, done []items.Result, failed error) (*response, error) {
	e, meant := apierror.From(failed)
	if !meant {
		return nil, failed
	}
	body := []byte{'['}
	total := 0.0
	for i := range ops {
		status, cost := http.StatusFailedDependency, charge.FailureUnits*charge.WriteUnit
		switch {
		case i < len(done):
			cost = done[i].Charge
		case i == len(done):
			status = e.Status
			cost = max(e.Units, charge.FailureUnits) * charge.WriteUnit
		case ops[i].Doc != nil:
			cost = float64(ops[i].Doc.Units) * charge.WriteUnit
		}
		if i <= len(done) {
			total += cost
		}
		if i > 0 {
			body = append(body, ',')
		}
		substatus := apierror.SubNone
		if i == len(done) {
			substatus = e.Substatus
		}
		body = append(appendFailure(body, status, substatus, cost), '}')
	}
	q.spend(q.rng, total)
	r := q.respond(http.StatusMultiStatus, append(body, ']'), total)
	if e.Substatus != 0 {
		r.set("X-Ms-Substatus", strconv.Itoa(e.Substatus))
	}
	return r, nil
}
