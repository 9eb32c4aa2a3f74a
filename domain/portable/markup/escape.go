package markup

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"

	"inkfeed/domain/markdown"
)

// written returns the Markdown of a text whose words are marked: see markWords. It escapes the characters of words that
// Markdown would read as marks where they are, and makes marks of emphasis work beside all letters.
func written(marked string) string {
	w := escaper{in: marked, out: make([]byte, 0, len(marked))}
	for w.at < len(w.in) {
		switch c := w.in[w.at : w.at+1]; c {
		case wordMark:
			w.at++
			w.character()
		case opens, closes:
			w.emphasis()
		case less:
			w.write("<", 1)
		case greater:
			w.write(">", 1)
		case "\n":
			w.write(c, 1)
			w.begun, w.number = false, false
		default:
			w.mark(c)
		}
	}
	return w.withoutFormulas()
}

// escaper reads a marked text and writes it as Markdown.
type escaper struct {
	in      string
	at      int
	out     []byte
	begun   bool  // whether the line has more than the marks of quotes and lists
	number  bool  // whether the words of the line so far are a number
	dollars []int // positions of dollar signs of words in the output
}

// write writes a text for the next bytes of the input.
func (w *escaper) write(text string, bytes int) {
	w.out = append(w.out, text...)
	w.at += bytes
	w.begun = true
}

// numbered matches the number of an item of a list. The mark after a number in words is marked itself.
var numbered = regexp.MustCompile(`^\d{1,9}(?:\. |([\x07][.)]))`)

// mark copies a character that is not marked.
func (w *escaper) mark(c string) {
	if w.begun {
		w.write(c, 1)
		return
	}
	switch m := numbered.FindStringSubmatch(w.in[w.at:min(len(w.in), w.at+12)]); {
	case m != nil && m[1] != "":
		w.number = true
		w.write(m[0][:len(m[0])-2], len(m[0])-2)
	case m != nil:
		w.write(m[0], len(m[0]))
		w.begun = false
	default:
		w.write(c, 1)
		w.begun = c != " " && c != ">" && (c != "-" || !strings.HasPrefix(w.in[w.at:], " "))
	}
}

// characterName matches a marked ampersand that begins a character reference.
var characterName = regexp.MustCompile(`^&(?:[\x07]?#[xX]?)?[0-9A-Za-z]{1,32}[\x07]?;`)

// character writes a marked character, with a backslash if Markdown would read it as a mark. An angle bracket is a
// character reference already.
func (w *escaper) character() {
	rest := w.in[w.at:min(len(w.in), w.at+44)]
	c, first, isNumber := rest[0], !w.begun, w.number
	w.number = false
	after := w.next(w.at + 1)
	gap := after == ' ' || after == '\n'
	escape := false
	switch c {
	case '\\', '`', '[':
		escape = true
	case '*', '_':
		w.run(c, first)
		return
	case '~':
		escape = !gap || len(w.out) > 0 && w.out[len(w.out)-1] == '~'
	case '^':
		// What follows may yet become a character reference or an address in angle brackets.
		content, _, ends := strings.Cut(withoutWordMarks.Replace(w.in[w.at+1:min(len(w.in), w.at+300)]), "^")
		escape = ends && markdown.Script(w.last(), "^"+content+"^") > 0
	case '!':
		escape = strings.HasPrefix(rest, "![")
	case '&':
		switch {
		case strings.HasPrefix(rest, "&lt;"):
			if after = w.next(w.at + 4); isWord(after) || strings.ContainsRune("/!?", after) {
				w.write("&lt;", 4)
			} else {
				w.write("<", 4)
			}
		case strings.HasPrefix(rest, "&gt;"):
			w.write("&gt;", 4)
		case characterName.MatchString(rest):
			w.write("&amp;", 1)
		default:
			w.write("&", 1)
		}
		return
	case '#':
		escape = first && startsHeading.MatchString(rest) || w.startsID()
	case '-', '+':
		escape = first && (gap || w.onlyMarks())
	case '=', '|':
		escape = first && w.onlyMarks()
	case ':':
		escape = first && (gap || w.onlyMarks())
	case '.', ')':
		escape = isNumber && gap
	case '$':
		w.dollars = append(w.dollars, len(w.out))
	}
	if escape {
		w.out = append(w.out, '\\')
	}
	w.write(string(c), 1)
}

var startsHeading = regexp.MustCompile(`^#(?:[\x07]#){0,5}(?:[ \n]|$)`)

// startsID reports whether a number sign begins the id of a heading, such as {#id}.
func (w *escaper) startsID() bool {
	before := strings.TrimSuffix(strings.TrimRight(string(w.out[max(0, len(w.out)-20):]), " "), ":")
	if !strings.HasSuffix(before, "{") {
		return false
	}
	line, _, _ := strings.Cut(w.in[w.at:min(len(w.in), w.at+maxID)], "\n")
	return strings.IndexByte(line, '}') == len(strings.TrimRight(line, " "))-1
}

// maxID is the number of bytes in which the end of an id is searched.
const maxID = 1000

// next returns the first character from a position on that is not a control character of this package; a line break
// at the end.
func (w *escaper) next(at int) rune {
	for at < len(w.in) && strings.IndexByte(wordMark+opens+closes, w.in[at]) >= 0 {
		at++
	}
	if at == len(w.in) {
		return '\n'
	}
	if w.in[at] == less[0] {
		return '<'
	}
	r, _ := utf8.DecodeRuneInString(w.in[at:])
	return r
}

// last returns the last character that was written in the line; a line break at the beginning.
func (w *escaper) last() rune {
	if r, size := utf8.DecodeLastRune(w.out); size > 0 && w.begun {
		return r
	}
	return '\n'
}

// run writes a run of asterisks or underscores. They are no marks between spaces, and underscores within a word.
func (w *escaper) run(c byte, first bool) {
	length, end := 1, w.at+1
	for strings.HasPrefix(w.in[end:], wordMark+string(c)) {
		length, end = length+1, end+2
	}
	before, after := w.last(), w.next(end)
	escape := !(before == ' ' || before == '\n') || !(after == ' ' || after == '\n')
	switch {
	case c == '_' && isWord(before) && isWord(after):
		escape = false
	case first && (c == '*' && length == 1 || w.onlyMarks()):
		escape = true
	}
	marks := strings.Repeat(string(c), length)
	if escape {
		marks = strings.Repeat(`\`+string(c), length)
	}
	w.write(marks, end-w.at)
}

// onlyMarks reports whether the rest of a line consists of characters of rules, underlines and tables.
func (w *escaper) onlyMarks() bool {
	line, _, _ := strings.Cut(w.in[w.at:], "\n")
	return strings.Trim(line, "-=*_|: \t"+wordMark) == ""
}

// mailAddress matches the first part of a mail address, of which marks of emphasis before it could be a part.
var mailAddress = regexp.MustCompile(`^[^\s@,;:()<>"]{1,64}@`)

// emphasis writes a run of marks of emphasis. Between a letter outside and punctuation inside, or within a mail
// address, Markdown would not read them as marks. The letter becomes a character reference then, which begins and ends
// with punctuation.
func (w *escaper) emphasis() {
	opening, closing := false, false
	mark, marks, end := w.in[w.at+1], 0, w.at
	for end+1 < len(w.in) && (w.in[end] == opens[0] || w.in[end] == closes[0]) && w.in[end+1] == mark {
		opening, closing = opening || w.in[end] == opens[0], closing || w.in[end] == closes[0]
		for end++; end < len(w.in) && w.in[end] == mark; end++ {
			marks++
		}
	}
	if mark == '~' && strings.HasSuffix(string(w.out[max(0, len(w.out)-2):]), `\~`) { // they would be one run
		w.out = append(w.out[:len(w.out)-2], characterReference('~')...)
	}
	before, after := w.last(), w.next(end)
	spaced := !markdown.IsUnspaced(before) && !markdown.IsUnspaced(after)
	mail := !util.IsSpaceRune(before) && mailAddress.MatchString(w.in[end:min(len(w.in), end+70)])
	if opening && isWord(before) && (mail || spaced && util.IsPunctRune(after)) {
		w.out = append(w.out[:len(w.out)-utf8.RuneLen(before)], characterReference(before)...)
		before, mail = ';', false
	}
	w.write(strings.Repeat(string(mark), marks), end-w.at)
	if isWord(after) && (mail || spaced && closing && util.IsPunctRune(before)) {
		w.write(characterReference(after), utf8.RuneLen(after))
	}
}

func characterReference(r rune) string { return "&#" + strconv.Itoa(int(r)) + ";" }

// isWord reports whether a character is neither space nor punctuation, as parsers of Markdown tell them apart.
func isWord(r rune) bool { return r > ' ' && !util.IsSpaceRune(r) && !util.IsPunctRune(r) }

// withoutFormulas returns the output with a backslash before each dollar sign of words with which a formula could
// begin: one between a space and a character, if in the same paragraph a dollar sign follows that could end a formula.
func (w *escaper) withoutFormulas() string {
	if len(w.dollars) == 0 {
		return string(w.out)
	}
	var escaped []int // from the last
	ends, to := false, len(w.out)
	for _, at := range slices.Backward(w.dollars) {
		for i := to - 1; i > at; i-- {
			switch c := w.out[i]; {
			case c == '\n' && w.out[i-1] == '\n':
				ends = false
			case c == '$' && endsFormula(w.out, i):
				ends = true
			}
		}
		before, _ := utf8.DecodeLastRune(w.out[:at])
		if ends && !isWord(before) && at+1 < len(w.out) && !util.IsSpace(w.out[at+1]) {
			escaped = append(escaped, at)
		}
		to = at + 1
	}
	var b strings.Builder
	end := 0
	for _, at := range slices.Backward(escaped) {
		b.Write(w.out[end:at])
		b.WriteByte('\\')
		end = at
	}
	b.Write(w.out[end:])
	return b.String()
}

func endsFormula(text []byte, at int) bool {
	return !util.IsSpace(text[at-1]) && (at+1 == len(text) || text[at+1] < '0' || text[at+1] > '9')
}
