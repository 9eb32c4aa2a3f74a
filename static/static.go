// Package static holds the style sheet, the scripts and the icons, embedded, and
// gives each an address that changes with its content.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"
)

// Prefix is where the addresses that URL gives begin.
const Prefix = "/static/"

const (
	// An address with a hash never shows anything else.
	cacheForever = "public, max-age=31536000, immutable"
	// A fixed address, such as /favicon.ico, may change with a release.
	cacheShort = "public, max-age=86400"
)

// asset is one embedded file in the encodings it is served in.
type asset struct {
	contentType string
	hash        string
	plain       []byte
	gzipped     []byte // nil when it would not be smaller
}

//go:embed styles/*.css *.js *.svg *.ico *.png
var files embed.FS

// assets is filled once and then only read.
var assets = load(files)

// URL is the address of a file by its name here. It panics when there is no such
// file: names are constants of the templates.
func URL(name string) string {
	a, ok := assets[name]
	if !ok {
		panic("static: no file " + name)
	}
	ext := path.Ext(name)
	return Prefix + strings.TrimSuffix(name, ext) + "." + a.hash + ext
}

// ServeHashed answers with the file that URL gave that name (the part after
// Prefix). It reports false, and writes nothing, when there is none.
func ServeHashed(w http.ResponseWriter, r *http.Request, hashed string) bool {
	ext := path.Ext(hashed)
	stem, hash, ok := cutLast(strings.TrimSuffix(hashed, ext), ".")
	if !ok {
		return false
	}
	a, ok := assets[stem+ext]
	if !ok || a.hash != hash {
		return false
	}
	a.serve(w, r, cacheForever)
	return true
}

// Serve answers with a file under an address without a hash. It panics when
// there is no such file.
func Serve(w http.ResponseWriter, r *http.Request, name string) {
	a, ok := assets[name]
	if !ok {
		panic("static: no file " + name)
	}
	a.serve(w, r, cacheShort)
}

func (a asset) serve(w http.ResponseWriter, r *http.Request, cacheControl string) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("Cache-Control", cacheControl)
	body, tag := a.plain, a.hash
	if a.gzipped != nil {
		h.Add("Vary", "Accept-Encoding")
		// A range counts in the bytes of one encoding: ranges get the plain one.
		if r.Header.Get("Range") == "" && acceptsGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			body, tag = a.gzipped, a.hash+"-gzip"
		}
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// acceptsGzip understands what browsers and proxies send; any other wording of
// the header gets the plain file, which is always right.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		coding, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			q = strings.ReplaceAll(q, " ", "")
			return q != "q=0" && q != "q=0.0" && q != "q=0.00" && q != "q=0.000"
		}
	}
	return false
}

func load(files embed.FS) map[string]asset {
	loaded := map[string]asset{styleSheet: newAsset(styleSheet, concatenate(files, "styles/*"))}
	for _, name := range glob(files, "*.*") {
		loaded[name] = newAsset(name, concatenate(files, name))
	}
	return loaded
}

// styleSheet is made of all files in styles, in the order of their names.
const styleSheet = "inkfeed.css"

func newAsset(name string, body []byte) asset {
	body = minified(name, body)
	sum := sha256.Sum256(body)
	return asset{contentType: contentType(path.Ext(name)), hash: hex.EncodeToString(sum[:6]), plain: body, gzipped: compress(body)}
}

// minified leaves comments and blanks out of style sheets and scripts, which a visitor of a
// post waits for. What came minified stays as it was published.
func minified(name string, body []byte) []byte {
	m := minify.New()
	m.AddFunc(".css", css.Minify)
	m.AddFunc(".js", js.Minify)
	if strings.Contains(name, ".min.") || !slices.Contains([]string{".css", ".js"}, path.Ext(name)) {
		return body
	}
	small, err := m.Bytes(path.Ext(name), body)
	if err != nil {
		panic(fmt.Sprintf("static: %s: %v", name, err)) // it is part of the program
	}
	return small
}

func concatenate(files embed.FS, pattern string) (whole []byte) {
	for _, name := range glob(files, pattern) {
		body, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		whole = append(whole, body...)
	}
	return whole
}

func glob(files embed.FS, pattern string) []string {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		panic(err)
	}
	return names
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

func compress(body []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err)
	}
	_, _ = w.Write(body) // a bytes.Buffer does not fail
	_ = w.Close()
	if b.Len() >= len(body) {
		return nil
	}
	return b.Bytes()
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
