package plaintext

import (
	"strings"
	"unicode"
)

// Shown reports whether a reader sees something of a text: it has a character other than white space, invisible
// characters and marks without a letter. It is the one rule for every text that must not be empty.
func Shown(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsSpace(r) && !unicode.IsControl(r) && !unicode.IsMark(r) && !Invisible(r)
	})
}

// Invisible reports whether a character has no shape of its own: it is blank, or only changes how others are displayed.
// White space and controls are not meant.
func Invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.In(r, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
			unicode.Noncharacter_Code_Point) ||
		strings.ContainsRune(blanks, r)
}

// blanks are invisible characters that Unicode counts as letters, marks and symbols: the grapheme joiner, two vowels of
// Khmer, a Braille pattern without dots, two Egyptian blanks and a note without a head.
const blanks = "\u034F\u17B4\u17B5\u2800\U00013441\U00013442\U0001D159"
