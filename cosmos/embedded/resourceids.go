package embedded

import (
	"encoding/base64"
	"encoding/binary"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

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

// document is the database as the client sees it.
func (d *database) document() value.Value {
	text := value.OfString
	return value.OfObject([]value.Member{
		{Name: "id", Value: text(d.id)}, {Name: "_rid", Value: text(d.rid())}, {Name: "_self", Value: text(d.self())},
		{Name: "_etag", Value: text(formatETag(d.num, d.ts))}, {Name: "_colls", Value: text("colls/")},
		{Name: "_users", Value: text("users/")}, {Name: "_ts", Value: value.OfInt(d.ts)},
	})
}

func isSystemProperty(name string) bool {
	switch name {
	case "_rid", "_self", "_etag", "_attachments", "_ts", "_lsn":
		return true
	}
	return false
}

const hexDigits = "0123456789abcdef"

// formatETag makes a quoted, GUID-like etag of a version, which no other write of the
// container has.
func formatETag(version, ts int64) string {
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
