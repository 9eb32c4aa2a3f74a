// Package palette computes colours that can be read on the pages' backgrounds from a colour that a person chose.
package palette

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/lucasb-eyer/go-colorful"
)

// MinContrast is the contrast that WCAG 2.2 requires of text at level AA (success criterion 1.4.3).
const MinContrast = 4.5

// Version is part of the address of a palette's style sheet, which browsers keep for ever. Raise it when the result of
// CSS for a colour changes.
const Version = "3"

// The backgrounds of text: --paper, --tint and --mark of static/styles/01-tokens.css.
var (
	lightBackgrounds = []string{"#fbfaf6", "#f2efe6", "#fdf3d0"}
	darkBackgrounds  = []string{"#16181c", "#1f2227", "#38321c"}
)

// Scheme has the colours of one colour scheme.
type Scheme struct {
	Accent   string // of links and buttons
	OnAccent string // of text on buttons
}

// Palette is an accent in the light and the dark scheme.
type Palette struct{ Light, Dark Scheme }

// errColour reports a text that is no colour.
var errColour = errors.New("palette: not a colour such as #1b4b86")

var sixDigits = regexp.MustCompile(`^#[0-9a-f]{6}$`)

// Normalise returns a colour in the form #rrggbb. It accepts upper case, the form #rgb and a missing #.
func Normalise(colour string) (string, error) {
	c := strings.ToLower(strings.TrimSpace(colour))
	if !strings.HasPrefix(c, "#") {
		c = "#" + c
	}
	if len(c) == 4 {
		c = "#" + strings.Repeat(c[1:2], 2) + strings.Repeat(c[2:3], 2) + strings.Repeat(c[3:], 2)
	}
	if !sixDigits.MatchString(c) {
		return "", errColour
	}
	return c, nil
}

// Of returns the palette of a colour in the form #rrggbb. Where the colour has too little contrast, its lightness is
// changed as little as necessary.
func Of(colour string) (Palette, error) {
	c, err := colorful.Hex(colour)
	if err != nil {
		return Palette{}, fmt.Errorf("palette: %w", err)
	}
	return Palette{scheme(c, lightBackgrounds, -1), scheme(c, darkBackgrounds, 1)}, nil
}

// Fits reports whether a palette has the chosen colour itself in both schemes.
func (p Palette) Fits(colour string) bool { return p.Light.Accent == colour && p.Dark.Accent == colour }

// scheme moves the lightness of a colour in the given direction until it can be read on all backgrounds.
func scheme(c colorful.Color, backgrounds []string, direction float64) Scheme {
	const step = 0.005
	h, chroma, l := c.Hcl()
	readable := func(candidate colorful.Color) bool {
		for _, background := range backgrounds {
			if Contrast(candidate.Hex(), background) < MinContrast {
				return false
			}
		}
		return true
	}
	accent := c
	for l = min(1, max(0, l)); !readable(accent) && l >= 0 && l <= 1; {
		l += direction * step
		accent = colorful.Hcl(h, chroma, min(1, max(0, l))).Clamped()
	}
	s := Scheme{Accent: accent.Hex(), OnAccent: "#ffffff"}
	if Contrast(s.Accent, "#000000") > Contrast(s.Accent, s.OnAccent) {
		s.OnAccent = "#000000"
	}
	return s
}

// Contrast returns the contrast ratio of two colours in the form #rrggbb, from 1 to 21, as WCAG 2.2 defines it. It
// returns 0 for other texts.
func Contrast(a, b string) float64 {
	first, err1 := colorful.Hex(a)
	second, err2 := colorful.Hex(b)
	if err1 != nil || err2 != nil {
		return 0
	}
	light, dark := luminance(first), luminance(second)
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}

// luminance returns the relative luminance of a colour, as WCAG 2.2 defines it.
func luminance(c colorful.Color) float64 {
	r, g, b := c.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// CSS returns the style sheet that sets the custom properties of the palette. It applies to screens only:
// static/styles/95-print.css sets the colours of printed pages. Browsers without light-dark() have the light scheme.
// The band of the header has the colours of the light scheme in both, because a bright band would outshine a dark page.
func (p Palette) CSS() string {
	return fmt.Sprintf("@media screen{:root{--accent:%[1]s;--on-accent:%[2]s;--band:%[1]s;--on-band:%[2]s}"+
		"@supports (color:light-dark(#000,#fff)){:root{--accent:light-dark(%[1]s,%[3]s);"+
		"--on-accent:light-dark(%[2]s,%[4]s)}}}\n",
		p.Light.Accent, p.Light.OnAccent, p.Dark.Accent, p.Dark.OnAccent)
}
