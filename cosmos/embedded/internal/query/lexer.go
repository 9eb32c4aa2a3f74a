package query

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"inkfeed/cosmos/embedded/internal/value"
)

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokIdent
	tokParam
	tokNumber
	tokString
	tokSymbol
)

// token is a lexical element. text is as written, except for a string, where it is the content. The
// text of a parameter includes @.
type token struct {
	kind       tokenKind
	text       string
	start, end int
}

// is reports whether the token is a keyword, without regard to case, or a symbol.
func (t token) is(word string) bool {
	switch t.kind {
	case tokIdent:
		return strings.EqualFold(t.text, word)
	case tokSymbol:
		return t.text == word
	}
	return false
}

// lex divides a query into tokens; the last is tokEnd.
func lex(text string) ([]token, error) {
	l := lexer{text: text}
	tokens := make([]token, 0, len(text)/4+2)
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
		if t.kind == tokEnd {
			return tokens, nil
		}
	}
}

type lexer struct {
	text string
	pos  int
}

// symbols are tried in order, so longer ones come first.
var symbols = [...]string{
	">>>", "<>", "<=", ">=", "!=", "||", "??", "<<", ">>",
	"(", ")", "[", "]", "{", "}", ",", ".", ":", "?", "=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^", "~",
}

func (l *lexer) next() (token, error) {
	l.skip()
	start := l.pos
	if start == len(l.text) {
		return token{kind: tokEnd, start: start, end: start}, nil
	}
	c := l.text[start]
	switch {
	case c == '"' || c == '\'':
		s, err := l.quoted(c)
		return token{kind: tokString, text: s, start: start, end: l.pos}, err
	case c >= '0' && c <= '9', c == '.' && start+1 < len(l.text) && isDigit(l.text[start+1]):
		return l.number()
	case c == '@':
		l.pos++
		l.word()
		if l.pos == start+1 {
			return token{}, l.badToken(start)
		}
		return token{kind: tokParam, text: l.text[start:l.pos], start: start, end: l.pos}, nil
	}
	if l.word(); l.pos > start {
		return token{kind: tokIdent, text: l.text[start:l.pos], start: start, end: l.pos}, nil
	}
	for _, s := range symbols {
		if strings.HasPrefix(l.text[start:], s) {
			l.pos += len(s)
			return token{kind: tokSymbol, text: s, start: start, end: l.pos}, nil
		}
	}
	return token{}, l.badToken(start)
}

// skip skips white space as sql.g4 defines it, and line comments. Cosmos DB has no block comments.
func (l *lexer) skip() {
	for l.pos < len(l.text) {
		if strings.HasPrefix(l.text[l.pos:], "--") {
			if end := strings.IndexByte(l.text[l.pos:], '\n'); end >= 0 {
				l.pos += end
			} else {
				l.pos = len(l.text)
			}
			continue
		}
		if strings.IndexByte(" \t\r\n", l.text[l.pos]) < 0 {
			return
		}
		l.pos++
	}
}

// word skips ASCII letters, digits and underscores: LEX_IDENTIFIER of Microsoft's grammar (sql.g4
// in azure-cosmos-dotnet-v3). Names with other characters are written in brackets, as in
// c["naïve"].
func (l *lexer) word() {
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		if c != '_' && !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z') {
			return
		}
		l.pos++
	}
}

// number reads a decimal constant, or a hexadecimal one after 0x.
func (l *lexer) number() (token, error) {
	start := l.pos
	if hexadecimal(l.text[start:]) {
		l.word() // x and the digits
		if _, err := strconv.ParseUint(l.text[start+2:l.pos], 16, 64); err != nil {
			return token{}, l.badToken(start)
		}
		return token{kind: tokNumber, text: l.text[start:l.pos], start: start, end: l.pos}, nil
	}
	l.digits()
	if l.pos < len(l.text) && l.text[l.pos] == '.' {
		l.pos++
		l.digits()
	}
	if l.pos < len(l.text) && (l.text[l.pos] == 'e' || l.text[l.pos] == 'E') {
		mark := l.pos
		l.pos++
		if l.pos < len(l.text) && (l.text[l.pos] == '+' || l.text[l.pos] == '-') {
			l.pos++
		}
		digits := l.pos
		if l.digits(); l.pos == digits {
			l.pos = mark
		}
	}
	text := l.text[start:l.pos]
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return token{}, l.badToken(start)
	}
	return token{kind: tokNumber, text: text, start: start, end: l.pos}, nil
}

// number returns the value of a token from lexer.number.
func number(text string) value.Value {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return value.OfInt(i)
	}
	if hexadecimal(text) {
		u, _ := strconv.ParseUint(text[2:], 16, 64) // the lexer has parsed it without an error
		if u <= math.MaxInt64 {
			return value.OfInt(int64(u))
		}
		return value.OfFloat(float64(u))
	}
	f, _ := strconv.ParseFloat(text, 64) // the lexer has parsed it without an error
	return value.OfFloat(f)
}

func hexadecimal(text string) bool { return len(text) > 1 && text[0] == '0' && text[1]|0x20 == 'x' }

func (l *lexer) digits() {
	for l.pos < len(l.text) && isDigit(l.text[l.pos]) {
		l.pos++
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// quoted reads a string literal. Its escapes are those of JSON and one for the quote. Control
// characters must be escaped (STRING_LITERAL of sql.g4).
func (l *lexer) quoted(quote byte) (string, error) {
	start := l.pos
	l.pos++
	var b strings.Builder
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		l.pos++
		if c < ' ' {
			return "", l.badToken(start)
		}
		switch c {
		case quote:
			return strings.ToValidUTF8(b.String(), "\uFFFD"), nil
		case '\\':
			if !l.escape(&b) {
				return "", l.badToken(start)
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", l.badToken(start)
}

func (l *lexer) escape(b *strings.Builder) bool {
	if l.pos == len(l.text) {
		return false
	}
	c := l.text[l.pos]
	l.pos++
	switch c {
	case '\'', '"', '\\', '/':
		b.WriteByte(c)
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'n':
		b.WriteByte('\n')
	case 'r':
		b.WriteByte('\r')
	case 't':
		b.WriteByte('\t')
	case 'u':
		r, ok := l.hex4()
		if !ok {
			return false
		}
		if utf16.IsSurrogate(r) && strings.HasPrefix(l.text[l.pos:], `\u`) {
			l.pos += 2
			low, ok := l.hex4()
			if !ok {
				return false
			}
			r = utf16.DecodeRune(r, low)
		}
		b.WriteRune(r)
	default:
		return false
	}
	return true
}

func (l *lexer) hex4() (rune, bool) {
	if l.pos+4 > len(l.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(l.text[l.pos:l.pos+4], 16, 16)
	if err != nil {
		return 0, false
	}
	l.pos += 4
	return rune(n), true
}

func (l *lexer) badToken(start int) error {
	end := max(l.pos, start+1)
	_, size := utf8.DecodeRuneInString(l.text[start:])
	end = min(max(end, start+size), len(l.text))
	return &Error{Code: "SC1010", Start: start, End: end,
		Message: "Syntax error, invalid token '" + l.text[start:end] + "'."}
}
