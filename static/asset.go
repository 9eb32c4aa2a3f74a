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

// Values of headers, which answers share: nobody changes them in place.
var (
	// An address with a hash never shows anything else.
	cacheForever = []string{"public, max-age=31536000, immutable"}
	// A fixed address, such as /favicon.ico, may change with a release.
	cacheShort   = []string{"public, max-age=86400"}
	varies       = []string{"Accept-Encoding"}
	acceptRanges = []string{"bytes"}
)

// asset is one embedded file in the encodings it is served in.
type asset struct {
	contentType []string
	hash        string
	plain       *variant
	// The others are nil where they would not be smaller. Zstandard is not among them: at its
	// best it makes these files no smaller than gzip does.
	gzip   func() *variant         // made when somebody first takes it, in a millisecond or two
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

// packed is nil when it would not be smaller.
func (a *asset) packed(coding Coding, compress func([]byte) []byte) *variant {
	small := compress(a.plain.body)
	if len(small) >= len(a.plain.body) {
		return nil
	}
	return newVariant(coding, a.hash+"-"+coding.String(), small)
}

// Pack makes what takes long to make, some tenths of a second: the files with Brotli. Until it is
// done they are served without. A server that has begun to answer has time for it.
func Pack() {
	for _, a := range assets.named {
		if a.gzip() != nil && a.brotli.Load() == nil {
			a.brotli.Store(a.packed(Brotli, brotlied))
		}
	}
}

// serve answers a GET or a HEAD.
func (a *asset) serve(w http.ResponseWriter, r *http.Request, cacheControl []string) {
	h := w.Header()
	h["Content-Type"] = a.contentType
	h["Cache-Control"] = cacheControl
	v := a.plain
	if a.gzip() != nil {
		if len(h["Vary"]) == 0 {
			h["Vary"] = varies
		}
		// A range counts in the bytes of one encoding: ranges get the plain one.
		if r.Header.Get("Range") == "" {
			v = a.best(Accepts(r.Header["Accept-Encoding"]...))
		}
	}
	v.serve(w, r)
}

// best is the smallest encoding that there is and the client takes, unless it prefers another one.
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

// variant is a file in one encoding, with the values of its headers.
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
	if known == v.etag[0] && !isIntricate(r) {
		delete(h, "Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if v.encoding != nil {
		h["Content-Encoding"] = v.encoding
	}
	if known != "" || isIntricate(r) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(v.body))
		return
	}
	h["Accept-Ranges"] = acceptRanges
	h["Content-Length"] = v.length
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(v.body) // who has gone meanwhile needs nothing
	}
}

// isIntricate is true of the few requests with conditions that the standard library knows
// best.
func isIntricate(r *http.Request) bool {
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

// window is 2 to the power of it in bytes, more than any file here has. A larger one would
// take 32 MB of memory for each file.
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

// contentType does not ask the mime package, whose answers depend on the
// machine.
func contentType(ext string) string {
	switch ext {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".ico":
		return "image/x-icon"
	}
	panic(fmt.Sprintf("static: no content type for %s", ext))
}
