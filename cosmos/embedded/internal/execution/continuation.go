package execution

import (
	"bytes"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/query"
)

// continuation is where the next page of a query begins: after an item of a range, after
// an item of an order, or after so many rows.
type Continuation struct {
	Range  int            // the range that the page before ended in, or that its rows are counted in
	RID    int64          // of the item; 0: none
	at     query.Position // the row of that item to begin with; nil: those of the next item
	Keys   []driver.Value // by which the item was ordered
	digest string         // of the keys, where they are too long for a token
	Done   int64          // rows of the earlier pages
}

// isStart tells whether the first page is wanted.
func (n *Continuation) isStart() bool { return n.Range == 0 && n.RID == 0 && n.Done == 0 }

// beyond is the condition on items that the continuation leaves.
func (n *Continuation) beyond() string {
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
func (n *Continuation) Token(c *catalog.Container, spec *Query) string {
	at := make([]string, len(n.at))
	for i, k := range n.at {
		at[i] = strconv.Itoa(k)
	}
	fields := []string{"3", strconv.FormatInt(c.Num, 10), strconv.FormatUint(uint64(spec.Statement.Fingerprint()), 16),
		strconv.Itoa(n.Range), strconv.FormatInt(n.RID, 10), strconv.FormatInt(n.Done, 10), strings.Join(at, "-")}
	if n.digest != "" {
		fields = append(fields, n.digest)
	}
	for _, key := range n.Keys {
		fields = append(fields, formatKey(key))
	}
	return strings.Join(fields, ".")
}

func readContinuation(text string, c *catalog.Container, spec *Query) (n Continuation, err error) {
	if text == "" {
		return n, nil
	}
	fields := strings.Split(text, ".")
	digested := len(fields) == tokenFields+1 && len(spec.Statement.OrderBy) > 0 && strings.HasPrefix(fields[tokenFields], DigestMark)
	valid := digested || len(fields) == tokenFields || len(fields) == tokenFields+len(spec.Statement.OrderBy)
	if valid {
		n.Range, _ = strconv.Atoi(fields[3])
		n.RID, _ = strconv.ParseInt(fields[4], 10, 64)
		n.Done, _ = strconv.ParseInt(fields[5], 10, 64)
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
			n.Keys = append(n.Keys, parseKey(f))
		}
		// An item of an order has its keys; and whatever could not be read is no token.
		valid = n.RID >= 0 && n.Done >= 0 && n.Done <= maxDone && (n.at == nil || len(n.at) == len(spec.Statement.From)) &&
			(n.RID == 0 || digested || len(n.Keys) == len(spec.Statement.OrderBy)) && n.Token(c, spec) == text
	}
	if !valid {
		return n, errContinuation()
	}
	return n, nil
}

func errContinuation() *apierror.Error {
	return apierror.BadRequest("The continuation token is not valid for this query.")
}

// digestMark begins a digest, which no key does.
const DigestMark = "h"

// digestOf is what tells whether an item still has the same keys.
func digestOf(keys []driver.Value) string {
	h := sha256.New()
	for _, key := range keys {
		fmt.Fprintf(h, "%s.", formatKey(key))
	}
	return DigestMark + base64.RawURLEncoding.EncodeToString(h.Sum(nil))
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
func (n *Continuation) scanned(c *catalog.Container, t *Target) ([]*catalog.FeedRange, error) {
	if n.isStart() {
		return t.Ranges, nil
	}
	last := c.RangeEver(n.Range)
	if last == nil {
		return nil, errContinuation()
	}
	if len(t.Ranges) == 1 {
		if !last.Contains(t.Ranges[0].Lower, t.Ranges[0].Upper) {
			return nil, errContinuation()
		}
		return t.Ranges, nil
	}
	ranges := []*catalog.FeedRange{last}
	for _, rng := range t.Ranges {
		if last.Upper != nil && bytes.Compare(rng.Lower, last.Upper) >= 0 {
			ranges = append(ranges, rng)
		}
	}
	return ranges, nil
}
