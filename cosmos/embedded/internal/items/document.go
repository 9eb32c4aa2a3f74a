package items

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"strconv"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

// MaxBody is the maximum size of an item and of a request body, in bytes.
const MaxBody = 2 << 20

const maxIDBytes = 1023

// MaxWrappedDepth is the maximum nesting of a request that contains items or parts of them. A batch
// adds five levels around the value of a patch. Items themselves are limited to value.MaxDepth.
const MaxWrappedDepth = value.MaxDepth + 5

// document is an item prepared for storage.
type document struct {
	container *catalog.Container // definition for which keys were computed
	value     value.Value
	ID        string
	body      string // canonical JSON without system properties
	ttl       *int64
	keys      []driver.Value // sort keys of the table's indexed paths
	before    []driver.Value // those of the item that was patched; nil if there was none
	Units     int64
}

// NewDocument validates an item and prepares it for storage.
func NewDocument(c *catalog.Container, item value.Value) (*document, error) {
	if item.Kind() != value.Object {
		return nil, apierror.BadRequest("The item is not a JSON object.")
	}
	item = item.Without(catalog.IsSystemProperty)
	id := item.Member("id")
	if id.Kind() != value.String || id.Str() == "" {
		return nil,
			apierror.BadRequest("The input content is invalid because the required properties - 'id; ' - are missing.")
	}
	if len(id.Str()) > maxIDBytes {
		return nil, apierror.BadRequest("The id is longer than %d bytes.", maxIDBytes)
	}
	d := &document{container: c, value: item, ID: id.Str()}
	if ttl := item.Member("ttl"); ttl.Defined() && c.TTL != nil {
		n, err := catalog.CheckTTL(ttl)
		if err != nil {
			return nil, err
		}
		d.ttl = &n
	} else if n, ok := ttl.Int(); ok {
		d.ttl = &n // stored in case the container's time to live is enabled later
	}
	if item.DeeperThan(value.MaxDepth) {
		return nil, apierror.BadRequest("The item is nested more than %d levels deep.", value.MaxDepth)
	}
	body := item.AppendJSON(make([]byte, 0, 512))
	if len(body) > MaxBody {
		return nil, apierror.TooLarge()
	}
	d.body = string(body)
	d.prepare()
	return d, nil
}

// prepare computes the values that depend on the container's policies.
func (d *document) prepare() {
	c := d.container
	d.keys = keysOf(c.Table, d.value)
	d.Units = charge.ItemUnits(len(d.body), c.Policy.CountLeaves(d.value), c.KeyIsID)
}

// keysOf returns the sort keys of an item.
func keysOf(t *catalog.Table, item value.Value) []driver.Value {
	keys := make([]driver.Value, len(t.IndexPaths))
	for i, path := range t.IndexPaths {
		if key := item.At(path...).Key(); key != nil {
			keys[i] = key
		}
	}
	return keys
}

// changesKeys reports whether a sort key differs from that of the stored item. Parsing the old body
// costs less than updating the entries of one index.
func (d *document) changesKeys(old *Stored) (bool, error) {
	if len(d.keys) == 0 {
		return false, nil
	}
	before := d.before
	if before == nil {
		item, err := value.Parse(old.Body)
		if err != nil {
			return false, err
		}
		before = keysOf(d.container.Table, item)
	}
	for i, key := range before {
		was, _ := key.([]byte)
		is, _ := d.keys[i].([]byte)
		if !bytes.Equal(was, is) || (was == nil) != (is == nil) {
			return true, nil
		}
	}
	return false, nil
}

// Stored is an item as stored in the table.
type Stored struct {
	RID, version, TS int64
	exp              int64 // Unix time of expiry; 0: never
	units, LSN       int64
	PK               []byte
	ID, Body         string
}

// ScanFound converts a row of the foundColumns.
func ScanFound(r []driver.Value) Stored {
	return Stored{RID: storage.AsInt(r[0]), version: storage.AsInt(r[1]), TS: storage.AsInt(r[2]),
		exp: storage.AsInt(r[3]), units: storage.AsInt(r[4]), Body: storage.AsText(r[5])}
}

// ScanItem converts a row of the ItemColumns.
func ScanItem(r []driver.Value) Stored {
	pk, _ := r[6].([]byte)
	return Stored{RID: storage.AsInt(r[0]), version: storage.AsInt(r[1]), TS: storage.AsInt(r[2]),
		exp: storage.AsInt(r[3]), units: storage.AsInt(r[4]),
		LSN: storage.AsInt(r[5]), PK: pk, ID: storage.AsText(r[7]), Body: storage.AsText(r[8])}
}

// Expired reports whether the time to live of the item has passed at a Unix time.
func (s *Stored) Expired(now int64) bool { return s.exp != 0 && s.exp <= now }

// ETAG returns the etag of the item.
func (s *Stored) ETAG() string { return catalog.FormatETag(s.version, s.TS) }

// Render returns the JSON of the item as clients see it. withLSN adds the property _lsn of the
// change feed.
func (s *Stored) Render(c *catalog.Container, withLSN bool) []byte {
	b := make([]byte, 0, len(s.Body)+220)
	b = append(b, s.Body[:len(s.Body)-1]...)
	var ridBytes [16]byte
	copy(ridBytes[:], c.Names.RIDPrefix)
	binary.LittleEndian.PutUint64(ridBytes[8:], uint64(s.RID))
	var encoded [24]byte
	rid := catalog.EncodeRID(encoded[:0], ridBytes[:])
	b = append(b, `,"_rid":"`...)
	b = append(b, rid...)
	b = append(b, `","_self":"`...)
	b = append(b, c.Self()...)
	b = append(b, "docs/"...)
	b = append(b, rid...)
	b = append(b, `/","_etag":"\"`...)
	b = append(b, s.ETAG()[1:]...)
	b = append(b[:len(b)-1], `\""`...)
	b = append(b, `,"_attachments":"attachments/","_ts":`...)
	b = strconv.AppendInt(b, s.TS, 10)
	if withLSN {
		b = strconv.AppendInt(append(b, `,"_lsn":`...), s.LSN, 10)
	}
	return append(b, '}')
}
