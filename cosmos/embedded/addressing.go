package embedded

import (
	"bytes"
	"encoding/binary"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/storage"
)

// A resource has two addresses: one of the ids that its creators chose, and one of the rids (_rid,
// _self) that the engine assigned. A client signs an address of ids as it is written. Of an address
// of rids it signs only the last rid, in lower case. So the signature tells them apart even if a
// database is named like a rid. See
// https://learn.microsoft.com/rest/api/cosmos-db/access-control-on-cosmosdb-resources.

// signedRID returns the part of a path of rids that a client signs: the resource's own rid or, for
// a feed, its parent's. It is empty for a path without a rid.
func signedRID(segs []string) string {
	n := len(segs)
	switch {
	case n < 2:
		return ""
	case n%2 == 1:
		return segs[n-2]
	}
	return segs[n-1]
}

// resolve replaces the rids in the request's path by ids, which the handlers expect. It leaves
// offers alone, which are only addressed by rid.
func (q *request) resolve() error {
	if len(q.segs) < 2 || q.segs[0] != "dbs" {
		return nil
	}
	missing := func(depth int) error {
		if len(q.segs) == depth {
			return apierror.ItemMissing()
		}
		return apierror.OwnerMissing()
	}
	db := q.engine.catalog.Load().DatabaseByRID(q.segs[1])
	if db == nil {
		return missing(2)
	}
	q.segs[1] = db.ID
	if len(q.segs) < 4 {
		return nil
	}
	c := db.ContainerByRID(q.segs[3])
	if c == nil {
		return missing(4)
	}
	q.segs[3] = c.ID
	if len(q.segs) < 6 || q.segs[4] != "docs" {
		return nil
	}
	return q.resolveItem(c)
}

// resolveItem replaces the rid of an item by its id. An item in another partition may have the same
// id, so the operation also compares the rid.
func (q *request) resolveItem(c *catalog.Container) error {
	b, err := catalog.DecodeRID(q.segs[5])
	prefix := c.Names.RIDPrefix
	if err != nil || len(b) != len(prefix)+8 || !bytes.HasPrefix(b, prefix) {
		return apierror.ItemMissing()
	}
	q.itemRID = int64(binary.LittleEndian.Uint64(b[len(prefix):]))
	return q.engine.store.Read(q.ctx(), func(conn *storage.Conn) error {
		row, err := conn.One("SELECT id FROM "+c.Table.Name+" WHERE rid = ?", q.itemRID)
		switch {
		case err != nil:
			return err
		case row == nil:
			return apierror.ItemMissing()
		}
		q.segs[5] = storage.AsText(row[0])
		return nil
	})
}
