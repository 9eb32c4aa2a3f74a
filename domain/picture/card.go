package picture

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"sync"
	"unicode"

	colorful "github.com/lucasb-eyer/go-colorful"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	positions "golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain"
	palettes "inkfeed/domain/palette"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/siteinfo"
)

// Card is the picture of a post without a cover in previews of links: the title, the author and the site. Texts that
// the typeface cannot write are empty, so the card of an Arabic post has the name of the site only.
type Card struct{ Title, Author, Site, Accent string }

// NewCard returns the card of a post. It is zero for a post that is in no list, and if the typeface cannot write the
// name of the site either.
func NewCard(p domain.Post, of siteinfo.Info) Card {
	if !p.Listed() {
		return Card{}
	}
	c := Card{Title: writable(p.Title), Author: writable(cmp.Or(p.AuthorDisplayName, "@"+p.AuthorName)),
		Site: writable(of.Title()), Accent: defaultAccent}
	if c.Title == "" {
		c.Author = ""
	}
	if c.Title+c.Site == "" {
		return Card{}
	}
	if chosen, err := palettes.Of(of.Accent); err == nil {
		c.Accent = chosen.Light.Accent
	}
	return c
}

// Hash identifies the content of the card. It changes with its form.
func (c Card) Hash() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "1:%q", []string{c.Title, c.Author, c.Site, c.Accent}))
	return hex.EncodeToString(sum[:8])
}

// defaultAccent and cardMuted are --accent and --muted of static/styles/01-tokens.css.
const defaultAccent = "#1b4b86"

var cardMuted = color.RGBA{0x65, 0x5f, 0x56, 0xff}

// cardFont is the pages' typeface in bold, for Latin, Cyrillic and Greek. .ci/fonts/card.py makes it.
//
//go:embed card.ttf
var cardFont []byte

var parsedFont = sync.OnceValue(func() *sfnt.Font {
	f, err := opentype.Parse(cardFont)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return f
})

// writable returns a text in one line without emoji and marks of direction, or "" if the typeface lacks another of its
// characters.
func writable(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.So, unicode.Sk, unicode.Cf, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, norm.NFC.String(plaintext.Truncate(s, domain.MaxTitle)))
	s = plaintext.OneLine(s)
	var buffer sfnt.Buffer
	for _, r := range s {
		if glyph, err := parsedFont().GlyphIndex(&buffer, r); r != ' ' && (err != nil || glyph == 0) {
			return ""
		}
	}
	return s
}

// Measures of a card, in pixels.
const (
	cardMargin = 88
	cardBand   = 20 // of the accent, at the top
	cardFooter = 34 // the size of the names at the bottom
	cardLines  = 4  // of the title
	siteSize   = 96 // of the name of the site if there is no title
)

// titleSizes are the sizes of titles. A title has the first of them in which it fits, or the last.
var titleSizes = []float64{88, 76, 64, 56}

// DrawCard returns a card as a PNG. Its time and memory depend on its size alone, since the texts are short.
func DrawCard(c Card) ([]byte, error) {
	if c == (Card{}) {
		return nil, errors.New("picture: a card without texts")
	}
	img := image.NewRGBA(image.Rect(0, 0, domain.CardWidth, domain.CardHeight))
	accent, err := colorful.Hex(c.Accent)
	if err != nil {
		return nil, fmt.Errorf("picture: draw a card: %w", err)
	}
	draw.Draw(img, img.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(0, 0, domain.CardWidth, cardBand), image.NewUniform(accent), image.Point{}, draw.Src)
	const room = domain.CardWidth - 2*cardMargin
	ink := color.RGBA{0x21, 0x1f, 0x1b, 0xff} // --ink
	if c.Title == "" {
		w := newWriter(img, siteSize)
		w.write(w.wrap(c.Site, room, 1)[0], cardMargin, (domain.CardHeight+siteSize/2)/2, accent)
		return encodePNG(nil, img)
	}
	for i, size := range titleSizes {
		w := newWriter(img, size)
		lines := w.wrap(c.Title, room, cardLines)
		if strings.HasSuffix(lines[len(lines)-1], "…") && i+1 < len(titleSizes) {
			continue
		}
		for n, line := range lines {
			w.write(line, cardMargin, cardMargin+int(size)+n*int(1.2*size), ink)
		}
		break
	}
	w := newWriter(img, cardFooter)
	site := w.wrap(c.Site, room/2, 1)
	width := 0
	if len(site) > 0 {
		width = w.width(site[0])
		w.write(site[0], domain.CardWidth-cardMargin-width, domain.CardHeight-cardMargin, accent)
	}
	for _, author := range w.wrap(c.Author, room-width-cardFooter, 1) {
		w.write(author, cardMargin, domain.CardHeight-cardMargin, cardMuted)
	}
	return encodePNG(nil, img)
}

// writer writes texts of one size.
type writer struct{ font.Drawer }

func newWriter(on draw.Image, size float64) writer {
	face, err := opentype.NewFace(parsedFont(), &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		panic(err) // only an unknown option fails
	}
	return writer{font.Drawer{Dst: on, Face: face}}
}

func (w *writer) width(s string) int { return w.MeasureString(s).Ceil() }

// write writes a line from its left end on the baseline.
func (w *writer) write(line string, x, y int, c color.Color) {
	w.Src, w.Dot = image.NewUniform(c), positions.P(x, y)
	w.DrawString(line)
}

// wrap breaks a text into at most so many lines. The last line ends with an ellipsis if the text is longer.
func (w *writer) wrap(s string, width, most int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && w.width(line+" "+word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		line = word
		for w.width(line) > width { // a word that is longer than a line
			end := len(line)
			for w.width(line[:end]) > width {
				end = strings.LastIndexFunc(line[:end], func(rune) bool { return true })
			}
			lines, line = append(lines, line[:end]), line[end:]
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	if len(lines) <= most {
		return lines
	}
	last := lines[most-1]
	for last != "" && w.width(last+"…") > width {
		last = strings.TrimRight(last[:strings.LastIndexFunc(last, func(rune) bool { return true })], " ")
	}
	return append(lines[:most-1], last+"…")
}
