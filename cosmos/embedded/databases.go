package embedded

import (
	"math/rand/v2"
	"net/http"

	"inkfeed/cosmos/embedded/internal/value"
)

func (e *Engine) postDatabase(q *request) (*response, error) {
	if q.isQuery() {
		return e.queryDatabases(q)
	}
	def, err := q.json()
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
	var created *database
	err = e.writer.change(q.ctx(), func(t *txn, cat *catalog) (*catalog, error) {
		if cat.databases[id] != nil {
			return nil, errConflict()
		}
		// Random, so that a client that knows another data directory, or a database of
		// the same name before this one, does not take it for that.
		num := int64(rand.Uint32())
		if _, err := t.exec("INSERT INTO databases (num, id, ts) VALUES (?, ?, ?)", num, id, t.now); err != nil {
			return nil, err
		}
		created = &database{num: num, id: id, ts: t.now, containers: make(map[string]*container),
			shared: new(sharedThroughput)}
		created.shared.throughput.Store(throughputOf(offer))
		next := cat.clone()
		next.databases[id] = created
		return next, insertOffer(t.conn, t.now, offer, created.rid(), created.self())
	})
	if err != nil {
		return nil, err
	}
	return q.resource(http.StatusCreated, created.document(), nil), nil
}

func (e *Engine) readDatabase(q *request) (*response, error) {
	db := e.catalog.Load().databases[q.segs[1]]
	if db == nil {
		return nil, errItemMissing()
	}
	document := db.document()
	if etag := document.Member("_etag").Str(); q.unchanged(etag) {
		return q.notModified(etag), nil
	}
	return q.resource(http.StatusOK, document, nil), nil
}

func (e *Engine) deleteDatabase(q *request) (*response, error) {
	err := e.writer.change(q.ctx(), func(t *txn, cat *catalog) (*catalog, error) {
		db := cat.databases[q.segs[1]]
		if db == nil {
			return nil, errItemMissing()
		}
		if !matches(q.header("If-Match"), db.document().Member("_etag").Str()) {
			return nil, errPrecondition()
		}
		for _, c := range db.containers {
			if err := dropContainer(t.conn, c); err != nil {
				return nil, err
			}
			cat = cat.without(c)
		}
		if _, err := t.exec("DELETE FROM databases WHERE num = ?", db.num); err != nil {
			return nil, err
		}
		if err := deleteOffer(t.conn, db.rid()); err != nil {
			return nil, err
		}
		next := cat.clone()
		delete(next.databases, db.id)
		return next, nil
	})
	if err != nil {
		return nil, err
	}
	return q.respond(http.StatusNoContent, nil, metadataRU), nil
}

func (e *Engine) postContainer(q *request) (*response, error) {
	if q.isQuery() {
		return e.queryContainers(q)
	}
	return e.createContainer(q)
}

func (e *Engine) queryDatabases(q *request) (*response, error) {
	var all []value.Value
	for _, db := range e.catalog.Load().databases {
		all = append(all, db.document())
	}
	return e.queryResources(q, "Databases", "", all)
}

func (e *Engine) queryContainers(q *request) (*response, error) {
	db := e.catalog.Load().databases[q.segs[1]]
	if db == nil {
		return nil, errOwnerMissing()
	}
	var all []value.Value
	for _, c := range db.containers {
		all = append(all, q.shown(c))
	}
	return e.queryResources(q, "DocumentCollections", db.rid(), all)
}
