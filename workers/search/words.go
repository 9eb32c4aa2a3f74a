package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// token is a word of a text, or of a script that does not put spaces between words
// one character with its marks.
type token struct {
	term       string // as it is compared: without case, accents and width
	start, end int    // where it stands in the text, in bytes
	unit       bool   // a character of a script without spaces
	joined     bool   // a unit that follows another one at once
}

// maxTerm bounds a term in bytes. What is longer is found by its beginning.
const maxTerm = 80

// unspaced are the scripts that put no spaces between words, or, as the Korean one, put
// them where a word that is looked for need not end.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Bopomofo, unicode.Yi, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
	unicode.Tai_Tham, unicode.New_Tai_Lue, unicode.Tai_Viet, unicode.Javanese, unicode.Balinese}

// accented are the scripts in which marks may be left out: accents, vowel points. In
// others, such as those of India, they are vowels.
var accented = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic,
	unicode.Syriac, unicode.Armenian, unicode.Common}

// tokens takes a text apart.
func tokens(text string) []token {
	var t tokenizer
	var iter norm.Iter
	var segment []byte // of the normal form: a character and what belongs to it
	iter.InitString(norm.NFKC, text)
	for start := 0; !iter.Done(); {
		segment = append(segment, iter.Next()...)
		end := iter.Pos()
		if end == start {
			continue // a part of what one character becomes
		}
		for rest := segment; len(rest) > 0; {
			r, n := utf8.DecodeRune(rest)
			t.take(r, start, end)
			rest = rest[n:]
		}
		segment, start = segment[:0], end
	}
	t.end()
	return t.tokens
}

type tokenizer struct {
	tokens []token
	word   []byte // the term that is being put together, empty: none
	sign   []byte // what may belong to the word: the ++ of C++
	start  int
	until  int
	unit   bool // the word is a unit
	joined bool // and follows another
	base   rune // the letter that a mark belongs to
}

// take is told the next character, which stands in the text from start to end.
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
	case unicode.Is(unicode.Cf, r) && r != '\u200b', r == 'ـ': // invisible, or it only stretches a word
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
	case unicode.Is(unicode.Sk, r): // the colour of one
		t.extend(start, end)
	default:
		t.separate()
	}
}

// isUnit reports whether a character is a token by itself.
func isUnit(r rune) bool {
	switch {
	case r < 0x0e00: // before the first of those scripts
		return false
	case r == 'ー', r == '々', r == '〇':
		return true
	}
	return unicode.IsLetter(r) && unicode.In(r, unspaced...)
}

func (t *tokenizer) letter(term string, r rune, start, end int) {
	if len(t.sign) > 0 { // it was between two words: a+b
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

// extend makes what follows an emoji a part of it.
func (t *tokenizer) extend(start, end int) {
	if n := len(t.tokens); n > 0 && len(t.word) == 0 && t.tokens[n-1].end == start {
		t.tokens[n-1].end = end
	}
}

func (t *tokenizer) append(term string) {
	if len(t.word)+len(term) <= maxTerm {
		t.word = append(t.word, term...)
	}
}

func (t *tokenizer) beginUnit(r rune, start, end int) {
	joined := t.unit
	t.end()
	t.unit, t.joined, t.start, t.until, t.base = true, joined, start, end, r
	t.append(string(r))
}

// end ends the word.
func (t *tokenizer) end() {
	if len(t.word) > 0 {
		t.append(string(t.sign))
		t.tokens = append(t.tokens, token{string(t.word), t.start, t.until, t.unit, t.unit && t.joined})
	}
	t.word, t.sign = t.word[:0], t.sign[:0]
}

// separate ends the word, and a run of units.
func (t *tokenizer) separate() {
	t.end()
	t.unit, t.joined = false, false
}

// indexed is a text as the index is given it: terms with spaces between them. Units
// are in it in pairs that overlap, so that a word of two characters is one term, and a
// longer one a phrase. The last of a run is there by itself too: so each begins a term.
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
