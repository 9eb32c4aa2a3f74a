package pagecache

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"inkfeed/static"
	"inkfeed/web/site"
	"inkfeed/web/site/response"
)

// preparedResponse is a complete response for anonymous visitors. Its body is stored only in the codings that clients
// have asked for: a compressed body takes a quarter of the text.
type preparedResponse struct {
	status   int
	tag      string       // the Etag of the uncompressed response, with quotation marks
	header   []headerLine // the lines that do not depend on the coding
	size     int          // of the uncompressed body
	encoded  [static.Brotli + 1]lazyEncoding
	encoders *encoders
	route    string // the pattern of the route, for traces
	// requestID is the id under which the request for the response was logged, and that an error page shows.
	requestID string

	mu     sync.Mutex
	plain  []byte        // the uncompressed body, until it is stored in a coding
	stored static.Coding // the coding that it was first stored in
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

// encodedPage is a response in one coding, with the values of the header lines that depend on it.
type encodedPage struct {
	body              []byte
	tag, name, length []string
}

// newPreparedResponse prepares a response. It takes ownership of the header and of the body.
func newPreparedResponse(status int, header http.Header, body []byte, p *encoders) *preparedResponse {
	page := &preparedResponse{status: status, plain: body, size: len(body), tag: header.Get("Etag"), encoders: p,
		header: sharedLines(header), requestID: header.Get(site.RequestIDHeader)}
	if page.tag == "" {
		sum := sha256.Sum256(body)
		page.tag = `"` + hex.EncodeToString(sum[:12]) + `"`
	}
	return page
}

// sharedLines returns the lines of a header that do not depend on the coding or the request.
func sharedLines(header http.Header) []headerLine {
	lines := make([]headerLine, 0, len(header))
	for name, values := range header {
		switch name {
		case "Etag", "Content-Length", site.RequestIDHeader, "Strict-Transport-Security":
			continue
		}
		lines = append(lines, headerLine{name, slices.Clip(values)})
	}
	return lines
}

// weight returns the approximate memory of the response in bytes. The text takes more than the compressed bodies
// together, and hardly any page is asked for both with and without a coding.
func (p *preparedResponse) weight() uint32 { return uint32(p.size + EntryOverhead) }

// EntryOverhead is the approximate memory of an entry without its text, in bytes.
const EntryOverhead = 2 << 10

// encodedAs returns the response in this coding.
func (p *preparedResponse) encodedAs(c static.Coding) *encodedPage {
	one := &p.encoded[c]
	one.once.Do(func() {
		tag := p.tag
		one.body = p.mustText()
		if c != static.Identity {
			tag = strings.TrimSuffix(p.tag, `"`) + "-" + c.String() + `"`
			one.body, one.name = p.encoders.encode(c, one.body), []string{c.String()}
		}
		one.tag, one.length = []string{tag}, []string{strconv.Itoa(len(one.body))}
		p.release(c)
	})
	return &one.encodedPage
}

// release drops the uncompressed body, because the body is stored in this coding.
func (p *preparedResponse) release(c static.Coding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.plain != nil {
		p.plain, p.stored = nil, c
	}
}

// mustText returns the uncompressed body. Without an error in the program, a stored body can be decoded.
func (p *preparedResponse) mustText() []byte {
	text, err := p.text()
	if err != nil {
		panic(err)
	}
	return text
}

// text returns the uncompressed body.
func (p *preparedResponse) text() ([]byte, error) {
	p.mu.Lock()
	plain, stored := p.plain, p.stored
	p.mu.Unlock()
	switch {
	case plain != nil:
		return plain, nil
	case stored == static.Identity:
		return p.encoded[stored].body, nil
	}
	return decode(stored, p.encoded[stored].body, p.size)
}

// negotiate returns the best coding that the request accepts.
func (p *preparedResponse) negotiate(r *http.Request) static.Coding {
	if p.size < response.MinCompressed {
		return static.Identity
	}
	return static.Accepts(r.Header["Accept-Encoding"]...).Best(static.Brotli, static.Gzip)
}

// write sends the response, or status 304 if the client has it already. It returns the status and
// the bytes of the body.
func (p *preparedResponse) write(w http.ResponseWriter, r *http.Request) (status, written int) {
	page, h := p.encodedAs(p.negotiate(r)), w.Header()
	unmodified := p.status == http.StatusOK && response.NotModified(r, page.tag[0])
	for _, line := range p.header {
		if !unmodified || line.name != "Content-Type" {
			h[line.name] = line.values
		}
	}
	h["Etag"] = page.tag
	if unmodified {
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified, 0
	}
	if page.name != nil {
		h["Content-Encoding"] = page.name
	}
	h["Content-Length"] = page.length
	w.WriteHeader(p.status)
	if r.Method != http.MethodHead {
		written, _ = w.Write(page.body) // an error says that the client has disconnected
	}
	return p.status, written
}
