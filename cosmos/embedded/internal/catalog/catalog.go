// Package catalog holds the definitions of databases and containers: partition keys, indexing
// policies, unique keys, feed ranges and offers. It also maps each container to its SQLite table
// and loads and stores all of this.
package catalog

import (
	"errors"
	"maps"
	"sync/atomic"

	"inkfeed/cosmos/embedded/internal/pushdown"
	"inkfeed/cosmos/embedded/internal/value"
)

// Catalog holds the definitions of all databases and containers at one moment. It is immutable: the
// writer replaces it as a whole.
type Catalog struct {
	Databases map[string]*Database
	ByNum     map[int64]*Container
}

// Database is the definition of a database with its containers by their ids.
type Database struct {
	Num        int64
	ID         string
	TS         int64
	Containers map[string]*Container
	Shared     *SharedThroughput
}

// Container is the definition of a container. Replacing the definition makes a new Container that
// shares the state of the old one.
type Container struct {
	Num        int64
	Database   *Database
	ID         string
	TS         int64
	Revision   int64
	Definition value.Value

	Names      containerNames
	KeyPaths   [][]string
	multiHash  bool
	KeyIsID    bool
	SystemKey  bool // the container was created without a partition key, see systemkey.go
	Policy     *IndexingPolicy
	UniqueKeys [][]string
	TTL        *int64 // default time to live in seconds; nil: items do not expire
	Table      *Table
	Schema     *pushdown.Schema

	Ranges []*FeedRange // current feed ranges, ordered by their bounds
	split  []*FeedRange // feed ranges that were replaced by a split
	State  *ContainerState
}

// ContainerState is the state of a container that survives a change of its definition.
type ContainerState struct {
	Version    int64        // version of the newest write, from which rids and etags are made; only the writer uses it
	Throughput atomic.Int64 // provisioned throughput of the container in RU/s; 0: none of its own
}

// Clone returns a copy of the catalog that shares the databases and containers.
func (c *Catalog) Clone() *Catalog {
	return &Catalog{Databases: maps.Clone(c.Databases), ByNum: maps.Clone(c.ByNum)}
}

// With returns a copy of the catalog in which added replaces the container of the same name.
func (c *Catalog) With(added *Container) *Catalog {
	next := c.Clone()
	db := *next.Databases[added.Database.ID]
	db.Containers = maps.Clone(db.Containers)
	db.Containers[added.ID] = added
	next.Databases[db.ID] = &db
	next.ByNum[added.Num] = added
	return next
}

// Without returns a copy of the catalog that lacks a container.
func (c *Catalog) Without(removed *Container) *Catalog {
	next := c.Clone()
	db := *next.Databases[removed.Database.ID]
	db.Containers = maps.Clone(db.Containers)
	delete(db.Containers, removed.ID)
	next.Databases[db.ID] = &db
	delete(next.ByNum, removed.Num)
	return next
}

var errMissing = errors.New("missing")

// Container returns a container by the ids of its database and its own. It fails with 404 if there is none.
func (c *Catalog) Container(database, id string) (*Container, error) {
	db := c.Databases[database]
	if db == nil || db.Containers[id] == nil {
		return nil, errMissing
	}
	return db.Containers[id], nil
}

// HasRIDs reports whether a path consists of rids instead of ids: its first segment is the rid of a
// database and not the id of any database. It is needed for tokens, whose signature does not cover
// the path.
func (c *Catalog) HasRIDs(segs []string) bool {
	return len(segs) > 1 && segs[0] == "dbs" && c.Databases[segs[1]] == nil && c.DatabaseByRID(segs[1]) != nil
}

// DatabaseByRID returns the database with a resource id, or nil.
func (c *Catalog) DatabaseByRID(rid string) *Database {
	for _, db := range c.Databases {
		if db.Rid() == rid {
			return db
		}
	}
	return nil
}

// ContainerByRID returns the container with a resource id, or nil.
func (d *Database) ContainerByRID(rid string) *Container {
	for _, c := range d.Containers {
		if c.Rid() == rid {
			return c
		}
	}
	return nil
}
