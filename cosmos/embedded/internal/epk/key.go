package epk

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/value"
)

// MaxBytes is the maximum length of a component of a partition key.
const MaxBytes = 2048

// Encode encodes a partition key, or a prefix of one, as bytes that identify it in a table. The
// encoding of a prefix is a prefix of the encoding of each key below it.
func Encode(components []value.Value) []byte {
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

// EncodePrefix returns the common prefix of the encodings of all keys that are strings with a
// prefix.
func EncodePrefix(prefix string) []byte {
	enc := Encode([]value.Value{value.OfString(prefix)})
	return enc[:len(enc)-2]
}

// Decode is the inverse of Encode.
func Decode(b []byte) []value.Value {
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

// CheckLength fails for a component that is longer than MaxBytes.
func CheckLength(v value.Value) error {
	if len(v.Str()) > MaxBytes {
		return apierror.BadRequest("The partition key is longer than %d bytes.", MaxBytes)
	}
	return nil
}

// ParseHeader parses the partition key header: a JSON array of scalars, where {} means undefined.
// DEL and characters outside ASCII must be escaped, because the service rejects them in a header
// (github.com/Azure/azure-sdk-for-java, pull request 47881; azure-sdk-for-js, 9822).
func ParseHeader(text string) ([]value.Value, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return r > '~' }) {
		return nil, invalidKey(text)
	}
	return Parse(text)
}

// Parse parses a partition key from the header or from an operation of a bulk request.
func Parse(text string) ([]value.Value, error) {
	array, err := value.ParseWithin(text, 2)
	if err != nil || array.Kind() != value.Array {
		return nil, invalidKey(text)
	}
	key := make([]value.Value, len(array.Elems()))
	for i, component := range array.Elems() {
		switch {
		case component.Kind() == value.Object && len(component.Members()) == 0: // undefined
		case component.Kind() >= value.Array:
			return nil, invalidKey(text)
		default:
			key[i] = component
		}
		if err := CheckLength(key[i]); err != nil {
			return nil, err
		}
	}
	return key, nil
}

func invalidKey(text string) error {
	return apierror.BadRequest("Partition key %s is invalid.", strconv.QuoteToASCII(text))
}

// Effective returns the effective partition key of a key or prefix. For a hierarchical key it
// concatenates the hashes of the components.
func Effective(components []value.Value, hierarchical bool) []byte {
	if hierarchical {
		return MultiHash(components)
	}
	return Hash(components)
}
