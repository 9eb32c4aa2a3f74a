package pagecache

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"

	"inkfeed/static"
)

// verifiable is implemented by the values of all entries.
type verifiable interface {
	// differs describes the first difference from the same value made anew; empty: none.
	differs(anew any) string
}

func (r queryResult[T]) differs(anew any) string {
	is := anew.(queryResult[T])
	switch {
	case (r.err == nil) != (is.err == nil): // errors are always NotFound
		return fmt.Sprintf("%v, should be %v", r.err, is.err)
	case r.err == nil && !reflect.DeepEqual(r.value, is.value):
		return cmp.Or(firstDifference([]byte(fmt.Sprintf("%+v", r.value)), []byte(fmt.Sprintf("%+v", is.value))),
			"it differs")
	}
	return ""
}

func (p *preparedResponse) differs(made any) string {
	anew := made.(*preparedResponse)
	if p.status != anew.status {
		return fmt.Sprintf("status %d, should be %d", p.status, anew.status)
	}
	if d := firstDifference(p.plain, anew.plain); d != "" {
		return d
	}
	if was, is := p.plainHeader(), anew.plainHeader(); !maps.EqualFunc(was, is, slices.Equal) {
		return "header: " + firstDifference([]byte(fmt.Sprint(was)), []byte(fmt.Sprint(is)))
	}
	r, err := gzip.NewReader(bytes.NewReader(p.encodedAs(static.Gzip).body))
	return cmp.Or(decodedDifference("gzip", r, err, p.plain),
		decodedDifference("brotli", brotli.NewReader(bytes.NewReader(p.encodedAs(static.Brotli).body)), nil, p.plain))
}

// plainHeader returns the header lines that do not depend on the coding.
func (p *preparedResponse) plainHeader() map[string][]string {
	all := map[string][]string{"Etag": {p.tag}}
	for _, line := range p.header {
		all[line.name] = line.values
	}
	return all
}

func (f *pageShell) differs(made any) string {
	anew := made.(*pageShell)
	switch {
	case anew == nil:
		return "it is another one for each viewer"
	case len(f.pieces) != len(anew.pieces):
		return fmt.Sprintf("%d pieces, should be %d", len(f.pieces), len(anew.pieces))
	}
	for i, piece := range f.pieces {
		// A deflated piece does not end the stream; these bytes are an empty last block.
		packed := io.MultiReader(bytes.NewReader(piece.deflated), bytes.NewReader([]byte{1, 0, 0, 0xff, 0xff}))
		if d := cmp.Or(firstDifference(piece.plain, anew.pieces[i].plain),
			decodedDifference("deflated", flate.NewReader(packed), nil, piece.plain)); d != "" {
			return d
		}
	}
	return ""
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
func firstDifference(kept, anew []byte) string {
	if bytes.Equal(kept, anew) {
		return ""
	}
	at := 0
	for at < min(len(kept), len(anew)) && kept[at] == anew[at] {
		at++
	}
	excerpt := func(b []byte) []byte { return b[max(0, at-excerptMargin):min(len(b), at+excerptMargin)] }
	return fmt.Sprintf("at %d it is %q, should be %q", at, excerpt(kept), excerpt(anew))
}
