package catalog

import (
	"errors"
	"maps"
	"sync/atomic"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// catalog is all databases and containers at one moment. It is replaced whole, by the
// writer, and never changed.
type Catalog struct {
	Databases map[string]*Database
	ByNum     map[int64]*Container
}

type Database struct {
	Num        int64
	ID         string
	TS         int64
	Containers map[string]*Container
	Shared     *SharedThroughput
}

// container is the definition of a container; replacing the definition makes a new one
// that shares the state.
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
	SystemKey  bool // it was created without a partition key, see legacy.go
	Policy     *IndexingPolicy
	UniqueKeys [][]string
	TTL        *int64 // nil: expiry is off
	Table      *Table
	Schema     *query.Schema

	Ranges []*FeedRange // by their bounds
	split  []*FeedRange // those that were split, see split.go
	State  *ContainerState
}

// containerState is what outlives a change of the definition.
type ContainerState struct {
	Version    int64        // of the newest write: rids and etags are made from it. It is the writer's.
	Throughput atomic.Int64 // that was set for it, in RU a second; 0: none
}

func (c *Catalog) Clone() *Catalog {
	return &Catalog{Databases: maps.Clone(c.Databases), ByNum: maps.Clone(c.ByNum)}
}

// with returns the catalog in which c replaces its namesake.
func (c *Catalog) With(added *Container) *Catalog {
	next := c.Clone()
	db := *next.Databases[added.Database.ID]
	db.Containers = maps.Clone(db.Containers)
	db.Containers[added.ID] = added
	next.Databases[db.ID] = &db
	next.ByNum[added.Num] = added
	return next
}

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

func (c *Catalog) Container(database, id string) (*Container, error) {
	db := c.Databases[database]
	if db == nil || db.Containers[id] == nil {
		return nil, errMissing
	}
	return db.Containers[id], nil
}

// hasRIDs reports whether a path has rids instead of ids: its first segment is the rid of a
// database, and not the id of any. It is used where the signature does not decide, as with tokens.
func (c *Catalog) HasRIDs(segs []string) bool {
	return len(segs) > 1 && segs[0] == "dbs" && c.Databases[segs[1]] == nil && c.DatabaseByRID(segs[1]) != nil
}

func (c *Catalog) DatabaseByRID(rid string) *Database {
	for _, db := range c.Databases {
		if db.Rid() == rid {
			return db
		}
	}
	return nil
}

func (d *Database) ContainerByRID(rid string) *Container {
	for _, c := range d.Containers {
		if c.Rid() == rid {
			return c
		}
	}
	return nil
}
