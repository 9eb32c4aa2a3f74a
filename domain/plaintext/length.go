package plaintext

import (
	"unicode"

	"github.com/rivo/uniseg"
)

// Length is how long a text is to a reader.
type Length struct {
	// Words are those of scripts that have them. Of scripts that write on without
	// spaces and whose words only a dictionary knows (Thai, Lao, Khmer, Burmese), five
	// letters count as one.
	Words int
	// Ideographs are Chinese characters and Japanese syllables, which are counted one
	// by one, as their readers do.
	Ideographs int
}

// How much people read in a minute, at leisure and in their own language: Brysbaert,
// "How many words do we read per minute?" (2019) for words; for Chinese characters
// about as many as carry the same text.
const (
	wordsPerMinute      = 238
	ideographsPerMinute = 400
)

// lettersPerWord is for scripts without marks between words.
const lettersPerWord = 5

// LengthOf measures a plain text, see Markdown.Text. The script of the editor counts
// by the same rules as one types.
func LengthOf(text string) Length {
	var l Length
	unspaced := 0
	for state := -1; text != ""; {
		var word string
		word, text, state = uniseg.FirstWordInString(text, state)
		isWord := false
		for _, r := range word {
			switch {
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
				l.Ideographs++
			case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
				if unicode.IsLetter(r) {
					unspaced++
				}
			case unicode.IsLetter(r), unicode.IsNumber(r):
				isWord = true
			}
		}
		if isWord {
			l.Words++
		}
	}
	l.Words += (unspaced + lettersPerWord - 1) / lettersPerWord
	return l
}

// Minutes is how long it takes to read, at least one.
func (l Length) Minutes() int {
	seconds := l.Words*60/wordsPerMinute + l.Ideographs*60/ideographsPerMinute
	return max(1, (seconds+30)/60)
}
