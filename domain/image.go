package domain

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of what a user uploads.
const (
	MaxUpload  = 10 << 20 // bytes of a picture as it is sent
	MaxAlt     = 500      // characters
	ImageQuota = 1 << 30  // bytes of all files of a user's images
	// MaxImageWidth is in pixels of a stored picture. Wider pictures are scaled down to it.
	MaxImageWidth = 2560
)

// MediaPrefix begins the paths of all uploaded pictures.
const MediaPrefix = "/media/"

// The widths of the smaller variants of a picture, in pixels.
var variantWidths = []int{240, 480, 960, 1600}
var avatarWidths = []int{96, 192}

// AvatarSize is the width and height of an avatar, in pixels.
const AvatarSize = 384

// Extensions of the stored pictures. A stored GIF is always animated. GIFs and SVGs have no variants.
const (
	ExtJPEG = "jpg"
	ExtPNG  = "png"
	ExtGIF  = "gif"
	ExtSVG  = "svg"
)

// ImageName is the name of a stored picture: <hash>-<width>x<height>.<ext>. The picture's address, its size and the
// addresses of its variants follow from the name alone, so a text with pictures can be rendered without a query.
type ImageName struct {
	Hash          string // of the owner's id and the content
	Width, Height int    // pixels
	Ext           string
}

// NewImageName derives the name of a picture from its owner and its content. The same picture of the same user gets the
// same name. The names of two users' copies have nothing in common.
func NewImageName(userID string, content []byte, width, height int, ext string) ImageName {
	sum := sha512.New()
	fmt.Fprintf(sum, "image:%d:%s:", len(userID), userID)
	sum.Write(content)
	return ImageName{newID(bytes.NewReader(sum.Sum(nil))), width, height, ext}
}

// String returns the name as it is stored and served.
func (n ImageName) String() string {
	return fmt.Sprintf("%s-%dx%d.%s", n.Hash, n.Width, n.Height, n.Ext)
}

// MarshalText implements encoding.TextMarshaler: items contain the name as a text.
func (n ImageName) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. An invalid name becomes the zero value.
func (n *ImageName) UnmarshalText(text []byte) error {
	*n, _ = ParseImageName(string(text))
	return nil
}

// Shareable reports whether other sites can show the picture. Few support SVG.
func (n ImageName) Shareable() bool { return n.Hash != "" && n.Ext != ExtSVG }

// Path returns the picture's path on this site.
func (n ImageName) Path() string { return MediaPrefix + n.String() }

// ParseImagePath returns the name of the picture at a path on this site, as Markdown contains it. It returns false for
// all other paths, including those of variants.
func ParseImagePath(path string) (ImageName, bool) {
	path = strings.TrimSuffix(path, PictureWidth(path))
	name, ok := strings.CutPrefix(path, MediaPrefix)
	if !ok {
		return ImageName{}, false
	}
	return ParseImageName(name)
}

// ParseImageName parses a name. It returns false for any text that String does not produce.
func ParseImageName(s string) (ImageName, bool) {
	hash, rest, _ := strings.Cut(s, "-")
	size, ext, _ := strings.Cut(rest, ".")
	width, height, _ := strings.Cut(size, "x")
	w, errW := strconv.Atoi(width)
	h, errH := strconv.Atoi(height)
	n := ImageName{hash, w, h, ext}
	if errW != nil || errH != nil || w < 1 || h < 1 || !IsID(hash) || n.String() != s {
		return ImageName{}, false
	}
	switch ext {
	case ExtJPEG, ExtPNG, ExtGIF, ExtSVG:
		return n, true
	}
	return ImageName{}, false
}

// Variants returns the widths of the picture's smaller variants in pixels, ascending. Small pictures, GIFs and SVGs
// have none.
func (n ImageName) Variants() []int { return n.narrower(variantWidths) }

// AvatarVariants is Variants for a picture that is an avatar.
func (n ImageName) AvatarVariants() []int { return n.narrower(avatarWidths) }

func (n ImageName) narrower(widths []int) []int {
	if n.Ext == ExtGIF || n.Ext == ExtSVG {
		return nil
	}
	for i, width := range widths {
		if width >= n.Width {
			return widths[:i:i]
		}
	}
	return widths[:len(widths):len(widths)]
}

// Variant returns the file name of the variant with a width. For the picture's own width it is the picture's name.
func (n ImageName) Variant(width int) string {
	if width == n.Width {
		return n.String()
	}
	return fmt.Sprintf("%s-%dx%d.%d.%s", n.Hash, n.Width, n.Height, width, n.Ext)
}

// VariantHeight returns the height of the variant with a width, in pixels.
func (n ImageName) VariantHeight(width int) int {
	return max(1, int(math.Round(float64(n.Height)*float64(width)/float64(n.Width))))
}

// SrcSet returns the value of an img element's srcset: all variants and the picture itself, with their widths. It is
// empty if the picture has no variants.
func (n ImageName) SrcSet() string {
	var candidates []string
	for _, width := range n.Variants() {
		candidates = append(candidates, fmt.Sprintf("%s%s %dw", MediaPrefix, n.Variant(width), width))
	}
	if len(candidates) == 0 {
		return ""
	}
	return strings.Join(append(candidates, fmt.Sprintf("%s %dw", n.Path(), n.Width)), ", ")
}

// Small returns the path of the narrowest variant with at least the given width in pixels, or of the picture itself.
func (n ImageName) Small(width int) string { return n.smallest(n.Variants(), width) }

func (n ImageName) smallest(variants []int, width int) string {
	for _, variant := range variants {
		if variant >= width {
			return MediaPrefix + n.Variant(variant)
		}
	}
	return n.Path()
}

// NextWider returns the name of the next wider file of a picture: a variant or the picture itself. It returns false if
// file is the picture itself. The wider file replaces a missing variant: earlier releases did not make all widths.
func (n ImageName) NextWider(file string) (string, bool) {
	wider := n.String()
	for _, width := range slices.Backward(n.Variants()) {
		if file == n.Variant(width) {
			return wider, true
		}
		wider = n.Variant(width)
	}
	return "", false
}

// AvatarPath returns the path of an avatar that is shown at a width in CSS pixels, large enough for screens of twice
// the usual density. The parameter avatar is the picture's name. The path is empty if it is not a valid name.
func AvatarPath(avatar string, width int) string {
	n, ok := ParseImageName(avatar)
	if !ok {
		return ""
	}
	return n.smallest(n.AvatarVariants(), 2*width)
}

// OwnerFile returns the name of a file that contains the id of the user who owns the picture. It is never served; the
// site reads it to find the owner. Older pictures have no such file.
func (n ImageName) OwnerFile() string { return n.String() + ownerSuffix }

const ownerSuffix = ".owner"

// ParseOwnerFile returns the name of the picture to which an OwnerFile belongs.
func ParseOwnerFile(file string) (ImageName, bool) {
	name, ok := strings.CutSuffix(file, ownerSuffix)
	if !ok {
		return ImageName{}, false
	}
	return ParseImageName(name)
}

// Files returns the names of all files that the picture may have. The OwnerFile is last, because files are deleted in
// this order: the owner stays known while any visible file is left.
func (n ImageName) Files() []string {
	files := []string{n.String()}
	for _, widths := range [][]int{n.AvatarVariants(), n.Variants()} {
		for _, width := range widths {
			files = append(files, n.Variant(width))
		}
	}
	return append(files, n.OwnerFile())
}

// ParseImageFile returns the name of the picture to which a file belongs: the picture itself or a variant.
func ParseImageFile(file string) (ImageName, bool) {
	if n, ok := ParseImageName(file); ok {
		return n, true
	}
	stem, ext, _ := cutLast(file, ".")
	stem, width, _ := cutLast(stem, ".")
	n, ok := ParseImageName(stem + "." + ext)
	w, err := strconv.Atoi(width)
	if !ok || err != nil || w >= n.Width || n.Variant(w) != file {
		return ImageName{}, false
	}
	if slices.Contains(n.AvatarVariants(), w) || slices.Contains(n.Variants(), w) {
		return n, true
	}
	return ImageName{}, false
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// Image is a picture that a user uploaded.
type Image struct {
	Name    ImageName
	UserID  string
	Alt     string // what it shows, in words; may be empty
	Bytes   int64  // of all its files
	Avatar  bool   // uploaded as the user's avatar, so in no list
	Created time.Time
	// Incomplete reports that files may be missing: the picture is being uploaded or deleted, or the process died
	// meanwhile.
	Incomplete bool
	// Source is the SourceDigest of the file from which an import made the picture, so that the next import need not
	// decode the file. It is empty for uploaded pictures.
	Source string
	// Import is the ImportJob that added the picture. It is empty if the picture was uploaded or imported by the
	// command.
	Import string
	PostID string // the post whose embed shows the picture, which is in no list and is deleted with the post
}

// SourceDigest returns a digest of the file from which a picture is made.
func SourceDigest(file []byte) string {
	sum := sha256.Sum256(file)
	return newID(bytes.NewReader(sum[:]))
}

// Markdown returns the Markdown that shows the image.
func (i Image) Markdown() string {
	return "![" + altEscaper.Replace(i.Alt) + "](" + i.Name.Path() + ")"
}

// altEscaper escapes characters of an alternative text that Markdown would read as markup.
var altEscaper = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"<", `\<`, "&", `\&`, "~", `\~`, "$", `\$`, ":", `\:`)

// ContentType returns the media type of the picture and its variants.
func (n ImageName) ContentType() string {
	switch n.Ext {
	case ExtJPEG:
		return "image/jpeg"
	case ExtPNG:
		return "image/png"
	case ExtSVG:
		return "image/svg+xml"
	}
	return "image/gif"
}
