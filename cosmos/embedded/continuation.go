package embedded

import (
	"bytes"
	"database/sql/driver"
	"encoding/base64"
	"hash/fnv"
	"strconv"
	"strings"
)

// continuation is where the next page of a query begins: after an item of a range, after
// an item of an order, or after so many rows.
type continuation struct {
	rng  int
	rid  int64          // of the item; 0: none
	keys []driver.Value // by which the item was ordered
	done int64          // rows of the earlier pages
}

// isStart tells whether the first page is wanted.
func (n *continuation) isStart() bool { return n.rng == 0 && n.rid == 0 && n.done == 0 }

// maxTokenKeys bounds the sort keys of a token, which travels in a header.
const maxTokenKeys = 2048

// token writes the continuation as text that clients send back. It is bound to the
// container and to the query's text.
func (n *continuation) token(c *container, spec *querySpec) string {
	fields := []string{"2", strconv.FormatInt(c.num, 10), strconv.FormatUint(uint64(fingerprint(spec.text)), 16),
		strconv.Itoa(n.rng), strconv.FormatInt(n.rid, 10), strconv.FormatInt(n.done, 10)}
	for _, key := range n.keys {
		fields = append(fields, formatKey(key))
	}
	return strings.Join(fields, ".")
}

func readContinuation(text string, c *container, spec *querySpec) (n continuation, err error) {
	if text == "" {
		return n, nil
	}
	fields := strings.Split(text, ".")
	valid := len(fields) == 6 || len(fields) == 6+len(spec.stmt.OrderBy)
	if valid {
		n.rng, _ = strconv.Atoi(fields[3])
		n.rid, _ = strconv.ParseInt(fields[4], 10, 64)
		n.done, _ = strconv.ParseInt(fields[5], 10, 64)
		for _, f := range fields[6:] {
			n.keys = append(n.keys, parseKey(f))
		}
		// An item of an order has its keys; and whatever could not be read is no token.
		valid = n.rid >= 0 && n.done >= 0 && (n.rid == 0 || len(n.keys) == len(spec.stmt.OrderBy)) && n.token(c, spec) == text
	}
	if !valid {
		return n, errContinuation()
	}
	return n, nil
}

func errContinuation() *apiError {
	return badRequest("The continuation token is not valid for this query.")
}

// formatKey writes a value of a column after a letter for its type.
func formatKey(v driver.Value) string {
	switch v := v.(type) {
	case int64:
		return "i" + strconv.FormatInt(v, 10)
	case string:
		return "t" + base64.RawURLEncoding.EncodeToString([]byte(v))
	case []byte:
		return "b" + base64.RawURLEncoding.EncodeToString(v)
	}
	return "n"
}

// parseKey undoes formatKey; what that cannot have written becomes something else.
func parseKey(text string) driver.Value {
	if text == "" {
		return nil
	}
	b, _ := base64.RawURLEncoding.DecodeString(text[1:])
	switch text[0] {
	case 'i':
		i, _ := strconv.ParseInt(text[1:], 10, 64)
		return i
	case 't':
		return string(b)
	case 'b':
		return b
	}
	return nil
}

func fingerprint(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	return h.Sum32()
}

// scanned lists the ranges that a page of a scan goes through, the first being the one in
// which the last page ended. Has that been split, it is gone through to its end as it was
// if the target has all of it: then its place in the order of items is still one.
func (n *continuation) scanned(c *container, t *target) ([]*feedRange, error) {
	if n.isStart() {
		return t.ranges, nil
	}
	last := c.rangeEver(n.rng)
	if last == nil {
		return nil, errContinuation()
	}
	if len(t.ranges) == 1 {
		if !last.contains(t.ranges[0].lower, t.ranges[0].upper) {
			return nil, errContinuation()
		}
		return t.ranges, nil
	}
	ranges := []*feedRange{last}
	for _, rng := range t.ranges {
		if last.upper != nil && bytes.Compare(rng.lower, last.upper) >= 0 {
			ranges = append(ranges, rng)
		}
	}
	return ranges, nil
}
