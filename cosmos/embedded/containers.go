package embedded

import "net/http"

func (e *Engine) createContainer(q *request) (*response, error) {
	def, err := q.readDefinition()
	if err != nil {
		return nil, err
	}
	id := def.Member("id").Str()
	if err := checkName(id); err != nil {
		return nil, err
	}
	offer, err := q.newOffer()
	if err != nil {
		return nil, err
	}
	if throughputOf(offer) > rangeRU && def.Member("partitionKey").Member("systemKey").IsTrue() {
		return nil, errLegacyThroughput()
	}
	var created *container
	err = e.writer.change(q.ctx(), func(t *txn, cat *catalog) (*catalog, error) {
		db := cat.databases[q.segs[1]]
		if db == nil {
			return nil, errOwnerMissing()
		}
		if db.containers[id] != nil {
			return nil, errConflict()
		}
		if !offer.Defined() && db.shared.throughput.Load() == 0 {
			offer = defaultOffer()
		}
		created = &container{db: db, id: id, ts: t.now, revision: 1, definition: def, state: new(containerState)}
		created.state.throughput.Store(throughputOf(offer))
		if err := insertContainer(t.conn, created, e.ranges); err != nil {
			return nil, err
		}
		return cat.with(created), insertOffer(t.conn, t.now, offer, created.rid(), created.self())
	})
	if err != nil {
		return nil, err
	}
	r := q.resource(http.StatusCreated, q.shown(created), created)
	delete(r.header, "X-Ms-Session-Token") // the service sends none for a new container
	return r, nil
}

func (e *Engine) readContainer(q *request) (*response, error) {
	c, err := q.container(errItemMissing)
	if err != nil {
		return nil, err
	}
	if q.unchanged(c.etag()) {
		return q.notModified(c.etag()), nil
	}
	document := q.shown(c)
	if isTrue(q.header("X-Ms-Documentdb-Populatepartitionstatistics")) {
		ranges, err := statistics(q.ctx(), e.store, c)
		if err != nil {
			return nil, err
		}
		document = document.With("statistics", ranges)
	}
	r := q.resource(http.StatusOK, document, c)
	if isTrue(q.header("X-Ms-Documentdb-Populatequotainfo")) {
		var u usage
		err := e.store.read(q.ctx(), func(conn *conn) (err error) {
			u, err = measureUsage(q.ctx(), conn, c)
			return err
		})
		if err != nil {
			return nil, err
		}
		r.set("X-Ms-Resource-Quota", c.quota())
		r.set("X-Ms-Resource-Usage", u.String())
	}
	r.set("X-Ms-Documentdb-Collection-Index-Transformation-Progress", "100")
	if c.policy.lazy {
		r.set("X-Ms-Documentdb-Collection-Lazy-Indexing-Progress", "100")
	}
	return r, nil
}

func (e *Engine) replaceContainer(q *request) (*response, error) {
	def, err := q.readDefinition()
	if err != nil {
		return nil, err
	}
	var next *container
	err = e.writer.change(q.ctx(), func(t *txn, cat *catalog) (*catalog, error) {
		old, err := cat.container(q.segs[1], q.segs[3])
		if err != nil {
			return nil, errItemMissing()
		}
		if !matches(q.header("If-Match"), old.etag()) {
			return nil, errPrecondition()
		}
		replaced := *old
		next = &replaced
		next.ts, next.revision, next.ttl = t.now, old.revision+1, nil
		next.definition = def
		if err := immutable(old.definition, next.definition); err != nil {
			return nil, err
		}
		if err := next.prepare(); err != nil {
			return nil, err
		}
		_, err = t.exec("UPDATE containers SET ts = ?, revision = ?, definition = ? WHERE num = ?",
			next.ts, next.revision, next.definition.JSON(), next.num)
		if err != nil {
			return nil, err
		}
		return cat.with(next), migrateTable(t.ctx, t.conn, t.now, old, next)
	})
	if err != nil {
		return nil, err
	}
	return q.resource(http.StatusOK, q.shown(next), next), nil
}

func (e *Engine) deleteContainer(q *request) (*response, error) {
	err := e.writer.change(q.ctx(), func(t *txn, cat *catalog) (*catalog, error) {
		c, err := cat.container(q.segs[1], q.segs[3])
		if err != nil {
			return nil, errItemMissing()
		}
		if !matches(q.header("If-Match"), c.etag()) {
			return nil, errPrecondition()
		}
		return cat.without(c), dropContainer(t.conn, c)
	})
	if err != nil {
		return nil, err
	}
	return q.respond(http.StatusNoContent, nil, metadataRU), nil
}
