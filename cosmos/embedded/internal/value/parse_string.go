package value

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func (p *parser) string() (string, error) {
	start := p.pos + 1
	p.pos = plainEnd(p.text, start)
	switch p.peek() {
	case '"':
		s := p.text[start:p.pos]
		p.pos++
		return validUTF8(s), nil
	case '\\':
		return p.escaped(start)
	}
	return "", errSyntax
}

// validUTF8 replaces each sequence of invalid bytes by U+FFFD.
func validUTF8(s string) string {
	if utf8.ValidString(s) { // much faster than ToValidUTF8
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// plainEnd returns the position of the first byte of s from i on that is a quote, a backslash or a
// control character; len(s) if there is none. It looks at eight bytes at a time.
func plainEnd(s string, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		// Subtracting n from a byte below n sets its high bit. A borrow only changes the bytes above.
		quote, backslash := w^ones*'"', w^ones*'\\'
		found := ((w-ones*' ')&^w | (quote-ones)&^quote | (backslash-ones)&^backslash) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// escaped reads the rest of a string that contains escapes.
func (p *parser) escaped(start int) (string, error) {
	buf := make([]byte, 0, p.closing()-start)
	for from := start; ; from = p.pos {
		p.pos = plainEnd(p.text, max(from, p.pos))
		buf = append(buf, p.text[from:p.pos]...)
		switch p.peek() {
		case '"':
			p.pos++
			return validUTF8(string(buf)), nil
		case '\\':
			p.pos++
		default:
			return "", errSyntax
		}
		c := p.peek()
		p.pos++
		switch c {
		case '"', '\\', '/':
			buf = append(buf, c)
		case 'b':
			buf = append(buf, '\b')
		case 'f':
			buf = append(buf, '\f')
		case 'n':
			buf = append(buf, '\n')
		case 'r':
			buf = append(buf, '\r')
		case 't':
			buf = append(buf, '\t')
		case 'u':
			r, ok := p.hex4()
			if !ok {
				return "", errSyntax
			}
			if utf16.IsSurrogate(r) && strings.HasPrefix(p.text[p.pos:], `\u`) {
				mark := p.pos
				p.pos += 2
				low, ok := p.hex4()
				if pair := utf16.DecodeRune(r, low); ok && pair != utf8.RuneError {
					r = pair
				} else {
					p.pos = mark
				}
			}
			buf = utf8.AppendRune(buf, r)
		default:
			return "", errSyntax
		}
	}
}

// closing returns the position of the quote that ends the current string, or of the end of the
// string's valid part.
func (p *parser) closing() int {
	i := p.pos
	for i < len(p.text) && p.text[i] == '\\' {
		i = plainEnd(p.text, min(i+2, len(p.text)))
	}
	return i
}

func (p *parser) hex4() (rune, bool) {
	if p.pos+4 > len(p.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[p.pos:p.pos+4], 16, 16)
	if err != nil {
		return 0, false
	}
	p.pos += 4
	return rune(n), true
}
