package portable

import (
	"archive/zip"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"inkfeed/domain/locale"
)

// Limits of a zip: its unpacked size according to its directory, and the ratio of the unpacked to the packed size. Text
// does not compress better.
const (
	maxUnpacked = 16 << 30
	maxRatio    = 200
	looseRatio  = 16 << 20 // below this size in bytes the ratio is not checked
)

// Limits of the directory of a zip. Package zip holds all of it in memory, and then each folder of each name.
const (
	maxDirectory = 64 << 20      // bytes
	maxName      = 4 << 10       // bytes of one name
	maxDepth     = 100           // folders in one name
	maxFolders   = 10 * maxFiles // folders in all names; a folder counts once for each file in it
)

// OpenZip opens a zip and checks its directory: see checkZip.
func OpenZip(file io.ReaderAt, size int64) (*zip.Reader, error) {
	limited := &directoryReader{ReaderAt: file, left: maxDirectory, opening: true}
	z, err := zip.NewReader(limited, size)
	limited.opening = false
	switch {
	case limited.left < 0:
		return nil, errHoldsMore
	case err != nil:
		return nil, NewFault(locale.M("the zip is damaged or incomplete"), nil)
	}
	nameFiles(z)
	return z, checkZip(z)
}

// dosPages are the code pages in which Windows and DOS write names, in the order in which they are tried.
var dosPages = []*charmap.Charmap{charmap.CodePage437, charmap.CodePage850, charmap.CodePage866, charmap.CodePage852}

// nameFiles gives the files of a zip names in UTF-8, with slashes between folders. Old programs for Windows write
// backslashes, and names in the first code page in which the characters of all names are letters.
func nameFiles(z *zip.Reader) {
	var old []*zip.File
	for _, f := range z.File {
		f.Name = strings.ReplaceAll(f.Name, `\`, "/")
		if !utf8.ValidString(f.Name) {
			old = append(old, f)
		}
	}
	page := slices.IndexFunc(dosPages, func(page *charmap.Charmap) bool {
		return !slices.ContainsFunc(old, func(f *zip.File) bool { return !spells(page, f.Name) })
	})
	for _, f := range old {
		f.Name, _ = dosPages[max(page, 0)].NewDecoder().String(f.Name)
	}
}

// spells reports whether the characters of a name outside of ASCII are letters in a code page, and no word has letters
// of two scripts.
func spells(page *charmap.Charmap, name string) bool {
	latin, cyrillic := false, false
	for _, c := range []byte(name) {
		r := page.DecodeByte(c)
		letter := unicode.IsLetter(r)
		latin = letter && (latin || unicode.Is(unicode.Latin, r))
		cyrillic = letter && (cyrillic || unicode.Is(unicode.Cyrillic, r))
		known := unicode.In(r, unicode.Latin, unicode.Cyrillic) && !strings.ContainsRune("ªºƒ", r)
		if c >= utf8.RuneSelf && !known || latin && cyrillic {
			return false
		}
	}
	return true
}

// directoryReader limits the bytes that are read while a zip is opened. The number of files that the zip states does
// not limit them, because package zip reads the whole directory.
type directoryReader struct {
	io.ReaderAt
	left    int64
	opening bool
}

func (d *directoryReader) ReadAt(b []byte, at int64) (int, error) {
	if d.opening {
		if d.left -= int64(len(b)); d.left < 0 {
			return 0, errHoldsMore
		}
	}
	return d.ReaderAt.ReadAt(b, at)
}

// checkZip returns an error if the directory of z suggests a zip bomb, by its sizes or by its names. It can trust the
// sizes, because package zip rejects a file that unpacks to another size. Package zip also rejects paths that lead
// outside.
func checkZip(z *zip.Reader) error {
	if len(z.File) > maxFiles {
		return NewFault(locale.M("it contains more than {limit} files", "limit", maxFiles), nil)
	}
	folders := 0
	var packed, unpacked uint64
	for _, f := range z.File {
		depth := strings.Count(f.Name, "/") + strings.Count(f.Name, `\`) // package zip treats both as separators
		folders += depth
		unpacked += min(f.UncompressedSize64, maxUnpacked+1) // a sum of larger ones could overflow
		packed += f.CompressedSize64
		if len(f.Name) > maxName || depth > maxDepth || folders > maxFolders || unpacked > maxUnpacked {
			return errHoldsMore
		}
	}
	if unpacked > looseRatio && unpacked/maxRatio > packed {
		return NewFault(locale.M("its compression ratio is too high for an export"), nil)
	}
	return nil
}
