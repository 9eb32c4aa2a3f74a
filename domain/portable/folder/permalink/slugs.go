package permalink

import (
	"cmp"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/gosimple/unidecode"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/portable"
)

// ASCII returns a name in small ASCII letters, digits and hyphens. It transliterates other scripts.
func ASCII(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(unidecode.Unidecode(name)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}

var placeholder = regexp.MustCompile(`:[a-z_]+`)

// hexoSegments are the forms of the parts of the name of a file. All others may be any text.
var hexoSegments = map[string]string{"year": `(\d{4})`, "month": `(\d{2})`, "day": `(\d{2})`, "i_month": `(\d{1,2})`,
	"i_day": `(\d{1,2})`, "hash": `([0-9a-f]{12})`}

// HexoNames is the pattern of the names of files in the configuration, and the number of its group for the title.
type HexoNames struct {
	pattern *regexp.Regexp
	title   int
}

// ReadHexoNames reads the pattern, unless the title is the whole name.
func ReadHexoNames(pattern string) (names HexoNames) {
	pattern = strings.TrimSuffix(pattern, path.Ext(pattern))
	if pattern == "" || pattern == ":title" || len(pattern) > portable.MaxGlob {
		return names
	}
	groups := 0
	source := placeholder.ReplaceAllStringFunc(regexp.QuoteMeta(pattern), func(name string) string {
		if groups++; name == ":title" {
			names.title = groups
		}
		return cmp.Or(hexoSegments[name[1:]], "(.+?)")
	})
	names.pattern, _ = regexp.Compile("^" + source + "$")
	return names
}

// Title returns the part of the name of a post's file that is its title.
func (n HexoNames) Title(stem string) string {
	if n.pattern == nil {
		return stem
	}
	if found := n.pattern.FindStringSubmatch(stem); found != nil && n.title > 0 {
		return found[n.title]
	}
	return HexoSlug(stem, 0)
}

// HexoSlug returns a text as Hexo writes it in addresses: accents are removed, and other signs become a hyphen. The
// letters stay (0), or become small (1) or capital (2).
func HexoSlug(text string, transform int) string {
	slug := strings.Join(strings.FieldsFunc(withoutAccents(text), func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r) ||
			strings.ContainsRune("~`!@#$%^&*()-_+=[]{}|\\;:\"'<>,.?/", r)
	}), "-")
	switch transform {
	case 1:
		return strings.ToLower(slug)
	case 2:
		return strings.ToUpper(slug)
	}
	return slug
}

// withoutAccents removes the accents of Latin letters.
func withoutAccents(text string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if r >= 0x300 && r < 0x370 {
			return -1
		}
		return r
	}, norm.NFD.String(text)))
}

// AstroSlug returns a name as Astro writes it in addresses: in small letters, with hyphens, and without other signs.
func AstroSlug(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

var (
	pelicanSigns = regexp.MustCompile(`[^\p{L}\p{M}\p{N}_\s-]`)
	pelicanSpace = regexp.MustCompile(`[-\s]+`)
)

// PelicanSlug returns a text as Pelican writes it in addresses.
func PelicanSlug(text string) string {
	text = pelicanSigns.ReplaceAllString(strings.TrimSpace(unidecode.Unidecode(text)), "")
	return strings.ToLower(pelicanSpace.ReplaceAllString(strings.TrimSpace(text), "-"))
}
