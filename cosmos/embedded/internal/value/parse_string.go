package value

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func (p *parser) string() (string, error) {
	p.pos++
	start := p.pos
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == '"':
			s := p.text[start:p.pos]
			p.pos++
			if !utf8.ValidString(s) {
				s = strings.ToValidUTF8(s, "\uFFFD")
			}
			return s, nil
		case c == '\\':
			return p.escaped(start)
		case c < ' ':
			return "", errSyntax
		}
		p.pos++
	}
	return "", errSyntax
}

// escaped reads the rest of a string that contains escapes.
func (p *parser) escaped(start int) (string, error) {
	buf := append(make([]byte, 0, 2*(p.pos-start)+32), p.text[start:p.pos]...)
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		p.pos++
		switch {
		case c == '"':
			return strings.ToValidUTF8(string(buf), "\uFFFD"), nil
		case c < ' ':
			return "", errSyntax
		case c != '\\':
			buf = append(buf, c)
			continue
		}
		c = p.peek()
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
	return "", errSyntax
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
