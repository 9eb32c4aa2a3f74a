package plaintext

import (
	"unicode"
	"unicode/utf8"

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
	for text != "" {
		// Words end at white space.
		end, ascii := 0, true
		for ; end < len(text) && text[end] != ' ' && text[end] != '\n'; end++ {
			ascii = ascii && text[end] < utf8.RuneSelf
		}
		if ascii {
			l.Words += asciiWords(text[:end])
		} else {
			unspaced += l.add(text[:end])
		}
		text = text[min(end+1, len(text)):]
	}
	l.Words += (unspaced + lettersPerWord - 1) / lettersPerWord
	return l
}

// add adds the words and ideographs of a text. It returns the number of letters of scripts without spaces.
func (l *Length) add(text string) (unspaced int) {
	for state := -1; text != ""; {
		var word string
		word, text, state = uniseg.FirstWordInString(text, state)
		isWord := false
		for _, r := range word {
			switch {
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー':
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
	return unspaced
}

// asciiWords returns the number of words that Length.add finds in an ASCII text without spaces, in a fraction of the
// time.
func asciiWords(text string) (words int) {
	counted := false // whether the current word has a letter or digit
	for i := range len(text) {
		c := text[i]
		if !isWordByte(c) {
			continue
		}
		if i == 0 || !isWordByte(text[i-1]) && (i == 1 || !joins(text[i-2], text[i-1], c)) {
			counted = false
		}
		if c != '_' && !counted {
			words++
			counted = true
		}
	}
	return words
}

// joins reports whether a mark between two characters is within a word, as in "don't" and "3.14" (rules 6, 7, 11 and
// 12 of Unicode Annex 29).
func joins(before, mark, after byte) bool {
	return isASCIILetter(before) && isASCIILetter(after) && (mark == '\'' || mark == '.' || mark == ':') ||
		isDigit(before) && isDigit(after) && (mark == '\'' || mark == '.' || mark == ',' || mark == ';')
}

func isWordByte(c byte) bool { return isASCIILetter(c) || isDigit(c) || c == '_' }

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Minutes returns the reading time in minutes, at least one.
func (l Length) Minutes() int {
	seconds := l.Words*60/wordsPerMinute + l.Ideographs*60/ideographsPerMinute
	return max(1, (seconds+30)/60)
}
