package portable

import (
	"archive/zip"
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
)

// Open reads an export: a folder, a zip of one, or a file. It reads no file outside of the
// export and of o.Uploads. The blog's files stay open until close is called.
func Open(name string, o Options, now time.Time) (blog *Blog, close func(), err error) {
	var closers []io.Closer
	closeAll := func() {
		for _, c := range closers {
			c.Close()
		}
	}
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	folderOf := func(name string) (fs.FS, error) {
		root, err := os.OpenRoot(name) // which also follows no links out of it
		if err != nil {
			return nil, err
		}
		closers = append(closers, root)
		return root.FS(), nil
	}
	var roots []fs.FS
	single := ""
	switch {
	case info.IsDir():
		root, err := folderOf(name)
		if err != nil {
			return nil, nil, err
		}
		roots = append(roots, checkout{root, name})
	case strings.EqualFold(filepath.Ext(name), ".zip"):
		z, err := zip.OpenReader(name)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		closers = append(closers, z)
		if err := checkZip(&z.Reader); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		roots = append(roots, z)
	default:
		root, err := folderOf(filepath.Dir(name))
		if err != nil {
			return nil, nil, err
		}
		single = filepath.Base(name)
		roots = append(roots, one{root, single})
	}
	if o.Uploads != "" {
		root, err := folderOf(o.Uploads)
		if err != nil {
			return nil, nil, fmt.Errorf("--uploads: %w", err)
		}
		roots = append(roots, root)
	}
	blog, err = read(roots, o, now)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return blog, closeAll, nil
}

// one is a folder of which a single file is seen.
type one struct {
	fs.FS
	name string
}

func (o one) ReadDir(name string) ([]fs.DirEntry, error) {
	info, err := fs.Stat(o.FS, o.name)
	if err != nil {
		return nil, err
	}
	return []fs.DirEntry{fs.FileInfoToDirEntry(info)}, nil
}

// ErrUnknown says that nothing that is read was recognised.
var ErrUnknown = errors.New("it is neither a folder of Markdown, nor an export of WordPress, Ghost, Substack, Medium, Blogger, Tumblr, WriteFreely or Inkfeed")

// Read recognises the export in the first of some folders and reads it with the default
// options. The other folders hold files that belong to it.
func Read(roots []fs.FS, now time.Time) (*Blog, error) { return read(roots, Options{}, now) }

func read(roots []fs.FS, o Options, now time.Time) (*Blog, error) {
	files, err := newFiles(roots...)
	if err != nil {
		return nil, err
	}
	b, err := recognise(files, o, now)
	if err == nil && !o.Authors {
		b.tellAuthors()
	}
	return b, err
}

// recognise finds the reader for some files and uses it.
func recognise(files *Files, o Options, now time.Time) (*Blog, error) {
	if name, ok := files.shallowest(exportName); ok {
		if blog, err := readOwn(files, name); err == nil || !errors.Is(err, errNotOurs) {
			return blog, err
		}
	}
	for _, reader := range []func(*Files, time.Time) (*Blog, error){readSubstack, readMedium, readTumblr, readBlogger} {
		if blog, err := reader(files, now); blog != nil || err != nil {
			return blog, err
		}
	}
	texts := 0
	var refused error
	for _, name := range files.order {
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
			if blog != nil || err != nil && len(files.order) == 1 {
				return blog, err
			}
		default:
			if isText(name) {
				texts++
			}
		}
	}
	if texts > 0 {
		return readFolder(files, o, now)
	}
	if refused != nil {
		return nil, refused
	}
	if blog, err := readWriteFreelyTexts(files, now); blog != nil || err != nil {
		return blog, err
	}
	return nil, ErrUnknown
}

func readXML(files *Files, name string, o Options, now time.Time) (*Blog, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := bufio.NewReaderSize(io.LimitReader(file, maxDocument), 1<<16)
	head, _ := r.Peek(4 << 10) // shorter ones too
	switch m := rootElement.FindSubmatch(head); {
	case m != nil && string(m[1]) == "feed":
		b := newBlogger(files, now)
		if err := b.decode(r); err != nil {
			return nil, err
		}
		return b.finish(), nil
	case m != nil && string(m[1]) == "tumblr":
		return readTumblrXML(r, files)
	}
	return readWordPress(r, files, o, now)
}

// rootElement finds the first element of an XML document.
var rootElement = regexp.MustCompile(`<([A-Za-z][\w:.-]*)`)

// readJSON gives neither blog nor error for what is of none of the formats.
func readJSON(files *Files, name string, now time.Time) (*Blog, error) {
	body, err := files.Read(name, maxDocument)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		return readWriteFreelyList(body, files, now), nil
	}
	var whole struct {
		DB []struct {
			Data ghostData `json:"data"`
		} `json:"db"`
		Data        *ghostData        `json:"data"`
		Collections json.RawMessage   `json:"collections"`
		Posts       []json.RawMessage `json:"posts"`
	}
	if err := json.Unmarshal(body, &whole); err != nil {
		return nil, fmt.Errorf("%s: it is no JSON of an export: %w", name, err)
	}
	switch {
	case len(whole.DB) > 0:
		return readGhost(whole.DB[0].Data, files, now), nil
	case whole.Data != nil && whole.Data.Posts != nil:
		return readGhost(*whole.Data, files, now), nil
	case whole.Collections != nil || len(whole.Posts) > 0 && strings.Contains(string(whole.Posts[0]), `"body"`):
		var data writeFreelyData
		if err := json.Unmarshal(body, &data); err != nil {
			return nil, fmt.Errorf("%s: it is no export of WriteFreely: %w", name, err)
		}
		return readWriteFreely(data, files, now), nil
	}
	return nil, nil
}
