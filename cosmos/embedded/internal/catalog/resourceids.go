package catalog

import (
	"encoding/base64"
	"encoding/binary"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// ridEncoding encodes resource ids (rids) as base64. SDKs decode them.
var ridEncoding = base64.StdEncoding

// FormatRID returns a resource id as text: base64 with "-" instead of "/".
func FormatRID(b []byte) string { return string(EncodeRID(nil, b)) }

// DecodeRID is the inverse of FormatRID.
func DecodeRID(text string) ([]byte, error) {
	return ridEncoding.DecodeString(strings.ReplaceAll(text, "-", "/"))
}

// EncodeRID appends a resource id to dst in the form of FormatRID.
func EncodeRID(dst, b []byte) []byte {
	from := len(dst)
	dst = ridEncoding.AppendEncode(dst, b)
	for i, c := range dst[from:] {
		if c == '/' {
			dst[from+i] = '-'
		}
	}
	return dst
}

// RIDBytes returns the resource id of the database as bytes.
func (d *Database) RIDBytes() []byte { return binary.BigEndian.AppendUint32(nil, uint32(d.Num)) }

// Rid returns the resource id of the database as text.
func (d *Database) Rid() string { return FormatRID(d.RIDBytes()) }

// Self returns the path of the database that consists of resource ids.
func (d *Database) Self() string { return "dbs/" + d.Rid() + "/" }

// RIDBytes returns the rid as bytes. The top bit of the fifth byte marks a container.
func (c *Container) RIDBytes() []byte {
	return binary.BigEndian.AppendUint32(c.Database.RIDBytes(), uint32(c.Num)|1<<31)
}

// containerNames holds the names of a container that responses repeat. They are computed once.
type containerNames struct {
	rid, self, AltPath string
	RIDPrefix          []byte
}

func (c *Container) name() {
	prefix := c.RIDBytes()
	rid := FormatRID(prefix)
	c.Names = containerNames{rid: rid, self: c.Database.Self() + "colls/" + rid + "/",
		AltPath: "dbs/" + c.Database.ID + "/colls/" + c.ID, RIDPrefix: prefix}
}

// Rid returns the resource id of the container as text.
func (c *Container) Rid() string { return c.Names.rid }

// Self returns the path of the container that consists of resource ids.
func (c *Container) Self() string { return c.Names.self }

// Document returns the database as clients see it.
func (d *Database) Document() value.Value {
	text := value.OfString
	return value.OfObject([]value.Member{
		{Name: "id", Value: text(d.ID)}, {Name: "_rid", Value: text(d.Rid())}, {Name: "_self", Value: text(d.Self())},
		{Name: "_etag", Value: text(FormatETag(d.Num, d.TS))}, {Name: "_colls", Value: text("colls/")},
		{Name: "_users", Value: text("users/")}, {Name: "_ts", Value: value.OfInt(d.TS)},
	})
}

// IsSystemProperty reports whether the engine sets a property of that name on items.
func IsSystemProperty(name string) bool {
	switch name {
	case "_rid", "_self", "_etag", "_attachments", "_ts", "_lsn":
		return true
	}
	return false
}

const hexDigits = "0123456789abcdef"

// FormatETag returns a quoted etag in the form of a GUID. No other write to the container has the
// same version, so the etag is unique.
func FormatETag(version, ts int64) string {
	b := []byte(`"00000000-0000-0000-0000-000000000000"`)
	hex := func(v uint64, end int) {
		for i := end; v > 0; i-- {
			b[i] = hexDigits[v&15]
			v >>= 4
		}
	}
	hex(uint64(version)&0xFFFFFFFF, 8)
	hex(uint64(version)>>32&0xFFFF, 18)
	hex(uint64(ts)&0xFFFFFFFFFFFF, 36)
	return string(b)
}
