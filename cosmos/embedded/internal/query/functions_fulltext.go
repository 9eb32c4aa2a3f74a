package query

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"inkfeed/cosmos/embedded/internal/value"
)

// fullTextFunctions search a string for words. A term of several words matches the same words in
// sequence, without regard to case. Words end as defined by Unicode. There is no stemming, and
// there are no stop words.
var fullTextFunctions = map[string]function{
	"FULLTEXTCONTAINS":    {min: 2, max: 2, apply: fullText(1), steps: wordSteps},
	"FULLTEXTCONTAINSALL": {min: 2, max: 200, apply: fullText(-1), steps: wordSteps},
	"FULLTEXTCONTAINSANY": {min: 2, max: 200, apply: fullText(1), steps: wordSteps},
}

// IsFullText reports whether the call is a full-text function.
func (c *Call) IsFullText() bool { _, ok := fullTextFunctions[c.Name]; return ok }

func wordSteps(args []value.Value) int {
	n := 0
	for _, a := range args {
		n += len(a.Str())
	}
	return 8 + n*len(args)
}

// fullText returns a function that searches for terms and needs at least that many matches; -1
// means all.
func fullText(needed int) body {
	return func(args []value.Value) value.Value {
		s, ok := strs(args)
		if !ok {
			return value.Value{}
		}
		text := words(s[0])
		needed := needed
		if needed < 0 {
			needed = len(s) - 1
		}
		for _, term := range s[1:] {
			if w := words(term); w != " " && strings.Contains(text, w) {
				if needed--; needed == 0 {
					return value.OfBool(true)
				}
			}
		}
		return value.OfBool(false)
	}
}

// words returns the words of a text in sequence, in folded case, with a space before and after
// each.
func words(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	state := -1
	for text != "" {
		var word string
		word, text, state = uniseg.FirstWordInString(text, state)
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			b.WriteString(strings.Map(fold, word))
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// fold maps letters that differ only in case to one of them.
func fold(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
