package portable

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/locale"
)

// Limits of reading, in bytes and files. They ensure that a hostile export ends in an error rather than in exhausted
// memory.
const (
	maxFiles    = 200_000
	MaxText     = 3 << 20   // one Markdown file, or the HTML of one post
	MaxDocument = 512 << 20 // one XML or JSON file
	MaxConfig   = 1 << 20
	// MaxImage is the maximum size of a file that is read as an image.
	MaxImage = 64 << 20
)

// ErrTooLarge reports that a file exceeds its limit.
var ErrTooLarge = NewFault(locale.M("it is larger than the limit for imported files"), nil)

// errHoldsMore reports that an export exceeds another limit.
var errHoldsMore = NewFault(locale.M("it holds more than an export can"), nil)

// Files are the files of an export and of additional folders.
type Files struct {
	roots []fs.FS
	// ByName maps the last part of a path, in lower case, to the paths of all files with it.
	ByName map[string][]string
	RootOf map[string]int // indexes of the roots, by path
	Paths  []string       // paths in the first root, sorted
	// decomposed maps paths to the names of files whose letters are decomposed, as macOS writes them. All paths here
	// are composed (Unicode's form NFC). Methods take both.
	decomposed map[string]string
	nested     []string // zips within the export whose files were added: see AddZip
	// Language is the blog's language, as far as it is known. It decides how texts that are not in UTF-8 are read.
	Language string
	repairs  map[string]Problem // of texts that are not in UTF-8, by path
	// history holds the first commits of the files in the first root, or nil until it is read.
	history map[string]time.Time
	budget  *budget // nil: no limit
}

// NewFiles lists the files in some folders.
func NewFiles(roots ...fs.FS) (*Files, error) {
	f := &Files{roots: roots, ByName: make(map[string][]string), RootOf: make(map[string]int),
		repairs: make(map[string]Problem), decomposed: make(map[string]string)}
	for i, root := range roots {
		if err := f.scan(i, root); err != nil {
			return nil, err
		}
	}
	slices.Sort(f.Paths)
	return f, nil
}

func (f *Files) scan(i int, root fs.FS) error {
	return fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if skippedFolder(name) {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || strings.HasPrefix(path.Base(name), "._") {
			return nil
		}
		composed := norm.NFC.String(name)
		switch root, there := f.RootOf[composed]; {
		case !there && composed != name:
			f.decomposed[composed], name = name, composed
		case there && root == i: // the folder has both forms
			if composed == name {
				name = f.decomposed[composed]
				delete(f.decomposed, composed)
			}
		case there:
			return nil
		}
		if len(f.RootOf) == maxFiles {
			return NewFault(locale.M("it contains more than {limit} files", "limit", maxFiles), nil)
		}
		key := strings.ToLower(path.Base(name))
		f.ByName[key] = append(f.ByName[key], name)
		f.RootOf[name] = i
		if i == 0 {
			f.Paths = append(f.Paths, name)
		}
		return nil
	})
}

// maxNested is the maximum size, in bytes, of a zip within an export. Such a zip is read into memory.
const maxNested = 64 << 20

// AddZip adds the files of a zip in the first root, as if they were in its folder.
func (f *Files) AddZip(name string) error {
	body, err := f.Read(name, maxNested)
	if err != nil {
		return err
	}
	z, err := OpenZip(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return err
	}
	f.roots, f.nested = append(f.roots, z), append(f.nested, name)
	inner := len(f.roots) - 1
	if err := f.scan(inner, z); err != nil {
		return err
	}
	for name, root := range f.RootOf {
		if root == inner {
			f.Paths = append(f.Paths, name)
		}
	}
	slices.Sort(f.Paths)
	return nil
}

// skippedFolder reports whether a folder contains tools or the output of a generator.
func skippedFolder(name string) bool {
	switch path.Base(name) {
	case ".git", "node_modules", "_site", "__MACOSX", ".github", ".jekyll-cache", "vendor", "themes":
		return true
	}
	return false
}

// Has reports whether a file with this path exists.
func (f *Files) Has(name string) bool { _, _, ok := f.find(name); return ok }

// find returns the root of a file and its name there.
func (f *Files) find(name string) (root fs.FS, in string, ok bool) {
	i, ok := f.RootOf[name]
	if !ok {
		name = norm.NFC.String(name)
		i, ok = f.RootOf[name]
	}
	return f.roots[i], cmp.Or(f.decomposed[name], name), ok
}

// Within reports whether the first root has files whose paths begin with prefix.
func (f *Files) Within(prefix string) bool {
	prefix = norm.NFC.String(prefix)
	i, _ := slices.BinarySearch(f.Paths, prefix)
	return i < len(f.Paths) && strings.HasPrefix(f.Paths[i], prefix)
}

// Open opens a file. The caller closes it.
func (f *Files) Open(name string) (fs.File, error) {
	root, in, ok := f.find(name)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	file, err := root.Open(in)
	if err != nil || f.budget == nil {
		return file, err
	}
	return f.budget.meter(file, name), nil
}

// Read reads a file of at most the given number of bytes. For texts, use ReadText.
func (f *Files) Read(name string, most int64) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(body)) > most {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return body, nil
}

// CommonEnd returns the number of segments that two paths have in common at their ends.
func CommonEnd(a, b string) int {
	x, y := strings.Split(strings.Trim(a, "/"), "/"), strings.Split(strings.Trim(b, "/"), "/")
	n := 0
	for n < min(len(x), len(y)) && strings.EqualFold(x[len(x)-1-n], y[len(y)-1-n]) {
		n++
	}
	return n
}

var imageEndings = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".bmp", ".tif", ".tiff",
	".heic", ".jfif"}

// IsImage reports whether a file has the extension of an image.
func IsImage(name string) bool {
	return slices.Contains(imageEndings, strings.ToLower(path.Ext(name)))
}

// Modified returns when a file was last written, or zero if that is not known.
func (f *Files) Modified(name string) time.Time {
	root, in, _ := f.find(name)
	if info, err := fs.Stat(root, in); err == nil {
		return info.ModTime().UTC()
	}
	return time.Time{}
}

// Shallowest returns the file with a name that is in the fewest folders.
func (f *Files) Shallowest(base string) (string, bool) {
	best := ""
	for _, name := range f.ByName[base] {
		if best == "" || strings.Count(name, "/") < strings.Count(best, "/") {
			best = name
		}
	}
	return best, best != "" && f.RootOf[best] == 0
}
