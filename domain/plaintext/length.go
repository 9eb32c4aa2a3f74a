package plaintext

import (
	"unicode"

	"github.com/rivo/uniseg"
)

// Length is the length of a text as a reader perceives it. Copies of posts store it under its JSON names.
type Length struct {
	// Words counts the words of scripts that separate them. For scripts without spaces, whose words only a dictionary
	// knows (Thai, Lao, Khmer, Burmese), five letters count as one word.
	Words int `json:"words,omitempty"`
	// Ideographs counts Chinese characters and Japanese syllables one by one, as their readers do.
	Ideographs int `json:"ideographs,omitempty"`
}

// Reading speeds for pleasure, in the reader's own language. The number of words is from Brysbaert, "How many words
// do we read per minute?" (2019). The number of Chinese characters corresponds to the same amount of text.
const (
	wordsPerMinute      = 238
	ideographsPerMinute = 400
)

// lettersPerWord is used for scripts without spaces between words.
const lettersPerWord = 5

// LengthOf measures a plain text. The editor's script counts by the same rules while the author types.
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

// Minutes returns the reading time in minutes, at least one.
func (l Length) Minutes() int {
	seconds := l.Words*60/wordsPerMinute + l.Ideographs*60/ideographsPerMinute
	return max(1, (seconds+30)/60)
}
