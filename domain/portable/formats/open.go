// Package formats recognises the format of an export and reads it into the neutral form of package portable.
package formats

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/blogger"
	"inkfeed/domain/portable/export"
	"inkfeed/domain/portable/folder"
	"inkfeed/domain/portable/ghost"
	"inkfeed/domain/portable/medium"
	"inkfeed/domain/portable/substack"
	"inkfeed/domain/portable/tumblr"
	"inkfeed/domain/portable/wordpress"
	"inkfeed/domain/portable/writefreely"
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
	return blog, s.close, nil
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

// recognise finds the reader for an export and calls it.
func recognise(files *portable.Files, o portable.Options, now time.Time) (*portable.Blog, error) {
	if name, ok := files.Shallowest(export.FileName); ok {
		if blog, err := export.ReadFile(files, name); err == nil || !errors.Is(err, export.ErrNotExport) {
			return blog, err
		}
	}
	for _, reader := range []func(*portable.Files, time.Time) (*portable.Blog, error){
		substack.ReadFolder, medium.ReadFolder, tumblr.ReadFolder, blogger.ReadFolder,
	} {
		if blog, err := reader(files, now); blog != nil || err != nil {
			return blog, err
		}
	}
	texts := 0
	var refused error
	for _, name := range files.Paths {
		switch strings.ToLower(path.Ext(name)) {
		case ".xml", ".wxr":
			if strings.Count(name, "/") > 2 {
				continue
			}
			blog, err := readXML(files, name, o, now)
			if err == nil {
				return blog, nil
			}
			refused = fmt.Errorf("%s: %w", name, err)
		case ".json":
			if strings.Count(name, "/") > 2 {
				continue
			}
			blog, err := readJSON(files, name, now)
			if blog != nil || err != nil && len(files.Paths) == 1 {
				return blog, err
			}
		default:
			if portable.IsText(name) {
				texts++
			}
		}
	}
	if texts > 0 {
		return folder.Read(files, o, now)
	}
	if refused != nil {
		return nil, refused
	}
	if blog, err := writefreely.ReadTexts(files, now); blog != nil || err != nil {
		return blog, err
	}
	if folder.HasOtherTexts(files) { // whose report names them
		return folder.Read(files, o, now)
	}
	return nil, ErrUnknown
}

func readXML(files *portable.Files, name string, o portable.Options, now time.Time) (*portable.Blog, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := bufio.NewReaderSize(portable.DecodeXML(io.LimitReader(file, portable.MaxDocument)), 1<<16)
	head, _ := r.Peek(4 << 10) // also if the file is shorter
	switch m := rootElement.FindSubmatch(head); {
	case m != nil && string(m[1]) == "feed":
		b := blogger.New(files, now)
		if err := b.Decode(r); err != nil {
			return nil, err
		}
		return b.Finish(), nil
	case m != nil && string(m[1]) == "tumblr":
		return tumblr.ReadXML(r, files)
	}
	return wordpress.ReadXML(r, files, o, now)
}

// rootElement matches the first element of an XML document.
var rootElement = regexp.MustCompile(`<([A-Za-z][\w:.-]*)`)

// readJSON returns neither a blog nor an error for JSON of an unknown kind.
func readJSON(files *portable.Files, name string, now time.Time) (*portable.Blog, error) {
	body, err := files.ReadText(name, portable.MaxDocument)
	if err != nil {
		return nil, err
	}
	if err := portable.CheckJSON(body); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		return writefreely.ReadList(body, files, now), nil
	}
	var whole struct {
		DB []struct {
			Data ghost.Data `json:"data"`
		} `json:"db"`
		Data        *ghost.Data       `json:"data"`
		Collections json.RawMessage   `json:"collections"`
		Posts       []json.RawMessage `json:"posts"`
	}
	if err := json.Unmarshal(body, &whole); err != nil {
		return nil, portable.NewFault(locale.M("it is not valid JSON"), err)
	}
	switch {
	case len(whole.DB) > 0:
		return ghost.ReadData(whole.DB[0].Data, files, now), nil
	case whole.Data != nil && whole.Data.Posts != nil:
		return ghost.ReadData(*whole.Data, files, now), nil
	case whole.Collections != nil || len(whole.Posts) > 0 && strings.Contains(string(whole.Posts[0]), `"body"`):
		var data writefreely.Data
		if err := json.Unmarshal(body, &data); err != nil {
			return nil, portable.InvalidExport("WriteFreely", err)
		}
		return writefreely.ReadData(data, files, now), nil
	}
	return nil, nil
}
