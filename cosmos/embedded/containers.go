package embedded

import (
	"net/http"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

func (e *Engine) createContainer(q *request) (*response, error) {
	sent, def, err := q.readDefinition()
	if err != nil {
		return nil, err
	}
	id := def.Member("id").Str()
	if err := catalog.CheckName(id); err != nil {
		return nil, err
	}
	if err := catalog.CheckRequest(sent, def, value.Value{}); err != nil {
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
		created = &catalog.Container{Database: db, ID: id, TS: t.Now, Revision: 1, Definition: def,
			State: new(catalog.ContainerState)}
		created.State.Throughput.Store(catalog.ThroughputOf(offer))
		if err := catalog.InsertContainer(t.Conn, created, e.ranges); err != nil {
			return nil, err
		}
		return cat.With(created), catalog.InsertOffer(t.Conn, t.Now, offer, created.Rid(), created.Self())
	})
	if err != nil {
		return nil, err
	}
	return q.resource(http.StatusCreated, q.containerDocument(created), created), nil
}

func (e *Engine) readContainer(q *request) (*response, error) {
	c, err := q.container(apierror.ItemMissing)
	if err != nil {
		return nil, err
	}
	if q.unchanged(c.ETAG()) {
		return q.notModified(c.ETAG()), nil
	}
	document := q.containerDocument(c)
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
	sent, def, err := q.readDefinition()
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
		if err := catalog.CheckUnchangeable(old.Definition, next.Definition); err != nil {
			return nil, err
		}
		if err := catalog.CheckRequest(sent, def, old.Definition); err != nil {
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
	return q.resource(http.StatusOK, q.containerDocument(next), next), nil
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

// API versions before 2018-12-31 support containers without a partition key. Such a container has
// one feed range and at most 10,000 RU/s, and its items are addressed by id alone. Newer versions
// show it with a partition key that the system defines, and address its items with the empty key,
// []. See
// https://learn.microsoft.com/azure/cosmos-db/migrate-containers-partitioned-to-nonpartitioned. The
// member systemKey and the empty key are as in Microsoft's SDKs for .NET and JavaScript.

// keyedVersion is the first API version in which each container has a partition key.
const keyedVersion = "2018-12-31"

// systemKey is the partition key definition of a container that was created without one.
const systemKey = `{"paths":["/_partitionKey"],"kind":"Hash","version":2,"systemKey":true}`

// legacy reports whether the client's API version supports containers without a partition key.
// Versions are dates. A request without a version counts as one of the newest version.
func (q *request) legacy() bool {
	version := q.header("X-Ms-Version")
	return version != "" && version < keyedVersion
}

// readDefinition parses the definition of a container. It returns the definition as it was sent, and with the service's
// defaults, validated.
func (q *request) readDefinition() (sent, def value.Value, err error) {
	if sent, err = q.json(); err != nil {
		return sent, def, err
	}
	def = sent
	key := def.Member("partitionKey")
	switch {
	case def.Member("defaultTtl").Kind() == value.Null:
		return sent, def,
			apierror.BadRequest("The default time to live is null. Leave it out, or set -1 or a number of seconds.")
	case key.Member("systemKey").IsTrue() && q.Method == http.MethodPost:
		return sent, def, apierror.BadRequest(
			"A systemKey marks containers that were created without a partition key. It cannot be set.",
		)
	case key.Kind() > value.Null:
	case !q.legacy():
		return sent, def, apierror.BadRequest(
			"The definition of a container has no partition key. Only API versions before %s create "+
				"containers without one.",
			keyedVersion,
		)
	default:
		key, _ = value.Parse(systemKey) // a constant
		def = def.With("partitionKey", key)
	}
	def = catalog.Complete(def)
	return sent, def, catalog.CheckDefinition(def)
}

// containerDocument returns the definition of a container as the client's API version shows it.
func (q *request) containerDocument(c *catalog.Container) value.Value {
	if c.SystemKey && q.legacy() {
		return c.Document().Without(func(name string) bool { return name == "partitionKey" })
	}
	return c.Document()
}

// keyText returns the partition key header. If the client's API version sees no partition key on
// the container, it returns the key of items without one.
func (q *request) keyText(c *catalog.Container) string {
	text := q.header(keyHeader)
	if text == "" && c.SystemKey && q.legacy() {
		return "[]"
	}
	return text
}

// queryConflicts returns an empty list. Conflicts occur between writes in several regions, and the
// engine has one region.
func (e *Engine) queryConflicts(q *request) (*response, error) {
	c, err := q.container(apierror.OwnerMissing)
	if err != nil {
		return nil, err
	}
	return e.queryResources(q, "Conflicts", c.Rid(), nil)
}

// readConflict reads or deletes a conflict. It always fails with 404, since there are no conflicts.
func (e *Engine) readConflict(q *request) (*response, error) {
	c, err := q.container(apierror.OwnerMissing)
	if err != nil {
		return nil, err
	}
	if _, _, err := q.partition(c); err != nil {
		return nil, err
	}
	return nil, apierror.ItemMissing()
}
