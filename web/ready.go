package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"inkfeed/static"
)

// readyPage is an answer as it is sent to everybody who has not signed in. It never changes.
type readyPage struct {
	status   int
	modified time.Time // Last-Modified, zero: it has none
	plain    encodedPage
	gzipped  *encodedPage // nil when it would hardly be smaller
	zstd     *encodedPage // likewise
}

// encodedPage is an answer in one encoding, with its header ready to be sent.
type encodedPage struct {
	body   []byte
	etag   string
	header []headerLine
	length []string
}

type headerLine struct {
	name   string // in canonical form
	values []string
}

// newReadyPage makes an answer ready. Header is its own and is not changed.
func (c compressors) newReadyPage(status int, header http.Header, body []byte) *readyPage {
	tag := header.Get("Etag")
	if tag == "" {
		sum := sha256.Sum256(body)
		tag = `"` + hex.EncodeToString(sum[:12]) + `"`
	}
	page := &readyPage{status: status}
	page.modified, _ = http.ParseTime(header.Get("Last-Modified"))
	page.plain = newEncodedPage(header, body, "", tag)
	if len(body) < minCompressed {
		return page
	}
	if small := c.gzip(body); len(small) < len(body) {
		encoded := newEncodedPage(header, small, "gzip", tag)
		page.gzipped = &encoded
	}
	if small := c.zstd.EncodeAll(body, nil); len(small) < len(body) {
		encoded := newEncodedPage(header, small, "zstd", tag)
		page.zstd = &encoded
	}
	return page
}

func newEncodedPage(header http.Header, body []byte, encoding, tag string) encodedPage {
	page := encodedPage{body: body, etag: tag, length: []string{strconv.Itoa(len(body))}}
	for name, values := range header {
		switch name {
		case "Etag", "Content-Length", requestIDHeader, "Strict-Transport-Security", "Date":
			continue
		}
		page.header = append(page.header, headerLine{name, values})
	}
	if encoding != "" {
		page.etag = strings.TrimSuffix(tag, `"`) + "-" + encoding + `"`
		page.header = append(page.header, headerLine{"Content-Encoding", []string{encoding}})
	}
	page.header = append(page.header, headerLine{"Etag", []string{page.etag}})
	return page
}

// weight is what a page takes in memory, about.
func (p *readyPage) weight() uint32 {
	n := len(p.plain.body) + keptOverhead
	for _, encoded := range []*encodedPage{p.gzipped, p.zstd} {
		if encoded != nil {
			n += len(encoded.body)
		}
	}
	return uint32(n)
}

// keptOverhead is what anything kept takes beside its text, about.
const keptOverhead = 2 << 10

// accepting chooses the encoding for a request.
func (p *readyPage) accepting(r *http.Request) *encodedPage {
	encodings := static.Accepts(r.Header["Accept-Encoding"]...)
	if p.zstd == nil {
		encodings[static.Zstd] = 0
	}
	if p.gzipped == nil {
		encodings[static.Gzip] = 0
	}
	switch encodings.Best(static.Zstd, static.Gzip) {
	case static.Zstd:
		return p.zstd
	case static.Gzip:
		return p.gzipped
	}
	return &p.plain
}

// write sends the page, or that the browser has it already.
func (p *readyPage) write(w http.ResponseWriter, r *http.Request, encoded *encodedPage) (status, written int) {
	h := w.Header()
	for _, line := range encoded.header {
		h[line.name] = line.values
	}
	if p.status == http.StatusOK && p.unchanged(r, encoded.etag) {
		delete(h, "Content-Type")
		delete(h, "Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified, 0
	}
	h["Content-Length"] = encoded.length
	w.WriteHeader(p.status)
	if r.Method != http.MethodHead {
		written, _ = w.Write(encoded.body) // whoever has gone needs no answer
	}
	return p.status, written
}

// unchanged tells whether the browser has this very answer, by its tag or, without one, by
// its date.
func (p *readyPage) unchanged(r *http.Request, tag string) bool {
	if lines := r.Header["If-None-Match"]; len(lines) > 0 {
		for _, line := range lines {
			for candidate := range strings.SplitSeq(line, ",") {
				if one := strings.TrimPrefix(strings.TrimSpace(candidate), "W/"); one == tag || one == "*" {
					return true
				}
			}
		}
		return false
	}
	if p.modified.IsZero() {
		return false
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && !p.modified.After(since)
}

// pageCompression is worth its time for what is sent more than once.
const pageCompression = 6

// compressors make pages smaller. They are safe for concurrent use.
type compressors struct{ zstd *zstd.Encoder }

func newCompressors() compressors {
	// One at a time, since a page takes less than a millisecond, and none needs a window larger
	// than the longest page: so it takes little memory.
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<18), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		panic(err) // these are the library's
	}
	return compressors{w}
}

func (c compressors) gzip(body []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, pageCompression)
	if err != nil {
		panic(err) // the level is one of the library's
	}
	_, _ = w.Write(body) // a bytes.Buffer does not fail
	_ = w.Close()
	return b.Bytes()
}
