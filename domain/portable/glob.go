package portable

import (
	"regexp"
	"strings"

	"inkfeed/domain/locale"
)

// MaxGlob is the maximum length, in bytes, of a pattern of paths. Patterns in real configurations are shorter.
const MaxGlob = 500

// CompileGlob converts a pattern of paths to a regular expression: * and ? match within a segment, ** matches any
// number of segments, and {a,b} matches either alternative. The expression is anchored at the beginning of the path;
// end says how it continues.
func CompileGlob(glob, end string) (*regexp.Regexp, error) {
	if len(glob) > MaxGlob {
		return nil, NewFault(locale.M("the pattern is too long"), nil)
	}
	var b strings.Builder
	b.WriteByte('^')
	depth := 0
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case strings.HasPrefix(glob[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(glob[i:], "**"):
			b.WriteString(".*")
			i++
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '{':
			depth++
			b.WriteString("(?:")
		case c == '}' && depth > 0:
			depth--
			b.WriteByte(')')
		case c == ',' && depth > 0:
			b.WriteByte('|')
		default:
			end := i + 1
			for end < len(glob) && glob[end] >= 0x80 { // the rest of a character
				end++
			}
			b.WriteString(regexp.QuoteMeta(glob[i:end]))
			i = end - 1
		}
	}
	b.WriteString(strings.Repeat(")", depth))
	return regexp.Compile(b.String() + end)
}
