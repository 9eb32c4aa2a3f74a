package embedded

import (
	"net/http"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/storage"
)

func (e *Engine) createContainer(q *request) (*response, error) {
	def, err := q.readDefinition()
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
	if catalog.ThroughputOf(offer) > catalog.RangeRU && def.Member("partitionKey").Member("systemKey").IsTrue() {
		return nil, catalog.LegacyThroughput()
	}
	var created *catalog.Container
	err = e.writer.Change(q.ctx(), func(t *items.Txn, cat *catalog.Catalog) (*catalog.Catalog, error) {
		db := cat.Databases[q.segs[1]]
		if db == nil {
			return nil, apierror.OwnerMissing()
		}
		if db.Containers[id] != nil {
			return nil, apierror.Conflict()
		}
		if !offer.Defined() && db.Shared.Throughput.Load() == 0 {
			offer = catalog.DefaultOffer()
		}
		created = &catalog.Container{Database: db, ID: id, TS: t.Now, Revision: 1, Definition: def, State: new(catalog.ContainerState)}
		created.State.Throughput.Store(catalog.ThroughputOf(offer))
		if err := catalog.InsertContainer(t.Conn, created, e.ranges); err != nil {
			return nil, err
		}
		return cat.With(created), catalog.InsertOffer(t.Conn, t.Now, offer, created.Rid(), created.Self())
	})
	if err != nil {
		return nil, err
	}
	r := q.resource(http.StatusCreated, q.shown(created), created)
	delete(r.header, "X-Ms-Session-Token") // the service sends none for a new container
	return r, nil
}

func (e *Engine) readContainer(q *request) (*response, error) {
	c, err := q.container(apierror.ItemMissing)
	if err != nil {
		return nil, err
	}
	if q.unchanged(c.ETAG()) {
		return q.notModified(c.ETAG()), nil
	}
	document := q.shown(c)
	if isTrue(q.header("X-Ms-Documentdb-Populatepartitionstatistics")) {
		ranges, err := catalog.Statistics(q.ctx(), e.store, c)
		if err != nil {
			return nil, err
		}
		document = document.With("statistics", ranges)
	}
	r := q.resource(http.StatusOK, document, c)
	if isTrue(q.header("X-Ms-Documentdb-Populatequotainfo")) {
		var u catalog.Usage
		err := e.store.Read(q.ctx(), func(conn *storage.Conn) (err error) {
			u, err = catalog.MeasureUsage(q.ctx(), conn, c)
			return err
		})
		if err != nil {
			return nil, err
		}
		r.set("X-Ms-Resource-Quota", c.Quota())
		r.set("X-Ms-Resource-Usage", u.String())
	}
	r.set("X-Ms-Documentdb-Collection-Index-Transformation-Progress", "100")
	if c.Policy.Lazy {
		r.set("X-Ms-Documentdb-Collection-Lazy-Indexing-Progress", "100")
	}
	return r, nil
}

func (e *Engine) replaceContainer(q *request) (*response, error) {
	def, err := q.readDefinition()
	if err != nil {
		return nil, err
	}
	var next *catalog.Container
	err = e.writer.Change(q.ctx(), func(t *items.Txn, cat *catalog.Catalog) (*catalog.Catalog, error) {
		old, err := cat.Container(q.segs[1], q.segs[3])
		if err != nil {
			return nil, apierror.ItemMissing()
		}
		if !items.Matches(q.header("If-Match"), old.ETAG()) {
			return nil, apierror.PreconditionFailed()
		}
		replaced := *old
		next = &replaced
		next.TS, next.Revision, next.TTL = t.Now, old.Revision+1, nil
		next.Definition = def
		if err := catalog.Immutable(old.Definition, next.Definition); err != nil {
			return nil, err
		}
		if err := next.Prepare(); err != nil {
			return nil, err
		}
		_, err = t.Exec("UPDATE containers SET ts = ?, revision = ?, definition = ? WHERE num = ?",
			next.TS, next.Revision, next.Definition.JSON(), next.Num)
		if err != nil {
			return nil, err
		}
		return cat.With(next), catalog.MigrateTable(t.Ctx, t.Conn, t.Now, old, next)
	})
	if err != nil {
		return nil, err
	}
	return q.resource(http.StatusOK, q.shown(next), next), nil
}

func (e *Engine) deleteContainer(q *request) (*response, error) {
	err := e.writer.Change(q.ctx(), func(t *items.Txn, cat *catalog.Catalog) (*catalog.Catalog, error) {
		c, err := cat.Container(q.segs[1], q.segs[3])
		if err != nil {
			return nil, apierror.ItemMissing()
		}
		if !items.Matches(q.header("If-Match"), c.ETAG()) {
			return nil, apierror.PreconditionFailed()
		}
		return cat.Without(c), catalog.DropContainer(t.Conn, c)
	})
	if err != nil {
		return nil, err
	}
	return q.respond(http.StatusNoContent, nil, charge.MetadataRU), nil
}
