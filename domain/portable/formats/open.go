// Package formats recognises the format of an export and reads it into the neutral form of package portable.
package formats

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// Open reads an export: a folder, a zip of a folder, or a file. It reads no files outside of the export and of
// o.Uploads. The blog's files stay open until close is called.
func Open(name string, o portable.Options, now time.Time) (blog *portable.Blog, close func(), err error) {
	var s sources
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if err := s.open(name); err != nil {
		return nil, nil, err
	}
	if o.Uploads != "" {
		root, err := s.folder(o.Uploads)
		if err != nil {
			return nil, nil, fmt.Errorf("--uploads: %w", err)
		}
		s.roots = append(s.roots, root)
	}
	files, err := portable.NewFiles(s.roots...)
	if err == nil {
		blog, err = read(files, o, now)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if beside := s.beside(name); beside != nil {
		blog.AddProblem("", "only %s was read: to import the files beside it, too, such as %s, import their folder",
			filepath.Base(name), firstOf(beside))
	}
	return blog, s.close, nil
}

// partNumber matches the number by which the names of the files of one export differ.
var partNumber = regexp.MustCompile(`[ ._(-]*\d+\)?`)

// beside returns the files beside a single file that look like other parts of the same export.
func (s *sources) beside(name string) (found []string) {
	single, ok := s.roots[0].(singleFile)
	if !ok {
		return nil
	}
	same := func(name string) string { return partNumber.ReplaceAllString(strings.ToLower(name), "") }
	entries, _ := fs.ReadDir(single.FS, ".") // without them nothing is known
	for _, entry := range entries {
		if other := entry.Name(); other != single.name && isExport(other) && same(other) == same(single.name) {
			found = append(found, other)
		}
	}
	return found
}

// sources are the folders of an export.
type sources struct {
	roots   []fs.FS
	closers []io.Closer
}

// open adds a folder, a zip of a folder, or a file.
func (s *sources) open(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	var root fs.FS
	switch {
	case info.IsDir():
		if root, err = s.folder(name); err != nil {
			return err
		}
		root = portable.Checkout{FS: root, Dir: name}
	case strings.EqualFold(filepath.Ext(name), ".zip"):
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		s.closers = append(s.closers, file)
		if root, err = portable.OpenZip(file, info.Size()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	default:
		if root, err = s.folder(filepath.Dir(name)); err != nil {
			return err
		}
		root = singleFile{root, filepath.Base(name)}
	}
	s.roots = append(s.roots, root)
	return nil
}

// folder opens a folder.
func (s *sources) folder(name string) (fs.FS, error) {
	root, err := os.OpenRoot(name) // a root does not follow links that lead outside
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, root)
	return root.FS(), nil
}

func (s *sources) close() {
	for _, c := range s.closers {
		c.Close()
	}
}

// singleFile is a folder that shows only one of its files.
type singleFile struct {
	fs.FS
	name string
}

func (o singleFile) ReadDir(name string) ([]fs.DirEntry, error) {
	info, err := fs.Stat(o.FS, o.name)
	if err != nil {
		return nil, err
	}
	return []fs.DirEntry{fs.FileInfoToDirEntry(info)}, nil
}

// ErrUnknown reports that no reader recognised the export.
var ErrUnknown = portable.NewFault(locale.M("it is neither a folder of Markdown, nor an export of WordPress, Ghost, "+
	"Substack, Medium, Blogger, Tumblr, WriteFreely or Inkfeed"), nil)

// Read recognises the export in the first of some folders and reads it with the default options. The other folders
// contain files that belong to it.
func Read(roots []fs.FS, now time.Time) (*portable.Blog, error) {
	files, err := portable.NewFiles(roots...)
	if err != nil {
		return nil, err
	}
	return read(files, portable.Options{}, now)
}

func read(files *portable.Files, o portable.Options, now time.Time) (*portable.Blog, error) {
	files.Language = o.Language
	b, err := recognise(files, o, now)
	if !files.Unlimit() {
		return nil, errUploadText
	}
	if err != nil {
		return nil, err
	}
	b.ReportPaths()
	b.ReportRepairs()
	if !o.Authors {
		b.ReportAuthors()
	}
	return b, nil
}
