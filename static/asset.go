package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/andybalholm/brotli"
)

// Header values that responses share. They are never changed in place.
var (
	// The content at an address with a hash never changes.
	cacheForever = []string{"public, max-age=31536000, immutable"}
	// A fixed address, such as /favicon.ico, may change with a release.
	cacheShort   = []string{"public, max-age=86400"}
	varies       = []string{"Accept-Encoding"}
	acceptRanges = []string{"bytes"}
)

// asset is an embedded file in the encodings that it is served in.
type asset struct {
	contentType []string
	hash        string
	plain       *variant
	// A compressed variant is nil if it would not be smaller. Zstandard is missing, because even its best level does
	// not compress these files better than gzip.
	gzip   func() *variant         // made on first use, within two milliseconds
	brotli atomic.Pointer[variant] // made by Pack
}

func newAsset(name string, body []byte) *asset {
	body = minified(name, body)
	sum := sha256.Sum256(body)
	a := &asset{contentType: []string{contentType(path.Ext(name))}, hash: hex.EncodeToString(sum[:6])}
	a.plain = newVariant(Identity, a.hash, body)
	a.gzip = sync.OnceValue(func() *variant { return a.packed(Gzip, gzipped) })
	return a
}

// packed returns the compressed variant, or nil if it would not be smaller.
func (a *asset) packed(coding Coding, compress func([]byte) []byte) *variant {
	small := compress(a.plain.body)
	if len(small) >= len(a.plain.body) {
		return nil
	}
	return newVariant(coding, a.hash+"-"+coding.String(), small)
}

// Pack compresses the files with Brotli, which takes some tenths of a second. A server calls it after it has started;
// until then, files are served in other encodings.
func Pack() {
	for _, a := range assets.named {
		if a.gzip() != nil && a.brotli.Load() == nil {
			a.brotli.Store(a.packed(Brotli, brotlied))
		}
	}
}

// serve responds to GET and HEAD.
func (a *asset) serve(w http.ResponseWriter, r *http.Request, cacheControl []string) {
	h := w.Header()
	h["Content-Type"] = a.contentType
	h["Cache-Control"] = cacheControl
	v := a.plain
	if a.gzip() != nil {
		if len(h["Vary"]) == 0 {
			h["Vary"] = varies
		}
		// A range refers to the bytes of one encoding, so it is served uncompressed.
		if r.Header.Get("Range") == "" {
			v = a.best(Accepts(r.Header["Accept-Encoding"]...))
		}
	}
	v.serve(w, r)
}

// best returns the variant that the client prefers; among equals the smallest one.
func (a *asset) best(e Encodings) *variant {
	brotli := a.brotli.Load()
	if brotli == nil {
		e[Brotli] = 0
	}
	switch e.Best(Brotli, Gzip) {
	case Brotli:
		return brotli
	case Gzip:
		return a.gzip()
	}
	return a.plain
}

// variant is a file in one encoding, with its header values.
type variant struct {
	body                   []byte
	encoding, etag, length []string
}

func newVariant(coding Coding, tag string, body []byte) *variant {
	v := &variant{body: body, etag: []string{`"` + tag + `"`}, length: []string{strconv.Itoa(len(body))}}
	if coding != Identity {
		v.encoding = []string{coding.String()}
	}
	return v
}

func (v *variant) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Etag"] = v.etag
	known := r.Header.Get("If-None-Match")
	if known == v.etag[0] && !hasRareConditions(r) {
		delete(h, "Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if v.encoding != nil {
		h["Content-Encoding"] = v.encoding
	}
	if known != "" || hasRareConditions(r) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(v.body))
		return
	}
	h["Accept-Ranges"] = acceptRanges
	h["Content-Length"] = v.length
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(v.body) // the client may have disconnected
	}
}

// hasRareConditions reports whether a request has conditions that http.ServeContent should evaluate.
func hasRareConditions(r *http.Request) bool {
	return r.Header.Get("Range") != "" || r.Header.Get("If-Match") != ""
}

func gzipped(body []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err)
	}
	return written(w, &b, body)
}

// window is the base-2 logarithm of Brotli's window in bytes. The window is larger than each file; the default one
// would take 32 MB of memory for each file.
const window = 16

func brotlied(body []byte) []byte {
	var b bytes.Buffer
	options := brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: window}
	return written(brotli.NewWriterOptions(&b, options), &b, body)
}

func written(w io.WriteCloser, to *bytes.Buffer, body []byte) []byte {
	_, _ = w.Write(body) // a bytes.Buffer does not fail
	_ = w.Close()
	return to.Bytes()
}

// contentType returns the media type of a file extension. It does not use package mime, whose results depend on the
// machine.
func contentType(ext string) string {
	switch ext {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".woff2":
		return "font/woff2"
	case ".png":
		return "image/png"
	case ".ico":
		return "image/x-icon"
	}
	panic(fmt.Sprintf("static: no content type for %s", ext))
}
