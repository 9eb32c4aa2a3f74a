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

// accents has a letter that looks similar for each letter of letters.
const (
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	accents = "åƀçðéƒĝĥîĵķļɱñöþɋŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻḾÑÖÞɊŔŠŢÛṼŴẊÝŽ"
)

func accent(s string) string {
	similar := []rune(accents)
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune(letters, r); i >= 0 {
			return similar[i]
		}
		return r
	}, s)
}

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
