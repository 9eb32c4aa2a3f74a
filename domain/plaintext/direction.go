package plaintext

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"
)

// RightToLeft reports whether a text is written from right to left: more of its letters belong to scripts such as
// Arabic and Hebrew than to others. Texts as long as languageSample are judged by their beginning.
func RightToLeft(text string) bool {
	return CountLetters(text[:min(len(text), languageSample)]).RightToLeft()
}

// Letters are the numbers of letters of a text that are written from right to left and from left to right.
type Letters struct{ Right, Left int }

// CountLetters counts the letters of a text. A letter of a script such as Arabic or Hebrew counts as Right.
func CountLetters(text string) (l Letters) {
	for _, r := range text {
		if r < utf8.RuneSelf { // most letters of most texts, which need no table
			if isASCIILetter(byte(r)) {
				l.Left++
			}
			continue
		}
		properties, _ := bidi.LookupRune(r)
		switch properties.Class() {
		case bidi.R, bidi.AL:
			l.Right++
		case bidi.L:
			l.Left++
		}
	}
	return l
}

// Plus returns the sum of the letters of two texts.
func (l Letters) Plus(m Letters) Letters { return Letters{l.Right + m.Right, l.Left + m.Left} }

// RightToLeft reports whether most letters are written from right to left.
func (l Letters) RightToLeft() bool { return l.Right > l.Left }
