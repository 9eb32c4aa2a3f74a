package embedded

import (
	"net/http"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// bulkOp is an operation of a bulk request on its way.
type bulkOp struct {
	*batchOp
	partition partition
	expected  float64 // RU, spent in advance
	write     *write  // nil if it is refused already
	awaited   bool    // and refused is how the write ended
	result    itemResult
}

// wait returns how the operation went.
func (op *bulkOp) wait() error {
	if op.write != nil && !op.awaited {
		op.refused, op.awaited = <-op.write.done, true
	}
	return op.refused
}

// executeBulk runs a batch whose operations do not depend on one another and may be on
// different partition keys of one feed range. Other SDKs send their bulk writes so. All
// are handed to the writer before the first is awaited, in their order; unless the client
// wants none to be tried after one that fails.
func (e *Engine) executeBulk(q *request) (*response, error) {
	c, err := q.container(errOwnerMissing)
	if err != nil {
		return nil, err
	}
	if err := c.checkSession(q.header("X-Ms-Session-Token")); err != nil {
		return nil, err
	}
	if id := q.header(rangeHeader); id != "" {
		if q.rng, err = c.rangeByID(id); err != nil {
			return nil, err
		}
	}
	ops, err := q.readBulk(c)
	if err != nil {
		return nil, err
	}
	stops := strings.EqualFold(q.header("X-Ms-Cosmos-Batch-Continue-On-Error"), "false")
	for i := range ops {
		if stops && i > 0 && ops[i-1].wait() != nil {
			ops[i].refused = errDependency()
		}
		if ops[i].refused == nil {
			ops[i].refused = e.begin(q, c, &ops[i])
		}
	}
	status, total := http.StatusOK, 0.0
	body := []byte{'['}
	for i := range ops {
		if i > 0 {
			body = append(body, ',')
		}
		op := &ops[i]
		err := op.wait()
		cost := op.result.charge
		if err == nil {
			body = appendResult(body, op.result, c, !minimal(q.header("Prefer")))
		} else {
			refusal, meant := asAPIError(err)
			if !meant {
				return nil, err
			}
			status = http.StatusMultiStatus
			cost = max(refusal.units, failureUnits) * writeUnit
			body = appendFailure(body, refusal.status, refusal.substatus, cost)
			if refusal.retryMS > 0 {
				body = strconv.AppendInt(append(body, `,"retryAfterMilliseconds":`...), int64(refusal.retryMS), 10)
			}
			body = append(body, '}')
		}
		total += cost
		if op.write != nil {
			q.spend(op.partition.rng, cost-op.expected)
		}
	}
	return q.respond(status, append(body, ']'), total), nil
}

// readBulk reads the operations, each of which names its partition key.
func (q *request) readBulk(c *container) ([]bulkOp, error) {
	var partitions []partition
	list, err := q.readBatch(c, func(c *container, entry value.Value) ([]value.Value, error) {
		partitions = append(partitions, partition{})
		var text string
		if err := readText(entry, "partitionKey", &text); err != nil {
			return nil, err
		}
		read := readKey
		if text == "" {
			text, read = q.header(keyHeader), parseKeyHeader
		}
		key, err := read(text)
		if err == nil {
			key, err = c.wholeKey(key)
		}
		if err == nil {
			partitions[len(partitions)-1] = partitionOf(c, key)
		}
		return key, err
	})
	ops := make([]bulkOp, len(list))
	for i := range list {
		ops[i] = bulkOp{batchOp: &list[i], partition: partitions[i]}
	}
	return ops, err
}

// begin hands one operation to the writer, as a transaction of its own, unless its range
// refuses it.
func (e *Engine) begin(q *request, c *container, op *bulkOp) error {
	rng := op.partition.rng
	if q.rng != nil && q.rng != rng {
		return failure(http.StatusGone, subRangeGone, "The partition key range does not own the partition key.")
	}
	if err := q.throttle(rng); err != nil {
		return err
	}
	w := &write{ctx: q.ctx(), rows: 1, bytes: op.bytes(), apply: func(t *txn) error {
		c, err := t.current(c.num)
		if err == nil {
			op.result, err = t.applyItem(c, op.partition.moved(c), &op.itemOp)
		}
		return err
	}}
	op.expected = failureUnits * writeUnit
	if op.doc != nil {
		op.expected = float64(op.doc.units) * writeUnit
	}
	if err := e.writer.enqueue(w); err != nil {
		return err
	}
	op.write = w // and the operation is the writer's, until it is done
	q.spend(rng, op.expected)
	return nil
}
