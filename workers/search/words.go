package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is a word of a text. In a script that puts no spaces between words it is one character with its marks, called a
// unit.
type token struct {
	term       string // the form that is compared, without case, accents and width
	start, end int    // the place in the text, in bytes
	unit       bool   // whether it is a character of a script without spaces
	joined     bool   // whether it is a unit directly after another unit
}

// maxTerm is the maximum length of a term in bytes. A longer word is indexed by its beginning.
const maxTerm = 80

// unspaced are the scripts without spaces between words. Korean is among them, because its spaces do not separate the
// words that people search for.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Bopomofo, unicode.Yi, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
	unicode.Tai_Tham, unicode.New_Tai_Lue, unicode.Tai_Viet, unicode.Javanese, unicode.Balinese}

// accented are the scripts whose marks may be left out, such as accents and vowel points. In other scripts, such as
// those of India, marks are vowels.
var accented = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic,
	unicode.Syriac, unicode.Armenian, unicode.Common}

// tokens divides a text into tokens.
func tokens(text string) []token {
	t := tokenizer{text: text, tokens: make([]token, 0, len(text)/4)}
	var iter norm.Iter
	var segment []byte // a character and its marks, in the normal form
	for start := 0; start < len(text); {
		if isPlain(text, start) {
			t.take(rune(text[start]), start, start+1)
			start++
			continue
		}
		until := start + 1
		for until < len(text) && !isPlain(text, until) {
			until++
		}
		iter.InitString(norm.NFKC, text[start:until])
		for begin := start; !iter.Done(); {
			segment = append(segment, iter.Next()...)
			end := start + iter.Pos()
			if end == begin {
				continue // the normal form of one character has several segments
			}
			for rest := segment; len(rest) > 0; {
				r, n := utf8.DecodeRune(rest)
				t.take(r, begin, end)
				rest = rest[n:]
			}
			segment, begin = segment[:0], end
		}
		start = until
	}
	t.end()
	return t.tokens
}

// isPlain reports whether the normal form of the byte at i is that byte: an ASCII character without marks.
func isPlain(text string, i int) bool {
	return text[i] < utf8.RuneSelf && (i+1 == len(text) || text[i+1] < utf8.RuneSelf)
}

// tokenizer divides a text into tokens, character by character.
type tokenizer struct {
	text   string
	tokens []token
	word   []byte // the term of the current token; empty if there is none
	sign   []byte // characters that may belong to the word, such as the ++ of C++
	start  int    // of the current token in the text, in bytes
	until  int    // its end so far
	unit   bool   // whether the current token is a unit
	joined bool   // whether it directly follows another unit
	base   rune   // the letter to which a following mark belongs
}

// take processes the next character, which is at start to end in the text.
func (t *tokenizer) take(r rune, start, end int) {
	switch {
	case r < utf8.RuneSelf:
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			t.letter(string(r), r, start, end)
		case 'A' <= r && r <= 'Z':
			t.letter(string(r+'a'-'A'), r, start, end)
		case (r == '+' || r == '#') && len(t.word) > 0 && !t.unit && len(t.sign) < 2:
			t.sign = append(t.sign, byte(r))
			t.until = end
		default:
			t.separate()
		}
	case unicode.IsMark(r):
		if len(t.word) > 0 && len(t.sign) == 0 {
			t.until = end
			if !unicode.In(t.base, accented...) {
				t.append(string(r))
			}
		}
		t.extend(start, end)
	case unicode.Is(unicode.Cf, r) && r != '\u200b', r == 'ـ': // invisible, or only stretches a word
	case isUnit(r):
		t.beginUnit(r, start, end)
	case unicode.IsLetter(r):
		t.letter(fold(r), r, start, end)
	case unicode.IsNumber(r):
		t.letter(digit(r), r, start, end)
	case unicode.Is(unicode.So, r) && r != utf8.RuneError: // an emoji is a word
		t.separate()
		t.letter(string(r), r, start, end)
		t.separate()
	case unicode.Is(unicode.Sk, r): // the skin tone of an emoji
		t.extend(start, end)
	default:
		t.separate()
	}
}

// isUnit reports whether a character is a token of its own.
func isUnit(r rune) bool {
	switch {
	case r < 0x0e00: // before the first script without spaces
		return false
	case r == 'ー', r == '々', r == '〇':
		return true
	}
	return unicode.IsLetter(r) && unicode.In(r, unspaced...)
}

// letter adds the term of a letter to the current word.
func (t *tokenizer) letter(term string, r rune, start, end int) {
	if len(t.sign) > 0 { // a sign between two words, as in a+b, separates them
		t.sign = t.sign[:0]
		t.separate()
	}
	if t.unit {
		t.separate()
	}
	if len(t.word) == 0 {
		t.start = start
	}
	t.append(term)
	t.base, t.until = r, end
}

// extend adds a character that follows an emoji to its token.
func (t *tokenizer) extend(start, end int) {
	if n := len(t.tokens); n > 0 && len(t.word) == 0 && t.tokens[n-1].end == start {
		t.tokens[n-1].end = end
	}
}

// append adds to the term of the current token, up to maxTerm.
func (t *tokenizer) append(term string) {
	if len(t.word)+len(term) <= maxTerm {
		t.word = append(t.word, term...)
	}
}

// beginUnit begins a token for a character of a script without spaces.
func (t *tokenizer) beginUnit(r rune, start, end int) {
	joined := t.unit
	t.end()
	t.unit, t.joined, t.start, t.until, t.base = true, joined, start, end, r
	t.append(string(r))
}

// end ends the current token.
func (t *tokenizer) end() {
	if len(t.word) > 0 {
		t.append(string(t.sign))
		term := t.text[t.start:t.until]
		if term != string(t.word) { // most words need no memory of their own
			term = string(t.word)
		}
		t.tokens = append(t.tokens, token{term, t.start, t.until, t.unit, t.unit && t.joined})
	}
	t.word, t.sign = t.word[:0], t.sign[:0]
}

// separate ends the current token, and a run of units.
func (t *tokenizer) separate() {
	t.end()
	t.unit, t.joined = false, false
}

// indexed returns a text in the form that the index receives: terms separated by spaces. Units are indexed as
// overlapping pairs, so a word of two characters is one term, and a longer one is a phrase. The last unit of a run is
// also a term of its own, so every unit begins a term.
func indexed(text string) string {
	var b strings.Builder
	list := tokens(text)
	for i, tok := range list {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(tok.term)
		if i+1 < len(list) && list[i+1].joined {
			b.WriteString(list[i+1].term)
		}
	}
	return b.String()
}
