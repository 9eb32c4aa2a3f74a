package embedded

import (
	"net/http"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/value"
)

// bulkOp is an operation of a bulk request in progress.
type bulkOp struct {
	*batchOp
	partition items.Partition
	expected  float64      // RU charged in advance
	write     *items.Write // nil if the operation was rejected before
	awaited   bool         // the write has ended, with its error in refused
	result    items.Result
}

// wait waits for the operation and returns its error.
func (op *bulkOp) wait() error {
	if op.write != nil && !op.awaited {
		op.refused, op.awaited = <-op.write.Done, true
	}
	return op.refused
}

// executeBulk runs a bulk request: a batch of independent operations on partition keys of one feed
// range, as other SDKs send bulk writes. It queues all operations in order before it waits for the
// first. If the client does not want to continue after an error, it waits for each.
func (e *Engine) executeBulk(q *request) (*response, error) {
	c, err := q.container(apierror.OwnerMissing)
	if err != nil {
		return nil, err
	}
	if err := e.checkConsistency(q.header("X-Ms-Consistency-Level")); err != nil {
		return nil, err
	}
	if err := c.CheckSession(q.header("X-Ms-Session-Token")); err != nil {
		return nil, err
	}
	if id := q.header(rangeHeader); id != "" {
		if q.rng, err = c.RangeByID(id); err != nil {
			return nil, err
		}
	}
	ops, err := q.readBulk(c)
	if err != nil {
		return nil, err
	}
	answer := &batchResponse{withItems: !minimal(q.header("Prefer"))}
	stops := strings.EqualFold(q.header("X-Ms-Cosmos-Batch-Continue-On-Error"), "false")
	for i := range ops {
		if stops && i > 0 && ops[i-1].wait() != nil {
			ops[i].refused = apierror.DependencyFailed()
		}
		if ops[i].refused == nil {
			ops[i].refused = e.begin(q, c, &ops[i], answer)
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
		cost := op.result.Charge
		if err == nil {
			body = appendResult(body, op.result, c, answer.withItems)
		} else {
			refusal, meant := apierror.From(err)
			if !meant {
				return nil, err
			}
			status = http.StatusMultiStatus
			cost = max(refusal.Units, charge.FailureUnits) * charge.WriteUnit
			body = appendFailure(body, refusal.Status, refusal.Substatus, cost)
			if refusal.RetryMS > 0 {
				body = strconv.AppendInt(append(body, `,"retryAfterMilliseconds":`...), int64(refusal.RetryMS), 10)
			}
			body = append(body, '}')
		}
		total += cost
		if op.write != nil {
			q.spend(op.partition.Range, cost-op.expected)
		}
	}
	return q.respond(status, append(body, ']'), total), nil
}

// readBulk parses the operations, each of which has its own partition key.
func (q *request) readBulk(c *catalog.Container) ([]bulkOp, error) {
	var partitions []items.Partition
	list, err := q.readBatch(c, func(c *catalog.Container, entry value.Value) ([]value.Value, error) {
		partitions = append(partitions, items.Partition{})
		var text string
		if err := readText(entry, "partitionKey", &text); err != nil {
			return nil, err
		}
		read := epk.Parse
		if text == "" {
			text, read = q.header(keyHeader), epk.ParseHeader
		}
		key, err := read(text)
		if err == nil {
			key, err = c.WholeKey(key)
		}
		if err == nil {
			partitions[len(partitions)-1] = items.PartitionOf(c, key)
		}
		return key, err
	})
	ops := make([]bulkOp, len(list))
	for i := range list {
		ops[i] = bulkOp{batchOp: &list[i], partition: partitions[i]}
	}
	return ops, err
}

// begin queues one operation as a transaction of its own, unless it is throttled or belongs to
// another feed range.
func (e *Engine) begin(q *request, c *catalog.Container, op *bulkOp, answer *batchResponse) error {
	rng := op.partition.Range
	if q.rng != nil && q.rng != rng {
		return apierror.New(http.StatusGone, apierror.SubRangeGone,
			"The partition key range does not own the partition key.")
	}
	if err := q.throttle(rng); err != nil {
		return err
	}
	// A write whose item does not fit into the response is undone, which needs a savepoint.
	multi := answer.withItems && op.Kind != items.OpRead && op.Kind != items.OpDelete
	w := &items.Write{Ctx: q.ctx(), Rows: 1, Bytes: op.Bytes(), Multi: multi, Apply: func(t *items.Txn) error {
		c, err := t.Current(c.Num)
		if err != nil {
			return err
		}
		if op.result, err = t.ApplyItem(c, op.partition.Moved(c), &op.Op); err == nil {
			err = answer.add(op.result)
		}
		if err != nil {
			op.result = items.Result{}
		}
		return err
	}}
	op.expected = charge.FailureUnits * charge.WriteUnit
	if op.Doc != nil {
		op.expected = float64(op.Doc.Units) * charge.WriteUnit
	}
	if err := e.writer.Enqueue(w); err != nil {
		return err
	}
	op.write = w // the writer owns the operation until it is done
	q.spend(rng, op.expected)
	return nil
}
