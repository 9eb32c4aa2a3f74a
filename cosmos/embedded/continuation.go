package embedded

import (
	"bytes"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/query"
)

// continuation is where the next page of a query begins: after an item of a range, after
// an item of an order, or after so many rows.
type continuation struct {
	rng    int            // the range that the page before ended in, or that its rows are counted in
	rid    int64          // of the item; 0: none
	at     query.Position // the row of that item to begin with; nil: those of the next item
	keys   []driver.Value // by which the item was ordered
	digest string         // of the keys, where they are too long for a token
	done   int64          // rows of the earlier pages
}

// isStart tells whether the first page is wanted.
func (n *continuation) isStart() bool { return n.rng == 0 && n.rid == 0 && n.done == 0 }

// beyond is the condition on items that the continuation leaves.
func (n *continuation) beyond() string {
	if n.at != nil {
		return "rid >= ?"
	}
	return "rid > ?"
}

// maxTokenKeys bounds the sort keys of a token, which travels in a header.
const maxTokenKeys = 2048

// maxDone bounds the rows of the earlier pages, so that OFFSET can be added to them.
const maxDone = 1 << 52

// tokenFields are those before the sort keys. The first is the version of the format.
const tokenFields = 7

// token writes the continuation as text that clients send back. It is bound to the
// container and to the query, whose WHERE clients may change as they go on.
func (n *continuation) token(c *container, spec *querySpec) string {
	at := make([]string, len(n.at))
	for i, k := range n.at {
		at[i] = strconv.Itoa(k)
	}
	fields := []string{"3", strconv.FormatInt(c.num, 10), strconv.FormatUint(uint64(spec.stmt.Fingerprint()), 16),
		strconv.Itoa(n.rng), strconv.FormatInt(n.rid, 10), strconv.FormatInt(n.done, 10), strings.Join(at, "-")}
	if n.digest != "" {
		fields = append(fields, n.digest)
	}
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
	digested := len(fields) == tokenFields+1 && len(spec.stmt.OrderBy) > 0 && strings.HasPrefix(fields[tokenFields], digestMark)
	valid := digested || len(fields) == tokenFields || len(fields) == tokenFields+len(spec.stmt.OrderBy)
	if valid {
		n.rng, _ = strconv.Atoi(fields[3])
		n.rid, _ = strconv.ParseInt(fields[4], 10, 64)
		n.done, _ = strconv.ParseInt(fields[5], 10, 64)
		if fields[6] != "" {
			for k := range strings.SplitSeq(fields[6], "-") {
				i, _ := strconv.Atoi(k)
				n.at = append(n.at, i)
			}
		}
		if digested {
			n.digest = fields[tokenFields]
			fields = fields[:tokenFields]
		}
		for _, f := range fields[tokenFields:] {
			n.keys = append(n.keys, parseKey(f))
		}
		// An item of an order has its keys; and whatever could not be read is no token.
		valid = n.rid >= 0 && n.done >= 0 && n.done <= maxDone && (n.at == nil || len(n.at) == len(spec.stmt.From)) &&
			(n.rid == 0 || digested || len(n.keys) == len(spec.stmt.OrderBy)) && n.token(c, spec) == text
	}
	if !valid {
		return n, errContinuation()
	}
	return n, nil
}

func errContinuation() *apiError {
	return badRequest("The continuation token is not valid for this query.")
}

// digestMark begins a digest, which no key does.
const digestMark = "h"

// digestOf is what tells whether an item still has the same keys.
func digestOf(keys []driver.Value) string {
	h := sha256.New()
	for _, key := range keys {
		fmt.Fprintf(h, "%s.", formatKey(key))
	}
	return digestMark + base64.RawURLEncoding.EncodeToString(h.Sum(nil))
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
