package locale

import (
	"strings"

	"golang.org/x/text/language"
)

// Pseudo returns two languages for tests: en-XA, English with accents between brackets, which shows texts that are not
// translated; and ar-XB, English written from right to left.
func Pseudo() []*Language {
	accented := newLanguage(language.MustParse("en-XA"), "Ãççéñţš", nil)
	accented.fallback, accented.change = English(), func(s string) string { return "[" + outsideSlots(s, accent) + "]" }
	mirrored := newLanguage(language.MustParse("ar-XB"), "Right to left", nil)
	mirrored.fallback, mirrored.change = English(), func(s string) string { return outsideSlots(s, mirror) }
	return []*Language{accented, mirrored}
}

// outsideSlots changes a text, but not its slots and tags.
func outsideSlots(text string, change func(string) string) string {
	var b strings.Builder
	for text != "" {
		at := strings.IndexAny(text, "{<")
		if at < 0 {
			b.WriteString(change(text))
			break
		}
		end := strings.IndexAny(text[at:], "}>")
		if end < 0 {
			b.WriteString(change(text))
			break
		}
		b.WriteString(change(text[:at]) + text[at:at+end+1])
		text = text[at+end+1:]
	}
	return b.String()
}

// accents replaces each letter by one that looks similar.
var accents = strings.NewReplacer(
	"a", "å", "b", "ƀ", "c", "ç", "d", "ð", "e", "é", "f", "ƒ", "g", "ĝ", "h", "ĥ", "i", "î", "j", "ĵ", "k", "ķ", "l", "ļ",
	"m", "ɱ", "n", "ñ", "o", "ö", "p", "þ", "q", "ɋ", "r", "ŕ", "s", "š", "t", "ţ", "u", "û", "v", "ṽ", "w", "ŵ", "x", "ẋ",
	"y", "ý", "z", "ž", "A", "Å", "B", "Ɓ", "C", "Ç", "D", "Ð", "E", "É", "F", "Ƒ", "G", "Ĝ", "H", "Ĥ", "I", "Î", "J", "Ĵ",
	"K", "Ķ", "L", "Ļ", "M", "Ḿ", "N", "Ñ", "O", "Ö", "P", "Þ", "Q", "Ɋ", "R", "Ŕ", "S", "Š", "T", "Ţ", "U", "Û", "V", "Ṽ",
	"W", "Ŵ", "X", "Ẋ", "Y", "Ý", "Z", "Ž")

func accent(s string) string { return accents.Replace(s) }

// mirror makes browsers write each word from right to left, by Unicode's right-to-left override.
func mirror(s string) string {
	words := strings.Split(s, " ")
	for i, word := range words {
		if word != "" {
			words[i] = "\u202e" + word + "\u202c"
		}
	}
	return strings.Join(words, " ")
}
