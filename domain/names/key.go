package names

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/plaintext"
)

// Fold returns the form that all spellings of a text share: in NFKC, without case in any script, and without invisible
// letters, marks and joiners. The four letters İ, I, ı and i become i, because each is a form of another either in
// Turkish or in other languages. The fold of a fold is the fold itself.
func Fold(s string) string {
	if IsASCII(s) { // takes a hundredth of the time and no memory
		return strings.ToLower(s)
	}
	return settled(s, func(s string) string {
		return norm.NFKC.String(plain(cases.Fold().String(strings.Map(lowerCherokee, norm.NFKC.String(s)))))
	})
}

// plain drops what Fold drops from a text whose case is folded. The fold of İ is an i with a second dot.
func plain(s string) string {
	last := rune(0)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\u0307' && last == 'i':
			return -1
		case r == '\u200d' || plaintext.Invisible(r) && !unicode.Is(unicode.Cf, r):
			return -1 // other formatting characters separate words
		case r == 'ı':
			r = 'i'
		}
		last = r
		return r
	}, s)
}

// lowerCherokee lowers the case of Cherokee letters. Package cases swaps their two cases, so they all become capitals.
func lowerCherokee(r rune) rune {
	if unicode.Is(unicode.Cherokee, r) {
		return unicode.ToLower(r)
	}
	return r
}

// Key returns the key of a text in addresses and storage: its Fold, in which everything but letters, digits, marks and
// symbols becomes a hyphen. isSymbol says which other characters count, given whether they continue a word. The key
// may be empty. The key of a key is the key itself.
func Key(text string, isSymbol func(r rune, within bool) bool) string {
	return settled(text, func(s string) string {
		return strings.Trim(norm.NFKC.String(hyphenated(Fold(s), isSymbol)), ".-")
	})
}

// FormerKey returns the Key of releases that did not fold the letters İ and ı, and kept variation selectors. It can end
// with dots and hyphens.
func FormerKey(text string, isSymbol func(r rune, within bool) bool) string {
	folded := cases.Fold().String(norm.NFKC.String(strings.ReplaceAll(text, "\u200d", "")))
	return strings.TrimLeft(norm.NFKC.String(hyphenated(folded, isSymbol)), ".-")
}

// hyphenated joins the words of a text by hyphens: see Key.
func hyphenated(s string, isSymbol func(r rune, within bool) bool) string {
	var b strings.Builder
	gap := true
	for _, r := range s {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r) && !gap, isSymbol(r, !gap):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r == '\'' || r == '’': // it's → its
		default:
			gap = true
		}
	}
	return b.String()
}
