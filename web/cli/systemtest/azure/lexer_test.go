package azure

import (
	"fmt"
	"strings"
	"unicode"
)

// token is a word, number, string, operator or line break of a Bicep file.
type token struct {
	kind  rune // 'w' word, 'n' number, 's' string, 'p' punctuation, '\n' line breaks, 0 end
	text  string
	parts []part // of a string
	line  int
}

// part is a literal part of a string, or an expression in ${}.
type part struct {
	text string
	code expression
}

// punctuation lists the operators, the longer ones first.
var punctuation = []string{"==", "!=", "&&", "||", "??", "{", "}", "[", "]", "(", ")", ":", ",", ".", "=", "?", "!",
	"@"}

// tokens splits a Bicep file. It panics on text that is no token, with the line.
func tokens(source string, line int) (list []token) {
	for rest := source; rest != ""; {
		end, kind := 1, rune('p')
		switch first := rest[0]; {
		case strings.HasPrefix(rest, "//"):
			if end = strings.IndexByte(rest, '\n'); end < 0 {
				end = len(rest)
			}
			kind = ' '
		case first == '\n':
			end, kind = len(rest)-len(strings.TrimLeft(rest, " \n")), '\n'
		case first == ' ':
			kind = ' '
		case first == '\'':
			text, parts := stringToken(rest, line)
			list = append(list, token{'s', "", parts, line})
			rest = rest[len(text):]
			continue
		case unicode.IsLetter(rune(first)) || first == '_':
			end, kind = len(rest)-len(strings.TrimLeftFunc(rest, isWord)), 'w'
		case unicode.IsDigit(rune(first)) || first == '-':
			end, kind = 1+len(rest[1:])-len(strings.TrimLeft(rest[1:], "0123456789")), 'n'
		default:
			if end = operator(rest); end == 0 {
				panic(fmt.Sprintf("line %d: %.10q is no token", line, rest))
			}
		}
		if kind != ' ' {
			list = append(list, token{kind, rest[:end], nil, line})
		}
		line += strings.Count(rest[:end], "\n")
		rest = rest[end:]
	}
	return list
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// operator returns the length of the operator at the beginning of a text, or 0.
func operator(text string) int {
	for _, p := range punctuation {
		if strings.HasPrefix(text, p) {
			return len(p)
		}
	}
	return 0
}

// stringToken reads a string in single quotes and returns its source and its parts.
func stringToken(source string, line int) (text string, parts []part) {
	var literal strings.Builder
	for i := 1; i < len(source); i++ {
		switch {
		case source[i] == '\'':
			return source[:i+1], append(parts, part{text: literal.String()})
		case source[i] == '\n':
			panic(fmt.Sprintf("line %d: a string does not end", line))
		case source[i] == '\\':
			i++
			escapes := map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': `\`, '\'': "'", '$': "$"}
			escaped, ok := escapes[source[i]]
			if !ok {
				panic(fmt.Sprintf("line %d: unknown escape \\%c", line, source[i]))
			}
			literal.WriteString(escaped)
		case strings.HasPrefix(source[i:], "${"):
			end := i + closingBrace(source[i:], line)
			p := &parser{tokens: tokens(source[i+2:end], line)}
			code := p.expression()
			p.end()
			parts = append(parts, part{text: literal.String()}, part{code: code})
			literal.Reset()
			i = end
		default:
			literal.WriteByte(source[i])
		}
	}
	panic(fmt.Sprintf("line %d: a string does not end", line))
}

// closingBrace returns the place of the brace that ends an expression in a string.
func closingBrace(text string, line int) int {
	depth, quoted := 0, false
	for i, c := range text {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	panic(fmt.Sprintf("line %d: an expression in a string does not end", line))
}
