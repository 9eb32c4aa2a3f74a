package embedded

import (
	"math/rand/v2"
	"net/http"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/items"
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
	if err := catalog.CheckName(id); err != nil {
		return nil, err
	}
	offer, err := q.newOffer()
	if err != nil {
		return nil, err
	}
	var created *catalog.Database
	err = e.writer.Change(q.ctx(), func(t *items.Txn, cat *catalog.Catalog) (*catalog.Catalog, error) {
		if cat.Databases[id] != nil {
			return nil, apierror.Conflict()
		}
		// The number is random. A client that knows a database of another data directory, or an
		// earlier database of the same name, must not mistake it for this one.
		num := int64(rand.Uint32())
		if _, err := t.Exec("INSERT INTO databases (num, id, ts) VALUES (?, ?, ?)", num, id, t.Now); err != nil {
			return nil, err
		}
		created = &catalog.Database{Num: num, ID: id, TS: t.Now, Containers: make(map[string]*catalog.Container),
			Shared: new(catalog.SharedThroughput)}
		created.Shared.Throughput.Store(catalog.ThroughputOf(offer))
		next := cat.Clone()
		next.Databases[id] = created
		return next, catalog.InsertOffer(t.Conn, t.Now, offer, created.Rid(), created.Self())
	})
	if err != nil {
		return nil, err
	}
	return q.resource(http.StatusCreated, created.Document(), nil), nil
}

func (e *Engine) readDatabase(q *request) (*response, error) {
	db := e.catalog.Load().Databases[q.segs[1]]
	if db == nil {
		return nil, apierror.ItemMissing()
	}
	document := db.Document()
	if etag := document.Member("_etag").Str(); q.unchanged(etag) {
		return q.notModified(etag), nil
	}
	return q.resource(http.StatusOK, document, nil), nil
}

func (e *Engine) deleteDatabase(q *request) (*response, error) {
	err := e.writer.Change(q.ctx(), func(t *items.Txn, cat *catalog.Catalog) (*catalog.Catalog, error) {
		db := cat.Databases[q.segs[1]]
		if db == nil {
			return nil, apierror.ItemMissing()
		}
		if !items.Matches(q.header("If-Match"), db.Document().Member("_etag").Str()) {
			return nil, apierror.PreconditionFailed()
		}
		for _, c := range db.Containers {
			if err := catalog.DropContainer(t.Conn, c); err != nil {
				return nil, err
			}
			cat = cat.Without(c)
		}
		if _, err := t.Exec("DELETE FROM databases WHERE num = ?", db.Num); err != nil {
			return nil, err
		}
		if err := catalog.DeleteOffer(t.Conn, db.Rid()); err != nil {
			return nil, err
		}
		next := cat.Clone()
		delete(next.Databases, db.ID)
		return next, nil
	})
	if err != nil {
		return nil, err
	}
	return q.respond(http.StatusNoContent, nil, charge.MetadataRU), nil
}

func (e *Engine) postContainer(q *request) (*response, error) {
	if q.isQuery() {
		return e.queryContainers(q)
	}
	return e.createContainer(q)
}

func (e *Engine) queryDatabases(q *request) (*response, error) {
	var all []value.Value
	for _, db := range e.catalog.Load().Databases {
		all = append(all, db.Document())
	}
	return e.queryResources(q, "Databases", "", all)
}

func (e *Engine) queryContainers(q *request) (*response, error) {
	db := e.catalog.Load().Databases[q.segs[1]]
	if db == nil {
		return nil, apierror.OwnerMissing()
	}
	var all []value.Value
	for _, c := range db.Containers {
		all = append(all, q.containerDocument(c))
	}
	return e.queryResources(q, "DocumentCollections", db.Rid(), all)
}
