package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxSlug bounds a slug in bytes before it is percent-encoded.
const maxSlug = 80

// Slug is the readable tail of a post's address: the letters and digits of any
// script in lower case, hyphens between words. It is never empty, never
// the name of one of the pages about a post, which stand beside it, and decides
// nothing: a post is found by its id.
func Slug(title string) string {
	switch s := Hyphenated(title); s {
	case "":
		return "post"
	case "comments", "delete", "edit", "likes", "moderate", "report", "unpublish", "versions": // pages about the post, beside it
		return s + "-post"
	default:
		return s
	}
}

// slugOf is the letters and digits of a text, empty when it has none.
func Hyphenated(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(norm.NFKC.String(title)) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r) && b.Len() > 0 && !gap:
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r == '\'', r == '’': // it's → its
		default:
			gap = true
		}
	}
	s := b.String()
	if len(s) > maxSlug {
		s = strings.ToValidUTF8(s[:maxSlug], "")
		if i := strings.LastIndexByte(s, '-'); i > maxSlug/2 {
			s = s[:i]
		}
	}
	return strings.Trim(s, "-")
}
