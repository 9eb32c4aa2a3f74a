package embedded

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"strings"
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

// resource ids: base64 of the bytes that the SDKs take apart.
var ridEncoding = base64.StdEncoding

func ridText(b []byte) string { return string(encodeRID(nil, b)) }

// ridBytes undoes ridText.
func ridBytes(text string) ([]byte, error) {
	return ridEncoding.DecodeString(strings.ReplaceAll(text, "-", "/"))
}

func encodeRID(dst, b []byte) []byte {
	from := len(dst)
	dst = ridEncoding.AppendEncode(dst, b)
	for i, c := range dst[from:] {
		if c == '/' {
			dst[from+i] = '-'
		}
	}
	return dst
}

func (d *database) ridBytes() []byte { return binary.BigEndian.AppendUint32(nil, uint32(d.num)) }

func (d *database) rid() string { return ridText(d.ridBytes()) }

func (d *database) self() string { return "dbs/" + d.rid() + "/" }

// ridBytes has the top bit of its fifth byte set, which marks a container.
func (c *container) ridBytes() []byte {
	return binary.BigEndian.AppendUint32(c.db.ridBytes(), uint32(c.num)|1<<31)
}

// containerNames are the names of a container that answers repeat, computed once.
type containerNames struct {
	rid, self, altPath string
	ridPrefix          []byte
}

func (c *container) name() {
	prefix := c.ridBytes()
	rid := ridText(prefix)
	c.names = containerNames{rid: rid, self: c.db.self() + "colls/" + rid + "/",
		altPath: "dbs/" + c.db.id + "/colls/" + c.id, ridPrefix: prefix}
}

func (c *container) rid() string { return c.names.rid }

func (c *container) self() string { return c.names.self }
