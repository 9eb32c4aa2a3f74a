package plaintext

import "golang.org/x/text/unicode/bidi"

// RightToLeft reports whether a text is written from right to left: more of its letters belong to scripts such as
// Arabic and Hebrew than to others. Texts as long as languageSample are judged by their beginning.
func RightToLeft(text string) bool {
	right, left := 0, 0
	for i, r := range text {
		if i >= languageSample {
			break
		}
		properties, _ := bidi.LookupRune(r)
		switch properties.Class() {
		case bidi.R, bidi.AL:
			right++
		case bidi.L:
			left++
		}
	}
	return right > left
}
