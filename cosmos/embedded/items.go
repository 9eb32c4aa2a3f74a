package embedded

import (
	"net/http"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

const keyHeader = "X-Ms-Documentdb-Partitionkey"

// partition parses the partition key header of an operation on items. The whole key is required.
func (q *request) partition(c *catalog.Container) (items.Partition, []value.Value, error) {
	text := q.keyText(c)
	if text == "" {
		return items.Partition{}, nil, apierror.New(http.StatusBadRequest, apierror.SubKeyMismatch,
			"PartitionKey value must be supplied for this operation.")
	}
	key, err := epk.ParseHeader(text)
	if err != nil {
		return items.Partition{}, nil, err
	}
	if key, err = c.WholeKey(key); err != nil {
		return items.Partition{}, nil, err
	}
	p := items.PartitionOf(c, key)
	q.rng = p.Range
	return p, key, nil
}

// item returns the container and partition that an operation addresses, after the checks that all
// operations on items share.
func (q *request) item() (*catalog.Container, items.Partition, []value.Value, error) {
	c, err := q.container(apierror.OwnerMissing)
	if err != nil {
		return nil, items.Partition{}, nil, err
	}
	if err := q.engine.checkConsistency(q.header("X-Ms-Consistency-Level")); err != nil {
		return nil, items.Partition{}, nil, err
	}
	if q.header("X-Ms-Documentdb-Pre-Trigger-Include")+q.header("X-Ms-Documentdb-Post-Trigger-Include") != "" {
		return nil, items.Partition{}, nil, badRequestURL([]string{"triggers"})
	}
	p, key, err := q.partition(c)
	if err != nil {
		return nil, items.Partition{}, nil, err
	}
	if err := q.throttle(p.Range); err != nil {
		return nil, items.Partition{}, nil, err
	}
	return c, p, key, c.CheckSession(q.header("X-Ms-Session-Token"))
}

func (e *Engine) postDocument(q *request) (*response, error) {
	switch {
	case q.isQuery():
		return e.queryItems(q)
	case isTrue(q.header("X-Ms-Cosmos-Is-Batch-Request")):
		return e.executeBatch(q)
	}
	op := &items.Op{Kind: items.OpCreate, IfMatch: q.header("If-Match")}
	if isTrue(q.header("X-Ms-Documentdb-Is-Upsert")) {
		op.Kind = items.OpUpsert
	}
	return e.writeDocument(q, op)
}

func (e *Engine) replaceItem(q *request) (*response, error) {
	return e.writeDocument(q, &items.Op{Kind: items.OpReplace, ID: q.segs[5], RID: q.itemRID,
		IfMatch: q.header("If-Match")})
}

// writeDocument runs an operation whose body is an item.
func (e *Engine) writeDocument(q *request, op *items.Op) (*response, error) {
	c, p, key, err := q.item()
	if err != nil {
		return nil, err
	}
	item, err := q.json()
	if err != nil {
		return nil, err
	}
	if op.Doc, err = items.NewDocument(c, item); err != nil {
		return nil, err
	}
	if op.Kind == items.OpReplace && op.Doc.ID != op.ID {
		return nil, apierror.BadRequest("The id of the item is not the one that the request addresses.")
	}
	if err := items.CheckKey(c, item, key); err != nil {
		return nil, err
	}
	return e.writeItem(q, c, p, op)
}

func (e *Engine) deleteItem(q *request) (*response, error) {
	c, p, _, err := q.item()
	if err != nil {
		return nil, err
	}
	return e.writeItem(q, c, p, &items.Op{Kind: items.OpDelete, ID: q.segs[5], RID: q.itemRID,
		IfMatch: q.header("If-Match")})
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
	body, err := value.ParseWithin(text, items.MaxWrappedDepth)
	if err != nil {
		return nil, apierror.BadRequest("The patch is not valid: %v.", err)
	}
	op := &items.Op{Kind: items.OpPatch, ID: q.segs[5], RID: q.itemRID, IfMatch: q.header("If-Match")}
	if op.Patch, err = items.ReadPatch(c, body, e.conditions.Parse); err != nil {
		return nil, err
	}
	return e.writeItem(q, c, p, op)
}

// writeItem submits an operation to the writer and returns the response.
func (e *Engine) writeItem(q *request, c *catalog.Container, p items.Partition, op *items.Op) (*response, error) {
	var result items.Result
	var lsn int64
	err := e.writer.Submit(&items.Write{Ctx: q.ctx(), Rows: 1, Bytes: op.Bytes(), Apply: func(t *items.Txn) error {
		c, err := t.Current(c.Num)
		if err != nil {
			return err
		}
		p = p.Moved(c)
		q.rng = p.Range
		result, err = t.ApplyItem(c, p, op)
		lsn = t.NextLSN(p.Range)
		return err
	}})
	if err != nil {
		return nil, err
	}
	q.spend(p.Range, result.Charge)
	var body []byte
	if result.Item != nil && !minimal(q.header("Prefer")) {
		body = result.Item.Render(c, false)
	}
	r := q.respond(result.Status, body, result.Charge)
	q.sessionAt(r, lsn)
	if result.Item != nil {
		r.set("Etag", result.Item.ETAG())
	}
	return r, nil
}

func minimal(prefer string) bool { return strings.EqualFold(prefer, "return=minimal") }

func (e *Engine) readItem(q *request) (*response, error) {
	c, p, _, err := q.item()
	if err != nil {
		return nil, err
	}
	var item *items.Stored
	err = e.store.Read(q.ctx(), func(conn *storage.Conn) error {
		row, err := conn.One(c.Table.Find, p.PK, q.segs[5])
		if row != nil {
			s := items.ScanFound(row)
			item = &s
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if item == nil || item.Expired(q.now) || q.itemRID != 0 && q.itemRID != item.RID {
		return nil, apierror.ItemMissing()
	}
	etag := item.ETAG()
	if none := q.header("If-None-Match"); none != "" && items.Matches(none, etag) {
		q.spend(p.Range, charge.PointReadRU)
		r := q.respond(http.StatusNotModified, nil, charge.PointReadRU)
		r.set("Etag", etag)
		return r, nil
	}
	charge := charge.Read(len(item.Body))
	q.spend(p.Range, charge)
	r := q.respond(http.StatusOK, item.Render(c, false), charge)
	r.set("Etag", etag)
	lsn := r.header["Lsn"]
	r.header["X-Ms-Item-Lsn"] = lsn
	return r, nil
}
