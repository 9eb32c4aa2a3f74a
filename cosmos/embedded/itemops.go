package embedded

import (
	"database/sql/driver"
	"net/http"

	"inkfeed/cosmos/embedded/internal/value"
)

// opKind is what an operation does to an item.
type opKind uint8

const (
	opCreate opKind = iota
	opUpsert
	opReplace
	opPatch
	opDelete
	opRead
)

// itemOp is one operation, alone or in a batch.
type itemOp struct {
	kind        opKind
	id          string
	rid         int64     // that the item must have; 0: any
	doc         *document // create, upsert, replace
	patch       *patch
	ifMatch     string
	ifNoneMatch string
}

// bytes is how much the operation writes; of a patch, which is not known before, a guess
// on the high side.
func (op *itemOp) bytes() int {
	switch {
	case op.doc != nil:
		return len(op.doc.body)
	case op.kind == opPatch:
		return maxBody / 8
	}
	return 0
}

// itemResult is how an operation went.
type itemResult struct {
	status int
	item   *stored // as it is now; nil if deleted
	charge float64 // RU
}

// partition is a partition key of a container, ready for use.
type partition struct {
	pk  []byte
	rng *feedRange
}

// moved is where the partition is now, for a write that waited while its range was split.
func (p partition) moved(c *container) partition {
	if p.rng.gone.Load() {
		p.rng = c.rangeOf(c.hashKey(decodeKey(p.pk)))
	}
	return p
}

// applyItem runs one operation on the writer.
func (t *txn) applyItem(c *container, p partition, op *itemOp) (itemResult, error) {
	if op.doc != nil && op.doc.container != c {
		op.doc.container = c // the definition has changed since the request was read
		op.doc.prepare()
	}
	switch op.kind {
	case opCreate:
		return t.create(c, p, op)
	case opUpsert:
		return t.upsert(c, p, op)
	}
	old, err := t.find(c, p.pk, op.id)
	if err != nil {
		return itemResult{}, err
	}
	if old == nil || op.rid != 0 && op.rid != old.rid {
		return itemResult{}, errItemMissing()
	}
	if !matches(op.ifMatch, old.etag()) {
		return itemResult{}, errPrecondition()
	}
	switch op.kind {
	case opRead:
		if op.ifNoneMatch != "" && matches(op.ifNoneMatch, old.etag()) {
			return itemResult{status: http.StatusNotModified, item: old, charge: pointReadRU}, nil
		}
		return itemResult{status: http.StatusOK, item: old, charge: readCharge(len(old.body))}, nil
	case opDelete:
		t.change(c, p.rng)
		c.state.version++
		_, err := t.exec(c.table.delete, old.rid)
		return itemResult{status: http.StatusNoContent, charge: float64(old.units) * writeUnit}, err
	case opPatch:
		if op.doc, err = op.patch.apply(c, p, old); err != nil {
			return itemResult{}, err
		}
	}
	return t.overwrite(c, p, old, op.doc)
}

// find returns the item of an id, nil if there is none or it has expired.
func (t *txn) find(c *container, pk []byte, id string) (*stored, error) {
	row, err := t.one(c.table.find, pk, id)
	if err != nil || row == nil {
		return nil, err
	}
	s := scanFound(row)
	if s.expired(t.now) {
		return nil, nil
	}
	return &s, nil
}

func (t *txn) create(c *container, p partition, op *itemOp) (itemResult, error) {
	doc := op.doc
	lsn := t.change(c, p.rng)
	c.state.version++
	s := &stored{rid: c.state.version, version: c.state.version, ts: t.now, units: doc.units, lsn: lsn, pk: p.pk, id: doc.id, body: doc.body}
	exp := c.expiry(t.now, doc.ttl)
	args := append(t.row[:0], s.rid, s.pk, s.id, int64(p.rng.id), lsn, s.version, s.ts, orNull(doc.ttl), orNull(exp), s.units)
	args = append(append(args, doc.keys...), doc.body)
	t.row = args
	if err := t.put(c, p, s.id, c.table.insert, args); err != nil {
		return itemResult{}, err
	}
	return itemResult{status: http.StatusCreated, item: s, charge: float64(doc.units) * writeUnit}, nil
}

// upsert minds If-Match only if the item exists.
func (t *txn) upsert(c *container, p partition, op *itemOp) (itemResult, error) {
	old, err := t.find(c, p.pk, op.doc.id)
	if err != nil {
		return itemResult{}, err
	}
	if old == nil {
		return t.create(c, p, op)
	}
	if !matches(op.ifMatch, old.etag()) {
		return itemResult{}, errPrecondition()
	}
	return t.overwrite(c, p, old, op.doc)
}

// overwrite stores a new version of an item.
func (t *txn) overwrite(c *container, p partition, old *stored, doc *document) (itemResult, error) {
	lsn := t.change(c, p.rng)
	c.state.version++
	s := &stored{rid: old.rid, version: c.state.version, ts: t.now, units: doc.units, lsn: lsn, pk: p.pk, id: doc.id, body: doc.body}
	exp := c.expiry(t.now, doc.ttl)
	args := append(t.row[:0], int64(p.rng.id), lsn, s.version, s.ts, orNull(doc.ttl), orNull(exp), s.units)
	statement := c.table.refresh
	if changed, err := doc.changesKeys(old); err != nil {
		return itemResult{}, err
	} else if changed {
		statement = c.table.update
		args = append(args, doc.keys...)
	}
	args = append(args, doc.body, s.rid)
	t.row = args
	if err := t.put(c, p, s.id, statement, args); err != nil {
		return itemResult{}, err
	}
	return itemResult{status: http.StatusOK, item: s, charge: float64(doc.units+replaceUnits) * writeUnit}, nil
}

// put runs a statement that writes one row, or none if that would take an id or a unique
// key of another. Those of items that have expired are free.
func (t *txn) put(c *container, p partition, id, statement string, args []driver.Value) error {
	n, err := t.exec(statement, args...)
	if err == nil && n == 0 && c.ttl != nil {
		if n, err = t.exec("DELETE FROM "+c.table.name+" WHERE pk = ? AND exp <= ?", p.pk, t.now); err == nil && n > 0 {
			n, err = t.exec(statement, args...)
		}
	}
	if err != nil || n > 0 {
		return err
	}
	if len(c.uniqueKeys) > 0 {
		same, err := t.find(c, p.pk, id)
		if err != nil {
			return err
		}
		if same == nil || statement != c.table.insert {
			return errUniqueKey()
		}
	}
	return errConflict()
}

// current returns the container of that number as it is now, for a write that waited
// while another changed the catalog.
func (t *txn) current(num int64) (*container, error) {
	c := t.writer.catalog.Load().byNum[num]
	if c == nil {
		return nil, errOwnerMissing()
	}
	return c, nil
}

func partitionOf(c *container, key []value.Value) partition {
	return partition{pk: encodeKey(key), rng: c.rangeOf(c.hashKey(key))}
}

// checkKey refuses an item whose partition key is not the one of the header.
func checkKey(c *container, item value.Value, key []value.Value) error {
	own, err := c.keyOf(item)
	if err != nil {
		return err
	}
	for i := range own {
		if own[i].Kind() != key[i].Kind() || string(encodeKey(own[i:i+1])) != string(encodeKey(key[i:i+1])) {
			return errKeyMismatch()
		}
	}
	return nil
}

// matches reports whether an If-Match header matches an etag. Etags are compared with their quotes.
func matches(header, etag string) bool {
	return header == "" || header == "*" || header == etag
}
