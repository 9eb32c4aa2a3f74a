package explorer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// keyDefinition is the partition key definition of a container.
type keyDefinition struct {
	Paths     []string `json:"paths"`
	SystemKey bool     `json:"systemKey"` // the container was created without a partition key
}

// of returns the partition key of an item as JSON in ASCII, which is the form of the protocol's header. Undefined
// values are empty objects.
func (k keyDefinition) of(item []byte) string {
	if k.SystemKey {
		return "[]"
	}
	document, err := decode(item)
	if err != nil {
		return "[]" // the engine rejects the item
	}
	values := make([]any, len(k.Paths))
	for i, path := range k.Paths {
		values[i] = struct{}{}
		v := document
		for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
			object, _ := v.(map[string]any)
			var ok bool
			if v, ok = object[strings.Trim(name, `"`)]; !ok {
				v = struct{}{}
			}
		}
		switch v.(type) {
		case string, bool, json.Number, nil:
			values[i] = v
		}
	}
	return encodeASCII(values)
}

// template returns the text that the form for a new item begins with.
func (k keyDefinition) template() string {
	text := "{\n  \"id\": \"\""
	for _, path := range k.Paths {
		if name := strings.TrimPrefix(path, "/"); name != "id" && !k.SystemKey && !strings.ContainsAny(name, `/"`) {
			text += ",\n  \"" + name + "\": \"\""
		}
	}
	return text + "\n}"
}

// parseKey parses a partition key that was typed: a JSON value or an array of values. It returns the key as JSON in
// ASCII, or "" for an empty text.
func parseKey(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	v, err := decode([]byte(text))
	if err != nil {
		return "", err
	}
	values, ok := v.([]any)
	if !ok {
		values = []any{v}
	}
	return encodeASCII(values), nil
}

// decode decodes one JSON value and keeps numbers as they are written.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the JSON value")
	}
	return v, nil
}

// encodeASCII encodes values as JSON and escapes all characters outside of printable ASCII.
func encodeASCII(values []any) string {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // decode returned the values
	}
	var b strings.Builder
	for _, r := range string(text) {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
