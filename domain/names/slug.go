package names

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

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

// Hyphenated returns the letters and digits of a text in lower case, with hyphens between words, and cuts a long
// result. The result may be empty.
func Hyphenated(title string) string { return cut(hyphenate(title), maxSlug) }

// HyphenatedKey is Hyphenated for texts that the result must tell apart: it replaces the end of a long result with a
// digest of the whole. The key of a key is the key itself.
func HyphenatedKey(title string) string {
	whole := hyphenate(title)
	if len(whole) <= maxSlug {
		return whole
	}
	sum := sha256.Sum256([]byte(whole))
	digest := "-" + hex.EncodeToString(sum[:5])
	return cut(whole, maxSlug-len(digest)) + digest
}

func hyphenate(title string) string {
	var b strings.Builder
	gap := false
	// Normalisation leaves some text after invalid bytes as it is.
	for _, r := range strings.ToLower(norm.NFKC.String(strings.ToValidUTF8(title, " "))) {
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
	return strings.Trim(b.String(), "-")
}

// cut returns at most the first bytes of a hyphenated text, if possible whole words.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	s = strings.ToValidUTF8(s[:most], "")
	if i := strings.LastIndexByte(s, '-'); i > most/2 {
		s = s[:i]
	}
	return strings.Trim(s, "-")
}
