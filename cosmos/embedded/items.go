package embedded

import (
	"net/http"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

const keyHeader = "X-Ms-Documentdb-Partitionkey"

// partition reads the key header of an operation on items, which must have the whole
// key.
func (q *request) partition(c *container) (partition, []value.Value, error) {
	text := q.keyText(c)
	if text == "" {
		return partition{}, nil, failure(http.StatusBadRequest, subKeyMismatch, "PartitionKey value must be supplied for this operation.")
	}
	key, err := parseKeyHeader(text)
	if err != nil {
		return partition{}, nil, err
	}
	if key, err = c.wholeKey(key); err != nil {
		return partition{}, nil, err
	}
	p := partitionOf(c, key)
	q.rng = p.rng
	return p, key, nil
}

// item finds the container and partition that an operation on an item addresses, and
// checks what all of them have in common.
func (q *request) item() (*container, partition, []value.Value, error) {
	c, err := q.container(errOwnerMissing)
	if err != nil {
		return nil, partition{}, nil, err
	}
	if err := q.engine.checkConsistency(q.header("X-Ms-Consistency-Level")); err != nil {
		return nil, partition{}, nil, err
	}
	p, key, err := q.partition(c)
	if err != nil {
		return nil, partition{}, nil, err
	}
	if err := q.throttle(p.rng); err != nil {
		return nil, partition{}, nil, err
	}
	return c, p, key, c.checkSession(q.header("X-Ms-Session-Token"))
}

func (e *Engine) postDocument(q *request) (*response, error) {
	switch {
	case q.isQuery():
		return e.queryItems(q)
	case isTrue(q.header("X-Ms-Cosmos-Is-Batch-Request")):
		return e.executeBatch(q)
	}
	op := &itemOp{kind: opCreate, ifMatch: q.header("If-Match")}
	if isTrue(q.header("X-Ms-Documentdb-Is-Upsert")) {
		op.kind = opUpsert
	}
	return e.writeDocument(q, op)
}

func (e *Engine) replaceItem(q *request) (*response, error) {
	return e.writeDocument(q, &itemOp{kind: opReplace, id: q.segs[5], rid: q.itemRID, ifMatch: q.header("If-Match")})
}

// writeDocument runs an operation whose body is an item.
func (e *Engine) writeDocument(q *request, op *itemOp) (*response, error) {
	c, p, key, err := q.item()
	if err != nil {
		return nil, err
	}
	item, err := q.json()
	if err != nil {
		return nil, err
	}
	if op.doc, err = newDocument(c, item); err != nil {
		return nil, err
	}
	if op.kind == opReplace && op.doc.id != op.id {
		return nil, badRequest("The id of the item is not the one that the request addresses.")
	}
	if err := checkKey(c, item, key); err != nil {
		return nil, err
	}
	return e.writeItem(q, c, p, op)
}

func (e *Engine) deleteItem(q *request) (*response, error) {
	c, p, _, err := q.item()
	if err != nil {
		return nil, err
	}
	return e.writeItem(q, c, p, &itemOp{kind: opDelete, id: q.segs[5], rid: q.itemRID, ifMatch: q.header("If-Match")})
}

func (e *Engine) patchItem(q *request) (*response, error) {
	c, p, _, err := q.item()
	if err != nil {
		return nil, err
	}
	text, err := q.readBody()
	if err != nil {
		return nil, err
	}
	body, err := value.ParseWithin(text, maxWrappedDepth)
	if err != nil {
		return nil, badRequest("The patch is not valid: %v.", err)
	}
	op := &itemOp{kind: opPatch, id: q.segs[5], rid: q.itemRID, ifMatch: q.header("If-Match")}
	if op.patch, err = readPatch(c, body); err != nil {
		return nil, err
	}
	return e.writeItem(q, c, p, op)
}

// writeItem hands an operation to the writer and answers with its result.
func (e *Engine) writeItem(q *request, c *container, p partition, op *itemOp) (*response, error) {
	var result itemResult
	var lsn int64
	err := e.writer.submit(&write{ctx: q.ctx(), rows: 1, bytes: op.bytes(), apply: func(t *txn) error {
		c, err := t.current(c.num)
		if err != nil {
			return err
		}
		p = p.moved(c)
		q.rng = p.rng
		result, err = t.applyItem(c, p, op)
		lsn = t.nextLSN(p.rng)
		return err
	}})
	if err != nil {
		return nil, err
	}
	q.spend(p.rng, result.charge)
	var body []byte
	if result.item != nil && !minimal(q.header("Prefer")) {
		body = result.item.render(c, false)
	}
	r := q.respond(result.status, body, result.charge)
	q.sessionAt(r, lsn)
	if result.item != nil {
		r.set("Etag", result.item.etag())
	}
	return r, nil
}

func minimal(prefer string) bool { return strings.EqualFold(prefer, "return=minimal") }

func (e *Engine) readItem(q *request) (*response, error) {
	c, p, _, err := q.item()
	if err != nil {
		return nil, err
	}
	var item *stored
	err = e.store.read(q.ctx(), func(conn *conn) error {
		row, err := conn.one(c.table.find, p.pk, q.segs[5])
		if row != nil {
			s := scanFound(row)
			item = &s
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if item == nil || item.expired(q.now) || q.itemRID != 0 && q.itemRID != item.rid {
		return nil, errItemMissing()
	}
	etag := item.etag()
	if none := q.header("If-None-Match"); none != "" && matches(none, etag) {
		q.spend(p.rng, pointReadRU)
		r := q.respond(http.StatusNotModified, nil, pointReadRU)
		r.set("Etag", etag)
		return r, nil
	}
	charge := readCharge(len(item.body))
	q.spend(p.rng, charge)
	r := q.respond(http.StatusOK, item.render(c, false), charge)
	r.set("Etag", etag)
	lsn := r.header["Lsn"]
	r.header["X-Ms-Item-Lsn"] = lsn
	return r, nil
}
