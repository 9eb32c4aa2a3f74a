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

// Continuation is the position at which the next page of a query begins: after an item of a feed
// range, after an item in the query's order, or after a number of rows.
type Continuation struct {
	Range  int            // feed range in which the previous page ended, or to which Done refers
	RID    int64          // rid of the last item; 0: none
	at     query.Position // row of that item at which to resume; nil: resume with the next item
	Keys   []driver.Value // sort keys of that item
	digest string         // digest of sort keys that are too long for a token
	Done   int64          // number of rows on the earlier pages
}

// isStart reports whether the continuation is that of the first page.
func (n *Continuation) isStart() bool { return n.Range == 0 && n.RID == 0 && n.Done == 0 }

// beyond returns the SQL condition for the items that remain.
func (n *Continuation) beyond() string {
	if n.at != nil {
		return "rid >= ?"
	}
	return "rid > ?"
}

// maxTokenKeys is the maximum length of the sort keys in a token, which is sent in a header.
const maxTokenKeys = 2048

// maxDone is the maximum number of rows on the earlier pages. It leaves room to add OFFSET.
const maxDone = 1 << 52

// tokenFields is the number of fields before the sort keys. The first field is the version of the
// format.
const tokenFields = 7

// Token formats the continuation for the client. A token is valid for one container and one query.
// Clients may change the query's WHERE clause between pages.
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
	digested := len(fields) == tokenFields+1 && len(spec.Statement.OrderBy) > 0 &&
		strings.HasPrefix(fields[tokenFields], DigestMark)
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
		// A position in an order needs its sort keys. A token that does not survive the round trip
		// is invalid.
		valid = n.RID >= 0 && n.Done >= 0 && n.Done <= maxDone &&
			(n.at == nil || len(n.at) == len(spec.Statement.From)) &&
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

// DigestMark is the first character of a digest. No sort key begins with it.
const DigestMark = "h"

// digestOf returns a digest of sort keys, to detect that the keys of an item have changed.
func digestOf(keys []driver.Value) string {
	h := sha256.New()
	for _, key := range keys {
		fmt.Fprintf(h, "%s.", formatKey(key))
	}
	return DigestMark + base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// formatKey formats a column's value with a letter for its type in front.
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

// parseKey is the inverse of formatKey. For invalid text it returns some value that formatKey
// formats differently.
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

// scanned returns the feed ranges that a page of a scan reads. The first is the range in which the
// previous page ended. If that range has been split and the target includes all of it, the scan
// reads it to its end as before the split, so that the position in the order of items stays valid.
func (n *Continuation) scanned(c *catalog.Container, t *Target) ([]*catalog.FeedRange, error) {
	if n.isStart() {
		return t.Ranges, nil
	}
	last := c.CurrentOrFormerRange(n.Range)
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
