package items

import (
	"database/sql/driver"
	"net/http"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

// OpKind is the kind of an operation on an item.
type OpKind uint8

// The kinds of operations.
const (
	OpCreate OpKind = iota
	OpUpsert
	OpReplace
	OpPatch
	OpDelete
	OpRead
)

// Op is an operation on an item, alone or in a batch.
type Op struct {
	Kind        OpKind
	ID          string
	RID         int64     // rid that the item must have; 0: any
	Doc         *document // item of a create, upsert or replace
	Patch       *patch
	IfMatch     string
	IfNoneMatch string
}

// Bytes returns the size of the data that the operation writes. The size of a patch is not known in
// advance, so it returns a high estimate.
func (op *Op) Bytes() int {
	switch {
	case op.Doc != nil:
		return len(op.Doc.body)
	case op.Kind == OpPatch:
		return MaxBody / 8
	}
	return 0
}

// Result is the result of an operation.
type Result struct {
	Status int
	Item   *Stored // the item after the operation; nil if deleted
	Charge float64 // request charge in RU
}

// Partition is an encoded partition key with the feed range that covers it.
type Partition struct {
	PK    []byte
	Range *catalog.FeedRange
}

// Moved returns the partition with its current feed range. The range may have been split while the
// write waited.
func (p Partition) Moved(c *catalog.Container) Partition {
	if p.Range.Gone.Load() {
		p.Range = c.RangeOf(c.HashKey(epk.Decode(p.PK)))
	}
	return p
}

// ApplyItem applies one operation within the transaction.
func (t *Txn) ApplyItem(c *catalog.Container, p Partition, op *Op) (Result, error) {
	if op.Doc != nil && op.Doc.container != c {
		op.Doc.container = c // the container was replaced since the request was read
		op.Doc.prepare()
	}
	switch op.Kind {
	case OpCreate:
		return t.create(c, p, op)
	case OpUpsert:
		return t.upsert(c, p, op)
	}
	old, err := t.find(c, p.PK, op.ID)
	if err != nil {
		return Result{}, err
	}
	if old == nil || op.RID != 0 && op.RID != old.RID {
		return Result{}, apierror.ItemMissing()
	}
	if !Matches(op.IfMatch, old.ETAG()) {
		return Result{}, apierror.PreconditionFailed()
	}
	switch op.Kind {
	case OpRead:
		if op.IfNoneMatch != "" && Matches(op.IfNoneMatch, old.ETAG()) {
			return Result{Status: http.StatusNotModified, Item: old, Charge: charge.PointReadRU}, nil
		}
		return Result{Status: http.StatusOK, Item: old, Charge: charge.Read(len(old.Body))}, nil
	case OpDelete:
		t.change(c, p.Range)
		c.State.Version++
		_, err := t.Exec(c.Table.Delete, old.RID)
		return Result{Status: http.StatusNoContent, Charge: float64(old.units) * charge.WriteUnit}, err
	case OpPatch:
		doc, err := op.Patch.apply(t.Ctx, c, old)
		if err != nil {
			return Result{}, err
		}
		return t.overwrite(c, p, old, doc) // not stored in op, which would retain each item of a batch
	}
	return t.overwrite(c, p, old, op.Doc)
}

// find returns the item with an id. It is nil if there is none or it has expired.
func (t *Txn) find(c *catalog.Container, pk []byte, id string) (*Stored, error) {
	row, err := t.One(c.Table.Find, pk, id)
	if err != nil || row == nil {
		return nil, err
	}
	s := ScanFound(row)
	if s.Expired(t.Now) {
		return nil, nil
	}
	return &s, nil
}

func (t *Txn) create(c *catalog.Container, p Partition, op *Op) (Result, error) {
	doc := op.Doc
	lsn := t.change(c, p.Range)
	c.State.Version++
	s := &Stored{RID: c.State.Version, version: c.State.Version, TS: t.Now, units: doc.Units, LSN: lsn, PK: p.PK,
		ID: doc.ID, Body: doc.body}
	exp := c.Expiry(t.Now, doc.ttl)
	args := append(t.row[:0], s.RID, s.PK, s.ID, int64(p.Range.ID), lsn, s.version, s.TS, storage.OrNull(doc.ttl),
		storage.OrNull(exp), s.units)
	args = append(append(args, doc.keys...), doc.body)
	t.row = args
	if err := t.put(c, p, s.ID, c.Table.Insert, args); err != nil {
		return Result{}, err
	}
	return Result{Status: http.StatusCreated, Item: s, Charge: float64(doc.Units) * charge.WriteUnit}, nil
}

// upsert checks If-Match only if the item exists.
func (t *Txn) upsert(c *catalog.Container, p Partition, op *Op) (Result, error) {
	old, err := t.find(c, p.PK, op.Doc.ID)
	if err != nil {
		return Result{}, err
	}
	if old == nil {
		return t.create(c, p, op)
	}
	if !Matches(op.IfMatch, old.ETAG()) {
		return Result{}, apierror.PreconditionFailed()
	}
	return t.overwrite(c, p, old, op.Doc)
}

// overwrite stores a new version of an existing item.
func (t *Txn) overwrite(c *catalog.Container, p Partition, old *Stored, doc *document) (Result, error) {
	lsn := t.change(c, p.Range)
	c.State.Version++
	s := &Stored{RID: old.RID, version: c.State.Version, TS: t.Now, units: doc.Units, LSN: lsn, PK: p.PK, ID: doc.ID,
		Body: doc.body}
	exp := c.Expiry(t.Now, doc.ttl)
	args := append(t.row[:0], int64(p.Range.ID), lsn, s.version, s.TS, storage.OrNull(doc.ttl), storage.OrNull(exp),
		s.units)
	statement := c.Table.Refresh
	if changed, err := doc.changesKeys(old); err != nil {
		return Result{}, err
	} else if changed {
		statement = c.Table.Update
		args = append(args, doc.keys...)
	}
	args = append(args, doc.body, s.RID)
	t.row = args
	if err := t.put(c, p, s.ID, statement, args); err != nil {
		return Result{}, err
	}
	return Result{Status: http.StatusOK, Item: s, Charge: float64(doc.Units+charge.ReplaceUnits) * charge.WriteUnit},
		nil
}

// put executes a statement that writes one row. The statement writes none if the id or a unique key
// is taken. put then deletes expired items, whose ids and keys are free, and tries again.
func (t *Txn) put(c *catalog.Container, p Partition, id, statement string, args []driver.Value) error {
	n, err := t.Exec(statement, args...)
	if err == nil && n == 0 && c.TTL != nil {
		if n, err = t.Exec("DELETE FROM "+c.Table.Name+" WHERE pk = ? AND exp <= ?", p.PK, t.Now); err == nil && n > 0 {
			n, err = t.Exec(statement, args...)
		}
	}
	if err != nil || n > 0 {
		return err
	}
	if len(c.UniqueKeys) > 0 {
		same, err := t.find(c, p.PK, id)
		if err != nil {
			return err
		}
		if same == nil || statement != c.Table.Insert {
			return apierror.UniqueKeyConflict()
		}
	}
	return apierror.Conflict()
}

// Current returns the current definition of a container. It may have been replaced while the write
// waited.
func (t *Txn) Current(num int64) (*catalog.Container, error) {
	c := t.writer.catalog.Load().ByNum[num]
	if c == nil {
		return nil, apierror.OwnerMissing()
	}
	return c, nil
}

// PartitionOf returns the logical partition of a key, with the feed range that it belongs to.
func PartitionOf(c *catalog.Container, key []value.Value) Partition {
	return Partition{PK: epk.Encode(key), Range: c.RangeOf(c.HashKey(key))}
}

// CheckKey fails if the partition key in the item differs from the one in the header.
func CheckKey(c *catalog.Container, item value.Value, key []value.Value) error {
	own, err := c.KeyOf(item)
	if err != nil {
		return err
	}
	for i := range own {
		if own[i].Kind() != key[i].Kind() || string(epk.Encode(own[i:i+1])) != string(epk.Encode(key[i:i+1])) {
			return apierror.KeyMismatch()
		}
	}
	return nil
}

// Matches reports whether an If-Match header matches an etag. Etags are compared with their quotes.
func Matches(header, etag string) bool {
	return header == "" || header == "*" || header == etag
}
