package changefeed

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
)

// compositeToken is the continuation that azcosmos gives out for a change feed:
// where each range of the service's goes on. It is no part of the SDK's
// interface, so nothing here takes a form for granted.
type compositeToken struct {
	Version      int         `json:"version"`
	ResourceID   string      `json:"resourceId"`
	Continuation []tokenPart `json:"continuation"`
}

type tokenPart struct {
	MinInclusive      string  `json:"minInclusive"`
	MaxExclusive      string  `json:"maxExclusive"`
	ContinuationToken *string `json:"continuationToken,omitempty"` // an LSN; none: the beginning
}

const compositeTokenVersion = 1

// Narrow makes the continuation of a range into that of a part of it. An LSN of a
// range means the same on the ranges that it is split into, so each part of the
// token that overlaps r is kept and cut to r. A token of a form that is not known,
// or that does not cover r, is an error: what it says of r is then unknown.
func (f *ChangeFeed[T]) Narrow(continuation string, r domain.FeedRange) (string, error) {
	if continuation == "" { // from the beginning, and so is each part
		return "", nil
	}
	var token compositeToken
	decoder := json.NewDecoder(strings.NewReader(continuation))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&token); err != nil || decoder.More() {
		return "", fmt.Errorf("cosmos: a continuation of unknown form: %.200s", continuation)
	}
	if token.Version != compositeTokenVersion {
		return "", fmt.Errorf("cosmos: a continuation of version %d", token.Version)
	}
	var parts []tokenPart
	for _, part := range token.Continuation {
		if part.MaxExclusive == "" {
			part.MaxExclusive = "FF" // the SDK reads it as the end
		}
		part.MinInclusive = max(part.MinInclusive, r.MinInclusive)
		part.MaxExclusive = min(part.MaxExclusive, r.MaxExclusive)
		if part.MinInclusive < part.MaxExclusive {
			parts = append(parts, part)
		}
	}
	if !tiles(parts, r) {
		return "", fmt.Errorf("cosmos: a continuation that does not cover the range %s to %s: %.200s",
			r.MinInclusive, r.MaxExclusive, continuation)
	}
	token.Continuation = parts
	return string(client.Encode(token)), nil
}

// tiles reports whether the parts cover the range without a gap or an overlap.
func tiles(parts []tokenPart, r domain.FeedRange) bool {
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
