package pagecache

import (
	"bytes"
	"fmt"
	"io"
)

// verifiable is implemented by the values of all entries.
type verifiable interface {
	// differs describes the first difference from the same value made anew; empty: none.
	differs(anew any) string
}

// decodedDifference returns the difference between a decompressed text and the plain text; empty:
// none.
func decodedDifference(what string, r io.Reader, err error, plain []byte) string {
	var got []byte
	if err == nil {
		got, err = io.ReadAll(r)
	}
	if err != nil {
		return what + ": " + err.Error()
	}
	if d := firstDifference(got, plain); d != "" {
		return what + ": " + d
	}
	return ""
}

// excerptMargin is how many bytes are shown on each side of a difference.
const excerptMargin = 40

// firstDifference describes the first difference between two texts; empty: they are equal.
func firstDifference(cached, anew []byte) string {
	if bytes.Equal(cached, anew) {
		return ""
	}
	at := 0
	for at < min(len(cached), len(anew)) && cached[at] == anew[at] {
		at++
	}
	excerpt := func(b []byte) []byte { return b[max(0, at-excerptMargin):min(len(b), at+excerptMargin)] }
	return fmt.Sprintf("at %d it is %q, should be %q", at, excerpt(cached), excerpt(anew))
}
