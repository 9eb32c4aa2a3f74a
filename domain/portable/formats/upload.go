package formats

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// maxUploadText is the maximum size of what readers unpack of an upload, in bytes, with the zips within it and their
// texts. A reader holds all of it in memory.
const maxUploadText = 64 << 20

// errUploadText reports that an upload exceeds maxUploadText.
var errUploadText = portable.NewFault(locale.M("its texts take more than {limit} MB, unpacked",
	"limit", maxUploadText>>20), nil)

// ReadUpload reads an uploaded export: a zip, or a single XML or JSON file. It recognises the format by the
// content, and uses the name from the browser only in the report. The file must stay open as long as the blog
// is used.
func ReadUpload(name string, file io.ReaderAt, size int64, o portable.Options, now time.Time) (*portable.Blog, error) {
	files, err := UploadFiles(name, file, size)
	if err != nil {
		return nil, err
	}
	files.Limit(maxUploadText)
	return read(files, o, now)
}

// UploadFiles returns the files of an uploaded export, as ReadUpload sees them, without reading any of them.
func UploadFiles(name string, file io.ReaderAt, size int64) (*portable.Files, error) {
	if size == 0 {
		return nil, portable.NewFault(locale.M("the file is empty"), nil)
	}
	start := make([]byte, 512)
	n, err := file.ReadAt(start, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	start = start[:n]
	if bytes.HasPrefix(start, []byte("PK")) {
		z, err := portable.OpenZip(file, size)
		if err != nil {
			return nil, err
		}
		if err := checkUpload(z); err != nil {
			return nil, err
		}
		return portable.NewFiles(z)
	}
	ending := ""
	start, _, _ = portable.Decode(start, "")
	switch text := bytes.TrimLeft(start, " \t\n"); {
	case bytes.HasPrefix(text, []byte("<")):
		ending = ".xml"
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		ending = ".json"
	default:
		return nil, portable.NewFault(locale.M("it is neither a zip nor an XML or JSON file"), nil)
	}
	if size > maxUploadText {
		return nil, errUploadText
	}
	return portable.NewFiles(upload{fileName(name, ending), file, size})
}

// checkUpload returns an error if the texts of an upload exceed maxUploadText according to its directory.
func checkUpload(z *zip.Reader) error {
	var texts uint64
	for _, f := range z.File {
		if !isBinary(f.Name) {
			texts += f.UncompressedSize64
		}
	}
	if texts > maxUploadText {
		return errUploadText
	}
	return nil
}

// isBinary reports whether a file has an extension of files that readers do not read as text.
func isBinary(name string) bool {
	if portable.IsImage(name) {
		return true
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".mp3", ".m4a", ".ogg", ".wav", ".flac", ".mp4", ".m4v", ".mov", ".webm", ".avi", ".mkv",
		".pdf", ".zip", ".gz", ".woff", ".woff2", ".ttf", ".otf", ".eot", ".heic", ".avif", ".tiff", ".psd":
		return true
	}
	return false
}

// fileName returns a valid file name with the given extension.
func fileName(name, ending string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if !fs.ValidPath(name) || name == "." {
		name = "upload"
	}
	if !strings.EqualFold(path.Ext(name), ending) {
		name += ending
	}
	return name
}

// upload is a folder with a single file in it.
type upload struct {
	name string
	file io.ReaderAt
	size int64
}

func (u upload) Open(name string) (fs.File, error) {
	switch name {
	case ".":
		return &uploadFolder{u, false}, nil
	case u.name:
		return &uploadFile{io.NewSectionReader(u.file, 0, u.size), u}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (u upload) Name() string               { return u.name }
func (u upload) Size() int64                { return u.size }
func (u upload) Mode() fs.FileMode          { return 0o400 }
func (u upload) ModTime() time.Time         { return time.Time{} }
func (u upload) IsDir() bool                { return false }
func (u upload) Sys() any                   { return nil }
func (u upload) Type() fs.FileMode          { return 0 }
func (u upload) Info() (fs.FileInfo, error) { return u, nil }

type uploadFile struct {
	*io.SectionReader
	upload upload
}

func (f *uploadFile) Stat() (fs.FileInfo, error) { return f.upload, nil }
func (f *uploadFile) Close() error               { return nil }

type uploadFolder struct {
	upload upload
	read   bool
}

func (f *uploadFolder) Stat() (fs.FileInfo, error) { return folderInfo{f.upload}, nil }
func (f *uploadFolder) Close() error               { return nil }
func (f *uploadFolder) Read([]byte) (int, error)   { return 0, errors.New("it is a folder") }

func (f *uploadFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if f.read {
		if n > 0 {
			return nil, io.EOF
		}
		return nil, nil
	}
	f.read = true
	return []fs.DirEntry{f.upload}, nil
}

type folderInfo struct{ upload }

func (folderInfo) Name() string      { return "." }
func (folderInfo) Size() int64       { return 0 }
func (folderInfo) Mode() fs.FileMode { return fs.ModeDir | 0o500 }
func (folderInfo) IsDir() bool       { return true }
