package query

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"inkfeed/cosmos/embedded/internal/value"
)

// fullTextFunctions look for words in a string: the words of each term in a row, whatever
// their case. They take the rules of Unicode for where words end, and each word as it is:
// without stemming and stop words.
var fullTextFunctions = map[string]function{
	"FULLTEXTCONTAINS":    {min: 2, max: 2, apply: fullText(1), steps: wordSteps},
	"FULLTEXTCONTAINSALL": {min: 2, max: 200, apply: fullText(-1), steps: wordSteps},
	"FULLTEXTCONTAINSANY": {min: 2, max: 200, apply: fullText(1), steps: wordSteps},
}

// IsFullText tells whether the call is one of the functions that look for words.
func (c *Call) IsFullText() bool { _, ok := fullTextFunctions[c.Name]; return ok }

func wordSteps(args []value.Value) int {
	n := 0
	for _, a := range args {
		n += len(a.Str())
	}
	return 8 + n*len(args)
}

// fullText looks for some of the terms, at least as many as are needed; -1: all.
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

// words are those of a text in their order, folded, with a space before and after each.
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

// fold maps the letters that differ by case alone to one of them.
func fold(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
