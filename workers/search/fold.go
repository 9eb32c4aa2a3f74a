package search

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// likened maps letters to those that match them, where Unicode has no decomposition: letters with a stroke, ligatures,
// and Arabic letters that many people write alike.
var likened = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ħ': "h", 'ı': "i", 'ł': "l",
	'ŧ': "t", 'þ': "th",
	'ς': "σ", 'ё': "е", 'ґ': "г",
	'أ': "ا", 'إ': "ا", 'آ': "ا", 'ٱ': "ا", 'ى': "ي", 'ی': "ي", 'ة': "ه", 'ک': "ك", 'ۀ': "ه", 'ؤ': "و", 'ئ': "ي",
	'ך': "כ", 'ם': "מ", 'ן': "נ", 'ף': "פ", 'ץ': "צ",
}

// fold returns a letter without case and accents.
func fold(r rune) string {
	r = unicode.ToLower(r)
	if like, ok := likened[r]; ok {
		return like
	}
	if !unicode.In(r, unicode.Latin, unicode.Greek) {
		return string(r) // Cyrillic й, for example, is a letter of its own
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(string(r)))
}

// digit returns the term of a number. A decimal digit of any script becomes one of 0 to 9.
func digit(r rune) string {
	if !unicode.Is(unicode.Nd, r) {
		return string(r)
	}
	first := r
	for unicode.Is(unicode.Nd, first-1) {
		first--
	}
	return string('0' + (r-first)%10)
}
