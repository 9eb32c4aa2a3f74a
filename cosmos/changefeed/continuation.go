package changefeed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/feeds"
)

// compositeToken is the continuation that azcosmos returns for a change feed: a position for each
// feed range of the service. The SDK does not document this form, so Narrow rejects every form that
// it does not know.
type compositeToken struct {
	Version      int         `json:"version"`
	ResourceID   string      `json:"resourceId"`
	Continuation []tokenPart `json:"continuation"`
}

type tokenPart struct {
	MinInclusive      string  `json:"minInclusive"`
	MaxExclusive      string  `json:"maxExclusive"`
	ContinuationToken *string `json:"continuationToken,omitempty"` // an LSN; nil means the beginning
}

const compositeTokenVersion = 1 // the only version that Narrow knows

// Narrow converts the continuation of a feed range to the continuation of r, a part of that range.
// An LSN keeps its meaning when a range is split, so Narrow keeps each part of the token that
// overlaps r and cuts it to r. It fails if the token has an unknown form or does not cover r.
func (f *Reader[T]) Narrow(continuation string, r feeds.Range) (string, error) {
	if continuation == "" { // the beginning of the feed, for every part of the range
		return "", nil
	}
	var token compositeToken
	decoder := json.NewDecoder(strings.NewReader(continuation))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&token); err != nil || decoder.More() {
		return "", fmt.Errorf("cosmos: narrow a continuation: unknown form: %.200s", continuation)
	}
	if token.Version != compositeTokenVersion {
		return "", fmt.Errorf("cosmos: narrow a continuation: unknown version %d", token.Version)
	}
	var parts []tokenPart
	for _, part := range token.Continuation {
		if part.MaxExclusive == "" {
			part.MaxExclusive = "FF" // the end, as the SDK reads an empty bound
		}
		part.MinInclusive = max(part.MinInclusive, r.MinInclusive)
		part.MaxExclusive = min(part.MaxExclusive, r.MaxExclusive)
		if part.MinInclusive < part.MaxExclusive {
			parts = append(parts, part)
		}
	}
	if !tiles(parts, r) {
		return "", fmt.Errorf("cosmos: narrow a continuation: it does not cover the range %s to %s: %.200s",
			r.MinInclusive, r.MaxExclusive, continuation)
	}
	token.Continuation = parts
	return string(client.Encode(token)), nil
}

// tiles reports whether the parts cover the range without a gap or an overlap.
func tiles(parts []tokenPart, r feeds.Range) bool {
	sorted := slices.SortedFunc(slices.Values(parts), func(a, b tokenPart) int {
		return strings.Compare(a.MinInclusive, b.MinInclusive)
	})
	at := r.MinInclusive
	for _, part := range sorted {
		if part.MinInclusive != at {
			return false
		}
		at = part.MaxExclusive
	}
	return at == r.MaxExclusive
}

// advances reports whether a continuation has a position in the range that was read last, other than the position
// before the read. The SDK moves this range to the end of the continuation.
func advances(before, after string) bool {
	read := positions(after)
	if len(read) == 0 {
		return after != "" && after != before
	}
	last := read[len(read)-1]
	if last.ContinuationToken == nil {
		return false
	}
	return !slices.ContainsFunc(positions(before), func(p tokenPart) bool {
		return p.ContinuationToken != nil && *p.ContinuationToken == *last.ContinuationToken &&
			p.MinInclusive <= last.MinInclusive && last.MinInclusive < cmp.Or(p.MaxExclusive, "FF")
	})
}

// positions returns the parts of a continuation, and none if it is empty or has an unknown form.
func positions(continuation string) []tokenPart {
	var token compositeToken
	if json.Unmarshal([]byte(continuation), &token) != nil {
		return nil
	}
	return token.Continuation
}
