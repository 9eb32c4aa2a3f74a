package domain

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"inkfeed/domain/plaintext"
)

// Limits of what a user uploads.
const (
	MaxUpload  = 10 << 20 // bytes of a picture as it is sent
	MaxAlt     = 500      // characters
	ImageQuota = 1 << 30  // bytes of all files of a user's images
)

// MediaPrefix is where the addresses of pictures begin.
const MediaPrefix = "/media/"

// MaxImageWidth is the width, in pixels, that wider pictures are scaled down to.
const MaxImageWidth = 2560

// Widths in pixels that there are smaller variants of.
var (
	variantWidths = []int{480, 960, 1600}
	avatarWidths  = []int{96, 192}
)

// AvatarSize is both sides of an avatar, in pixels.
const AvatarSize = 384

// Extensions of the pictures that are kept, which tell their format. A GIF is an
// animated one; it has no variants, and neither has an SVG.
const (
	ExtJPEG = "jpg"
	ExtPNG  = "png"
	ExtGIF  = "gif"
	ExtSVG  = "svg"
)

// ImageName is the name of a picture that is kept: <hash>-<width>x<height>.<ext>.
// From it alone follow its address, its size and the addresses of its variants, so
// that a text which shows a picture can be rendered without asking for anything.
type ImageName struct {
	Hash          string // of the owner's id and the content
	Width, Height int    // pixels
	Ext           string
}

// NewImageName names a picture of a user's by its content: the same picture of the
// same user has the same name, and those of two users have nothing in common.
func NewImageName(userID string, content []byte, width, height int, ext string) ImageName {
	sum := sha512.New()
	fmt.Fprintf(sum, "image:%d:%s:", len(userID), userID)
	sum.Write(content)
	return ImageName{newID(bytes.NewReader(sum.Sum(nil))), width, height, ext}
}

func (n ImageName) String() string {
	return fmt.Sprintf("%s-%dx%d.%s", n.Hash, n.Width, n.Height, n.Ext)
}

// Path is the picture's address on this site.
func (n ImageName) Path() string { return MediaPrefix + n.String() }

// ParseImagePath is the name of the picture at an address on this site such as
// Markdown holds it. It is false for every other address, of a variant too.
func ParseImagePath(path string) (ImageName, bool) {
	name, ok := strings.CutPrefix(path, MediaPrefix)
	if !ok {
		return ImageName{}, false
	}
	return ParseImageName(name)
}

// ParseImageName reads a name; what String would write differently is none.
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

// Variants are the widths in pixels, ascending, at which there are smaller copies of
// the picture; none of a small or an animated one, or of an SVG.
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

// Variant is the name of the file of the variant of that width. Of the picture's own
// width it is the picture's.
func (n ImageName) Variant(width int) string {
	if width == n.Width {
		return n.String()
	}
	return fmt.Sprintf("%s-%dx%d.%d.%s", n.Hash, n.Width, n.Height, width, n.Ext)
}

// VariantHeight is the height in pixels of the variant of that width.
func (n ImageName) VariantHeight(width int) int {
	return max(1, int(math.Round(float64(n.Height)*float64(width)/float64(n.Width))))
}

// SrcSet is the value of an img's srcset: every variant and the picture itself, with
// their widths. It is empty when there is only the picture.
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

// Small is the address of the smallest variant, of the picture itself if there is none.
func (n ImageName) Small() string {
	if widths := n.Variants(); len(widths) > 0 {
		return MediaPrefix + n.Variant(widths[0])
	}
	return n.Path()
}

// AvatarPath is the address of an avatar for a place so many pixels wide on screens of
// twice the usual density. It is empty when avatar names none.
func AvatarPath(avatar string, width int) string {
	n, ok := ParseImageName(avatar)
	if !ok {
		return ""
	}
	for _, variant := range n.AvatarVariants() {
		if variant >= 2*width {
			return MediaPrefix + n.Variant(variant)
		}
	}
	return n.Path()
}

// OwnerFile is the name of the file that says whose picture it is, by the user's id. It is for
// the site alone, which finds by it what no address tells. Older pictures have none.
func (n ImageName) OwnerFile() string { return n.String() + ownerSuffix }

const ownerSuffix = ".owner"

// ParseOwnerFile is the name of the picture whose OwnerFile that is.
func ParseOwnerFile(file string) (ImageName, bool) {
	name, ok := strings.CutSuffix(file, ownerSuffix)
	if !ok {
		return ImageName{}, false
	}
	return ParseImageName(name)
}

// Files are the names of all files that there may be of the picture. The last says whose it is:
// as long as any is left that can be seen, so is that.
func (n ImageName) Files() []string {
	files := []string{n.String()}
	for _, widths := range [][]int{n.AvatarVariants(), n.Variants()} {
		for _, width := range widths {
			files = append(files, n.Variant(width))
		}
	}
	return append(files, n.OwnerFile())
}

// ParseImageFile is the name of the picture that a file, the picture itself or a
// variant, belongs to.
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
	for _, widths := range [][]int{n.AvatarVariants(), n.Variants()} {
		for _, known := range widths {
			if w == known {
				return n, true
			}
		}
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
	// Incomplete says that the files may not all be there: it is being uploaded or
	// deleted, or was when the process died.
	Incomplete bool
	// Source is the SourceDigest of the file that an import made the picture of, so that the next
	// import need not decode the file. Empty: the picture was uploaded.
	Source string
	// Import is the ImportJob that brought the picture, empty: it was uploaded, or imported by the command.
	Import string
}

// SourceDigest is the digest of a file that a picture is made of.
func SourceDigest(file []byte) string {
	sum := sha256.Sum256(file)
	return newID(bytes.NewReader(sum[:]))
}

// CleanAlt validates and normalises an alternative text, as an Invalid error about
// the field "alt". It may be empty.
func CleanAlt(alt string) (string, error) {
	alt = plaintext.CleanLine(alt)
	if alt == "" {
		return "", nil
	}
	if message := checkText("The description", alt, MaxAlt); message != "" {
		return alt, FieldError("alt", message)
	}
	return alt, nil
}

// Markdown is what shows the image in a text.
func (i Image) Markdown() string {
	return "![" + altEscaper.Replace(i.Alt) + "](" + i.Name.Path() + ")"
}

// altEscaper keeps an alternative text what it is where Markdown would see markup.
var altEscaper = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
	"<", `\<`, "&", `\&`, "~", `\~`, "$", `\$`, ":", `\:`)

// ContentType is the media type of the picture and its variants.
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
