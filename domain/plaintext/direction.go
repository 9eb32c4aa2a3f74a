package plaintext

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
)

// RightToLeft reports whether a text is written from right to left: the first letter of its prose is, or the first
// letter of all if it has no prose.
func RightToLeft(text string) bool {
	return HasRightToLeft(text) && cmp.Or(DirectionOfProse(text), FirstDirection(text)) == "rtl"
}

// DirectionOfProse returns the direction of the first letter of a text outside code, addresses and quotations: "rtl",
// "ltr", or "" if there is none. Texts as long as languageSample are judged by their beginning.
//
// The first letter decides, as in rule P2 of Unicode Annex 9. If most letters decided, a paragraph would change sides
// when its author adds some names or a sentence in another script. What is quoted is in its own language, and code and
// addresses are Latin in every language, so they say nothing about the text around them. An author who wants the other
// direction can begin with a mark, U+200F or U+200E.
func DirectionOfProse(text string) string {
	return FirstDirection(foreign.ReplaceAllString(text[:min(len(text), languageSample)], " "))
}

// foreign matches code, addresses, quotations, and links, which package markdown puts between zero bytes. A quotation
// may end with the mark with which it begins. A straight mark after a letter begins none, as in Hebrew abbreviations.
var foreign = regexp.MustCompile("`[^`]*`" + `|\x00[^\x00]*\x00|(?i:https?://|www\.)\S+|[“”„‟][^“”„‟]*[“”„‟]|` +
	`[«»][^«»]*[«»]|[‹›][^‹›]*[‹›]|「[^「」]*」|『[^『』]*』|(?:^|[^\p{L}\p{M}\p{N}])"(?:[^"]|"\p{L})*"`)

// FirstDirection returns the direction of the first letter of a text, "rtl" or "ltr", or "" if there is none.
func FirstDirection(text string) string {
	for _, r := range text {
		if d := directionOf(r); d != "" {
			return d
		}
	}
	return ""
}

// HasRightToLeft reports whether a text has letters of scripts such as Arabic and Hebrew.
func HasRightToLeft(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && directionOf(r) == "rtl" })
}

func directionOf(r rune) string {
	switch properties, _ := bidi.LookupRune(r); properties.Class() {
	case bidi.R, bidi.AL:
		return "rtl"
	case bidi.L:
		return "ltr"
	}
	return ""
}
