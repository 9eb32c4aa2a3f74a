package embedded

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"strconv"

	"inkfeed/cosmos/embedded/internal/value"
)

// maxBody bounds an item and the body of a request, in bytes.
const maxBody = 2 << 20

const maxIDBytes = 1023

// maxWrappedDepth is how deep a request may nest that wraps items or parts of them: a
// batch puts five levels around the value of a patch. The items themselves may have
// value.MaxDepth.
const maxWrappedDepth = value.MaxDepth + 5

// document is an item as it is to be stored, with all that was computed from it.
type document struct {
	container *container // whose definition the keys follow
	value     value.Value
	id        string
	body      string // canonical, without system properties
	ttl       *int64
	keys      []driver.Value // of the table's indexed paths
	units     int64
}

// newDocument checks an item that a client sent or a patch made, and prepares it.
func newDocument(c *container, item value.Value) (*document, error) {
	if item.Kind() != value.Object {
		return nil, badRequest("The item is not a JSON object.")
	}
	item = item.Without(isSystemProperty)
	id := item.Member("id")
	if id.Kind() != value.String || id.Str() == "" {
		return nil, badRequest("The input content is invalid because the required properties - 'id; ' - are missing.")
	}
	if len(id.Str()) > maxIDBytes {
		return nil, badRequest("The id is longer than %d bytes.", maxIDBytes)
	}
	d := &document{container: c, value: item, id: id.Str()}
	if ttl := item.Member("ttl"); ttl.Defined() && c.ttl != nil {
		n, err := checkTTL(ttl)
		if err != nil {
			return nil, err
		}
		d.ttl = &n
	} else if n, ok := ttl.Int(); ok {
		d.ttl = &n // kept for when the container's expiry is turned on
	}
	if item.DeeperThan(value.MaxDepth) {
		return nil, badRequest("The item is nested more than %d levels deep.", value.MaxDepth)
	}
	body := item.AppendJSON(make([]byte, 0, 512))
	if len(body) > maxBody {
		return nil, errTooLarge()
	}
	d.body = string(body)
	d.prepare()
	return d, nil
}

// prepare computes what depends on the container's policies.
func (d *document) prepare() {
	c := d.container
	d.keys = keysOf(c.table, d.value)
	d.units = itemUnits(len(d.body), c.policy.countLeaves(d.value), c.keyIsID)
}

// keysOf computes the sort keys of an item.
func keysOf(t *table, item value.Value) []driver.Value {
	keys := make([]driver.Value, len(t.indexPaths))
	for i, path := range t.indexPaths {
		if key := item.At(path...).Key(); key != nil {
			keys[i] = key
		}
	}
	return keys
}

// changesKeys tells whether the document differs from the stored item in a key. Reading
// the old body costs less than to write the entries of one index again.
func (d *document) changesKeys(old *stored) (bool, error) {
	if len(d.keys) == 0 {
		return false, nil
	}
	item, err := value.Parse(old.body)
	if err != nil {
		return false, err
	}
	for i, key := range keysOf(d.container.table, item) {
		was, _ := key.([]byte)
		is, _ := d.keys[i].([]byte)
		if !bytes.Equal(was, is) || (was == nil) != (is == nil) {
			return true, nil
		}
	}
	return false, nil
}

// stored is an item as it is in the table.
type stored struct {
	rid, version, ts int64
	exp              int64 // 0: never
	units, lsn       int64
	pk               []byte
	id, body         string
}

// scanFound reads the foundColumns of a row.
func scanFound(r []driver.Value) stored {
	return stored{rid: asInt(r[0]), version: asInt(r[1]), ts: asInt(r[2]), exp: asInt(r[3]), units: asInt(r[4]), body: asText(r[5])}
}

// scanItem reads the itemColumns of a row.
func scanItem(r []driver.Value) stored {
	pk, _ := r[6].([]byte)
	return stored{rid: asInt(r[0]), version: asInt(r[1]), ts: asInt(r[2]), exp: asInt(r[3]), units: asInt(r[4]),
		lsn: asInt(r[5]), pk: pk, id: asText(r[7]), body: asText(r[8])}
}

func (s *stored) expired(now int64) bool { return s.exp != 0 && s.exp <= now }

func (s *stored) etag() string { return formatETag(s.version, s.ts) }

// render writes the item as clients see it; withLSN adds what the change feed does.
func (s *stored) render(c *container, withLSN bool) []byte {
	b := make([]byte, 0, len(s.body)+220)
	b = append(b, s.body[:len(s.body)-1]...)
	var ridBytes [16]byte
	copy(ridBytes[:], c.names.ridPrefix)
	binary.LittleEndian.PutUint64(ridBytes[8:], uint64(s.rid))
	var encoded [24]byte
	rid := encodeRID(encoded[:0], ridBytes[:])
	b = append(b, `,"_rid":"`...)
	b = append(b, rid...)
	b = append(b, `","_self":"`...)
	b = append(b, c.self()...)
	b = append(b, "docs/"...)
	b = append(b, rid...)
	b = append(b, `/","_etag":"\"`...)
	b = append(b, s.etag()[1:]...)
	b = append(b[:len(b)-1], `\""`...)
	b = append(b, `,"_attachments":"attachments/","_ts":`...)
	b = strconv.AppendInt(b, s.ts, 10)
	if withLSN {
		b = strconv.AppendInt(append(b, `,"_lsn":`...), s.lsn, 10)
	}
	return append(b, '}')
}
