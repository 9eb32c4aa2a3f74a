package embedded

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/value"
)

const maxKeyBytes = 2048

// encodeKey writes a partition key, or a prefix of one, as bytes: its identity in the
// table. Each component delimits itself, so the encoding of a prefix begins that of
// every key below it.
func encodeKey(components []value.Value) []byte {
	buf := make([]byte, 0, 48)
	for _, c := range components {
		switch c.Kind() {
		case value.Undefined:
			buf = append(buf, 0x00)
		case value.Number:
			buf = binary.BigEndian.AppendUint64(append(buf, 0x05), math.Float64bits(c.Float()+0))
		case value.String:
			buf = append(buf, 0x06)
			buf = append(buf, strings.ReplaceAll(c.Str(), "\x00", "\x00\xFF")...)
			buf = append(buf, 0x00, 0x00)
		default:
			buf = c.AppendKey(buf)
		}
	}
	return buf
}

// encodeKeyPrefix is the encoding of a string without its end.
func encodeKeyPrefix(prefix string) []byte {
	enc := encodeKey([]value.Value{value.OfString(prefix)})
	return enc[:len(enc)-2]
}

// decodeKey reads what encodeKey wrote.
func decodeKey(b []byte) []value.Value {
	var components []value.Value
	for len(b) > 0 {
		tag := b[0]
		b = b[1:]
		switch tag {
		case 0x00:
			components = append(components, value.Value{})
		case 0x01:
			components = append(components, value.NullValue())
		case 0x02, 0x03:
			components = append(components, value.OfBool(tag == 0x03))
		case 0x05:
			components = append(components, value.OfFloat(math.Float64frombits(binary.BigEndian.Uint64(b))))
			b = b[8:]
		case 0x06:
			end := 0
			for b[end] != 0 || b[end+1] != 0 {
				if b[end] == 0 {
					end++
				}
				end++
			}
			components = append(components, value.OfString(strings.ReplaceAll(string(b[:end]), "\x00\xFF", "\x00")))
			b = b[end+2:]
		}
	}
	return components
}

// hashKey returns the effective partition key of a key or prefix.
func (c *container) hashKey(components []value.Value) []byte {
	if c.multiHash {
		return epk.MultiHash(components)
	}
	return epk.Hash(components)
}

// keyOf extracts the partition key from an item.
func (c *container) keyOf(item value.Value) ([]value.Value, error) {
	key := make([]value.Value, len(c.keyPaths))
	for i, path := range c.keyPaths {
		key[i] = item.At(path...)
		if key[i].Kind() >= value.Array {
			return nil, badRequest("The value at the partition key path /%s is not a scalar.", strings.Join(path, "/"))
		}
		if err := checkKeyLength(key[i]); err != nil {
			return nil, err
		}
	}
	return key, nil
}

func checkKeyLength(v value.Value) error {
	if len(v.Str()) > maxKeyBytes {
		return badRequest("The partition key is longer than %d bytes.", maxKeyBytes)
	}
	return nil
}

// parseKeyHeader reads the partition key header: a JSON array of scalars, {} standing
// for undefined. The Go SDK quotes strings as Go does, so its escapes are read too.
func parseKeyHeader(text string) ([]value.Value, error) {
	bad := func() error {
		return badRequest("Partition key %s is invalid.", strconv.QuoteToASCII(text))
	}
	rest := strings.TrimSpace(text)
	if !strings.HasPrefix(rest, "[") || !strings.HasSuffix(rest, "]") || len(rest) < 2 {
		return nil, bad()
	}
	rest = strings.TrimSpace(rest[1 : len(rest)-1])
	var key []value.Value
	for rest != "" {
		v, n, ok := keyComponent(rest)
		if !ok {
			return nil, bad()
		}
		if err := checkKeyLength(v); err != nil {
			return nil, err
		}
		key = append(key, v)
		rest = strings.TrimLeft(rest[n:], " \t")
		if rest == "" {
			break
		}
		if rest[0] != ',' || strings.TrimSpace(rest[1:]) == "" {
			return nil, bad()
		}
		rest = strings.TrimLeft(rest[1:], " \t")
	}
	return key, nil
}

// keyComponent reads the first component of text and returns how long it is.
func keyComponent(text string) (v value.Value, n int, ok bool) {
	if text[0] == '"' {
		s, n, ok := lenientString(text)
		return value.OfString(s), n, ok
	}
	if strings.HasPrefix(text, "{") {
		end := strings.IndexByte(text, '}')
		return value.Value{}, end + 1, end > 0 && strings.TrimSpace(text[1:end]) == ""
	}
	end := strings.IndexAny(text, ", \t")
	if end < 0 {
		end = len(text)
	}
	v, err := value.Parse(text[:end])
	return v, end, err == nil && v.Kind() < value.Array
}

// lenientString reads a quoted string with the escapes of JSON and of Go.
func lenientString(text string) (s string, n int, ok bool) {
	end := 1
	goEscapes := false
	for ; end < len(text) && text[end] != '"'; end++ {
		if text[end] == '\\' && end+1 < len(text) {
			end++
			goEscapes = goEscapes || strings.IndexByte("avxU", text[end]) >= 0
		}
	}
	if end >= len(text) {
		return "", 0, false
	}
	quoted := text[:end+1]
	if !goEscapes {
		v, err := value.Parse(quoted)
		return v.Str(), end + 1, err == nil
	}
	// Go does not know \/, and \\/ is not it.
	s, err := strconv.Unquote(strings.NewReplacer(`\\`, `\\`, `\/`, `/`).Replace(quoted))
	if err == nil && !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return s, end + 1, err == nil
}
