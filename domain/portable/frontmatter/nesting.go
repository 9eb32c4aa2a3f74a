package frontmatter

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// maxNesting is the maximum depth of lists, tables and dotted keys. The parsers of YAML and TOML store the path of each
// value, so their memory grows with the square of the depth.
const maxNesting = 100

// maxKeys is the maximum number of keys of a YAML text. The parser copies all keys of a table for each of them.
const maxKeys = 3000

var errNested = portable.NewFault(locale.M("it is nested too deeply"), nil)

// CheckYAML returns an error if lists and tables of a YAML text are nested more than [maxNesting] levels deep.
func CheckYAML(text []byte) error {
	most := 0 // an upper bound of the depth
	for _, mark := range []string{"[", "{", "- ", "-\t", "? ", "?\t"} {
		most += bytes.Count(text, []byte(mark))
	}
	if most <= maxNesting {
		return nil
	}
	brackets := 0
	var columns []int // of the open lists and tables outside of brackets
	for _, t := range lexer.Tokenize(string(text)) {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			brackets++
		case token.MappingEndType, token.SequenceEndType:
			brackets = max(0, brackets-1)
		case token.SequenceEntryType, token.MappingKeyType:
			for len(columns) > 0 && columns[len(columns)-1] >= t.Position.Column {
				columns = columns[:len(columns)-1]
			}
			columns = append(columns, t.Position.Column)
		}
		if brackets+len(columns) > maxNesting {
			return errNested
		}
	}
	return nil
}

// yamlError returns the error of the YAML parser without the text that it is about. Quoting the text takes quadratic
// time.
func yamlError(err error) error { return errors.New(yaml.FormatError(err, false, false)) }

// DecodeTOML decodes TOML, unless lists, tables and the parts of keys are nested more than [maxNesting] levels deep.
func DecodeTOML(text string) (m Values, err error) {
	if tomlNested(text) {
		return nil, errNested
	}
	_, err = toml.Decode(text, &m)
	return m, err
}

// tomlNested reports whether a text in TOML is nested too deeply.
func tomlNested(text string) bool {
	dots := 0
	var open []int // for each open bracket, the number of dots before it
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '#':
			i = endOf(text, i, "\n", false)
		case '"', '\'':
			quote := text[i : i+1]
			if long := strings.Repeat(quote, 3); strings.HasPrefix(text[i:], long) {
				quote = long
			}
			i = endOf(text, i+len(quote), quote, c == '"')
		case '[', '{':
			open = append(open, dots)
		case ']', '}':
			if len(open) > 0 {
				dots, open = open[len(open)-1], open[:len(open)-1]
			}
		case '.':
			dots++
		}
		if c := text[min(i, len(text)-1)]; c == ',' || c == '\n' {
			dots = 0
			if len(open) > 0 {
				dots = open[len(open)-1]
			}
		}
		if len(open)+dots > maxNesting {
			return true
		}
	}
	return false
}

// endOf returns the position of the last byte of the next end in a text, or the length of the text.
func endOf(text string, at int, end string, escapes bool) int {
	for ; at < len(text); at++ {
		switch {
		case escapes && text[at] == '\\':
			at++
		case strings.HasPrefix(text[at:], end):
			return at + len(end) - 1
		}
	}
	return len(text)
}

// decodeJSON decodes the JSON at the start of a text, and returns its length. It returns portable.ErrTooLarge for more
// than MaxBytes.
func decodeJSON(source string) (m Values, length int, err error) {
	d := json.NewDecoder(strings.NewReader(source[:min(len(source), MaxBytes+1)]))
	if err := d.Decode(&m); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) && len(source) > MaxBytes {
			return nil, 0, portable.ErrTooLarge
		}
		return nil, 0, errors.New(FirstLine(err))
	}
	return m, int(d.InputOffset()), nil
}
