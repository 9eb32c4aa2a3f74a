// Package static serves the embedded style sheet, scripts, icons, and fonts with their licence, at addresses that
// change with their content.
package static

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/css"
	"github.com/tdewolff/minify/v2/js"
)

// Prefix is the beginning of the addresses that URL returns.
const Prefix = "/static/"

//go:embed styles/*.css sheets/*.css fonts editor/*.js paste/*.js typing/*.js *.js *.svg *.ico *.png
var files embed.FS

// assets contains all files. It is filled once and then only read.
var assets = load(files)

// library finds assets by their names and by the names with hashes.
type library struct{ named, hashed map[string]*asset }

// URL returns the address of a file with its hash. It panics if there is no such file, because names are constants in
// templates.
func URL(name string) string { return Prefix + hashedName(name, must(name)) }

// ServeHashed serves the file with a hashed name, which is the part of its URL after Prefix. It returns false and
// writes nothing if there is none.
func ServeHashed(w http.ResponseWriter, r *http.Request, hashed string) bool {
	a, ok := assets.hashed[hashed]
	if ok {
		a.serve(w, r, cacheForever)
	}
	return ok
}

// Serve serves a file at an address without a hash. It panics if there is no such file.
func Serve(w http.ResponseWriter, r *http.Request, name string) {
	must(name).serve(w, r, cacheShort)
}

func must(name string) *asset {
	a, ok := assets.named[name]
	if !ok {
		panic("static: no file " + name)
	}
	return a
}

func hashedName(name string, a *asset) string {
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + a.hash + ext
}

func load(files embed.FS) library {
	l := library{named: map[string]*asset{}, hashed: map[string]*asset{}}
	var fonts []string // alternating names and hashed names, in quotation marks as in the style sheet
	for _, file := range glob(files, "fonts/*") {
		name := path.Base(file)
		l.named[name] = newAsset(name, concatenate(files, file))
		fonts = append(fonts, `"`+name+`"`, `"`+hashedName(name, l.named[name])+`"`)
	}
	addressed := strings.NewReplacer(fonts...)
	for name, parts := range concatenated {
		l.named[name] = newAsset(name, []byte(addressed.Replace(string(concatenate(files, parts)))))
	}
	for _, file := range glob(files, "sheets/*") {
		l.named[path.Base(file)] = newAsset(file, []byte(addressed.Replace(string(concatenate(files, file)))))
	}
	for _, name := range glob(files, "*.*") {
		l.named[name] = newAsset(name, concatenate(files, name))
	}
	for name, a := range l.named {
		l.hashed[hashedName(name, a)] = a
	}
	return l
}

// concatenated are the assets that consist of several files, in the order of their names. The files of a script share
// one scope.
var concatenated = map[string]string{"inkfeed.css": "styles/*", "editor.js": "editor/*", "paste.js": "paste/*",
	"typing.js": "typing/*"}

// minified minifies style sheets and scripts, because pages wait for them. It does not change a file that was published
// in minified form.
func minified(name string, body []byte) []byte {
	m := minify.New()
	m.AddFunc(".css", css.Minify)
	m.AddFunc(".js", js.Minify)
	if strings.Contains(name, ".min.") || !slices.Contains([]string{".css", ".js"}, path.Ext(name)) {
		return body
	}
	small, err := m.Bytes(path.Ext(name), body)
	if err != nil {
		panic(fmt.Sprintf("static: %s: %v", name, err)) // the file is part of the program
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
