package pagecache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"inkfeed/static"
	"inkfeed/web/site"
	"inkfeed/web/site/response"
)

// preparedResponse is a complete response for anonymous visitors.
type preparedResponse struct {
	status   int
	modified time.Time // Last-Modified; zero: none
	tag      string    // the Etag of the uncompressed response, with quotation marks
	header   []headerLine
	plain    []byte
	encoded  [static.Brotli + 1]lazyEncoding
	encoders *encoders
	route    string // the pattern of the route, for traces
	// requestID is the id under which the request for the response was logged, and that an error page shows.
	requestID string
}

type headerLine struct {
	name   string // in canonical form
	values []string
}

// lazyEncoding is a response in one coding, encoded when the first client asks for it. So a visitor
// on a cache miss waits for one compression only.
type lazyEncoding struct {
	once sync.Once
	encodedPage
}

// encodedPage is a response in one coding, with its header.
type encodedPage struct {
	body   []byte
	tag    string
	header []headerLine
	// unmodified is the header of a response with status 304.
	unmodified []headerLine
	length     []string
}

// newPreparedResponse prepares a response. It takes ownership of the header and of the body. It copies a body in a
// buffer that is clearly larger, as one that was written in pieces is.
func newPreparedResponse(status int, header http.Header, body []byte, p *encoders) *preparedResponse {
	if cap(body)-len(body) > len(body)/8 {
		body = bytes.Clone(body)
	}
	page := &preparedResponse{status: status, plain: body, tag: header.Get("Etag"), encoders: p}
	page.modified, _ = http.ParseTime(header.Get("Last-Modified"))
	if page.tag == "" {
		sum := sha256.Sum256(body)
		page.tag = `"` + hex.EncodeToString(sum[:12]) + `"`
	}
	page.header, page.requestID = sharedLines(header), header.Get(site.RequestIDHeader)
	return page
}

// sharedLines returns the lines of a header that do not depend on the coding or the request.
func sharedLines(header http.Header) (lines []headerLine) {
	for name, values := range header {
		switch name {
		case "Etag", "Content-Length", site.RequestIDHeader, "Strict-Transport-Security":
			continue
		}
		lines = append(lines, headerLine{name, slices.Clip(values)})
	}
	return lines
}

// weight returns the approximate memory of the response in bytes. Each compressed body is at most a
// third of the text.
func (p *preparedResponse) weight() uint32 { return uint32(len(p.plain)*5/3 + EntryOverhead) }

// EntryOverhead is the approximate memory of an entry beside its text, in bytes.
const EntryOverhead = 2 << 10

// encodedAs returns the response in this coding.
func (p *preparedResponse) encodedAs(c static.Coding) *encodedPage {
	one := &p.encoded[c]
	one.once.Do(func() {
		one.body, one.tag = p.plain, p.tag
		extra := []headerLine{{}}
		if c != static.Identity {
			one.body, one.tag = p.encoders.encode(c, p.plain), strings.TrimSuffix(p.tag, `"`)+"-"+c.String()+`"`
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

// negotiate returns the response in the best coding that the request accepts.
func (p *preparedResponse) negotiate(r *http.Request) *encodedPage {
	if len(p.plain) < response.MinCompressed {
		return p.encodedAs(static.Identity)
	}
	return p.encodedAs(static.Accepts(r.Header["Accept-Encoding"]...).Best(static.Brotli, static.Gzip))
}

// write sends the response, or status 304 if the client has it already. It returns the status and
// the bytes of the body.
func (p *preparedResponse) write(w http.ResponseWriter, r *http.Request) (status, written int) {
	page, h := p.negotiate(r), w.Header()
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
		written, _ = w.Write(page.body) // an error says that the client has disconnected
	}
	return p.status, written
}
