package pagecache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"inkfeed/static"
	"inkfeed/web/site"
	"inkfeed/web/site/response"
)

// preparedResponse is an answer as it is sent to everybody who has not signed in.
type preparedResponse struct {
	status   int
	modified time.Time // Last-Modified, zero: it has none
	tag      string    // of the plain one, in quotation marks
	header   []headerLine
	plain    []byte
	encoded  [static.Brotli + 1]lazily
	packers  *encoders
}

type headerLine struct {
	name   string // in canonical form
	values []string
}

// lazily is a page in one coding, made when somebody first asks for it: the first visitor of a
// page that was not ready waits for one.
type lazily struct {
	once sync.Once
	encodedPage
}

// encodedPage is an answer in one encoding, with its header ready to be sent.
type encodedPage struct {
	body   []byte
	tag    string
	header []headerLine
	// unmodified is the header of an answer that says that the browser has the page.
	unmodified []headerLine
	length     []string
}

// newPreparedResponse makes an answer ready. The page has the header for its own. It copies the body
// into just the memory that this takes: a buffer may be twice as large as what is in it, for as
// long as the page is kept.
func newPreparedResponse(status int, header http.Header, body []byte, p *encoders) *preparedResponse {
	page := &preparedResponse{status: status, plain: bytes.Clone(body), tag: header.Get("Etag"), packers: p}
	page.modified, _ = http.ParseTime(header.Get("Last-Modified"))
	if page.tag == "" {
		sum := sha256.Sum256(body)
		page.tag = `"` + hex.EncodeToString(sum[:12]) + `"`
	}
	for name, values := range header {
		switch name {
		case "Etag", "Content-Length", site.RequestIDHeader, "Strict-Transport-Security":
			continue // of an encoding, or a request
		}
		page.header = append(page.header, headerLine{name, values})
	}
	return page
}

// weight is what a page takes in memory, about: each coding of a text is a third of it or less.
func (p *preparedResponse) weight() uint32 { return uint32(len(p.plain)*5/3 + EntryOverhead) }

// EntryOverhead is what anything kept takes beside its text, about.
const EntryOverhead = 2 << 10

// in is the page in a coding.
func (p *preparedResponse) in(c static.Coding) *encodedPage {
	one := &p.encoded[c]
	one.once.Do(func() {
		one.body, one.tag = p.plain, p.tag
		extra := []headerLine{{}}
		if c != static.Identity {
			one.body, one.tag = p.packers.pack(c, p.plain), strings.TrimSuffix(p.tag, `"`)+"-"+c.String()+`"`
			extra = append(extra, headerLine{"Content-Encoding", []string{c.String()}})
		}
		extra[0] = headerLine{"Etag", []string{one.tag}}
		one.header = append(extra, p.header...)
		for _, line := range one.header {
			if line.name != "Content-Type" && line.name != "Content-Encoding" {
				one.unmodified = append(one.unmodified, line)
			}
		}
		one.length = []string{strconv.Itoa(len(one.body))}
	})
	return &one.encodedPage
}

// accepting chooses the coding for a request.
func (p *preparedResponse) accepting(r *http.Request) *encodedPage {
	if len(p.plain) < response.MinCompressed {
		return p.in(static.Identity)
	}
	return p.in(static.Accepts(r.Header["Accept-Encoding"]...).Best(static.Brotli, static.Gzip))
}

// write sends the page, or that the browser has it already.
func (p *preparedResponse) write(w http.ResponseWriter, r *http.Request) (status, written int) {
	page, h := p.accepting(r), w.Header()
	if p.status == http.StatusOK && response.NotModified(r, page.tag, p.modified) {
		for _, line := range page.unmodified {
			h[line.name] = line.values
		}
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified, 0
	}
	for _, line := range page.header {
		h[line.name] = line.values
	}
	h["Content-Length"] = page.length
	w.WriteHeader(p.status)
	if r.Method != http.MethodHead {
		written, _ = w.Write(page.body) // whoever has gone needs no answer
	}
	return p.status, written
}
