package embedded

import (
	"errors"
	"maps"
	"sync/atomic"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// catalog is all databases and containers at one moment. It is replaced whole, by the
// writer, and never changed.
type catalog struct {
	databases map[string]*database
	byNum     map[int64]*container
}

type database struct {
	num        int64
	id         string
	ts         int64
	containers map[string]*container
	shared     *sharedThroughput
}

// container is the definition of a container; replacing the definition makes a new one
// that shares the state.
type container struct {
	num        int64
	db         *database
	id         string
	ts         int64
	revision   int64
	definition value.Value

	names      containerNames
	keyPaths   [][]string
	multiHash  bool
	keyIsID    bool
	systemKey  bool // it was created without a partition key, see legacy.go
	policy     *indexPolicy
	uniqueKeys [][]string
	ttl        *int64 // nil: expiry is off
	table      *table
	schema     *query.Schema

	ranges []*feedRange // by their bounds
	split  []*feedRange // those that were split, see split.go
	state  *containerState
}

// containerState is what outlives a change of the definition.
type containerState struct {
	version    int64        // of the newest write: rids and etags are made from it. It is the writer's.
	throughput atomic.Int64 // that was set for it, in RU a second; 0: none
}

func (c *catalog) clone() *catalog {
	return &catalog{databases: maps.Clone(c.databases), byNum: maps.Clone(c.byNum)}
}

// with returns the catalog in which c replaces its namesake.
func (c *catalog) with(added *container) *catalog {
	next := c.clone()
	db := *next.databases[added.db.id]
	db.containers = maps.Clone(db.containers)
	db.containers[added.id] = added
	next.databases[db.id] = &db
	next.byNum[added.num] = added
	return next
}

func (c *catalog) without(removed *container) *catalog {
	next := c.clone()
	db := *next.databases[removed.db.id]
	db.containers = maps.Clone(db.containers)
	delete(db.containers, removed.id)
	next.databases[db.id] = &db
	delete(next.byNum, removed.num)
	return next
}

var errMissing = errors.New("missing")

func (c *catalog) container(database, id string) (*container, error) {
	db := c.databases[database]
	if db == nil || db.containers[id] == nil {
		return nil, errMissing
	}
	return db.containers[id], nil
}

// hasRIDs reports whether a path has rids instead of ids: its first segment is the rid of a
// database, and not the id of any. It is used where the signature does not decide, as with tokens.
func (c *catalog) hasRIDs(segs []string) bool {
	return len(segs) > 1 && segs[0] == "dbs" && c.databases[segs[1]] == nil && c.databaseByRID(segs[1]) != nil
}

func (c *catalog) databaseByRID(rid string) *database {
	for _, db := range c.databases {
		if db.rid() == rid {
			return db
		}
	}
	return nil
}

func (d *database) containerByRID(rid string) *container {
	for _, c := range d.containers {
		if c.rid() == rid {
			return c
		}
	}
	return nil
}
