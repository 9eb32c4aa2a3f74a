package names

import (
	"strings"

	"github.com/gosimple/unidecode"
	"golang.org/x/text/unicode/norm"
)

// maxSlug is the maximum length of a slug, in bytes before percent-encoding.
const maxSlug = 80

// Slug returns the readable end of a post's address: the letters and digits of the title in any script, in lower
// case, with hyphens between words. It is never empty and never the name of a page below the post's address. It is
// not used to find the post; the id is.
func Slug(title string) string {
	switch s := Hyphenated(title); s {
	case "":
		return "post"
	// pages below the post's address
	case "comments", "delete", "edit", "likes", "moderate", "report", "unpublish", "versions":
		return s + "-post"
	default:
		return s
	}
}

// Hyphenated returns the letters and digits of a text in lower case, with hyphens between words. The result may be
// empty.
func Hyphenated(title string) string {
	// Normalisation leaves some text after invalid bytes as it is.
	lower := strings.ToLower(norm.NFKC.String(strings.ToValidUTF8(title, " ")))
	return Cut(hyphenated(lower, func(rune, bool) bool { return false }))
}

// Transliterated returns the words of a text in ASCII letters and digits, with a hyphen between them, as Zola writes
// them in addresses.
func Transliterated(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(unidecode.Unidecode(text)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}

// Cut shortens a hyphenated text to the maximum length of a slug, if possible between words.
func Cut(s string) string {
	if len(s) > maxSlug {
		s = strings.ToValidUTF8(s[:maxSlug], "")
		if i := strings.LastIndexByte(s, '-'); i > maxSlug/2 {
			s = s[:i]
		}
	}
	return strings.Trim(s, "-")
}
