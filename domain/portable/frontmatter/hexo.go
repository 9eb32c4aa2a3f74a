package frontmatter

import (
	"regexp"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// hexoSeparator matches the beginning of a line that ends Hexo's front matter: YAML above dashes, or JSON without
// its braces above semicolons.
var hexoSeparator = regexp.MustCompile(`(?m)^(?:-{3,}|;{3,})`)

// SplitHexo separates front matter like [Split], and also front matter of Hexo, which needs no opening line.
func SplitHexo(source string) (Values, string, error) {
	m, body, err := Split(source)
	if m != nil || err != nil {
		return m, body, err
	}
	text := withoutBlankLines(lineEnds.Replace(strings.TrimPrefix(source, "\ufeff")))
	at := hexoSeparator.FindStringIndex(text)
	if at == nil || at[0] == 0 {
		return m, body, nil
	}
	head, below := text[:at[0]], strings.TrimPrefix(text[at[1]:], "\n")
	if text[at[0]] == ';' {
		m, length, err := decodeJSON("{" + head + "}")
		switch {
		case err == nil && strings.TrimSpace(("{" + head + "}")[length:]) == "":
			return m, below, nil
		case keyLine.MatchString(head):
			return nil, source, invalid("JSON", err)
		}
		return nil, body, nil
	}
	value, err := DecodeYAMLValue([]byte(head))
	keys, isTable := value.(map[string]any)
	switch {
	case isTable:
		return keys, below, nil
	case err == nil, !keyLine.MatchString(head): // a paragraph above a rule
		return nil, body, nil
	case err == portable.ErrTooLarge:
		return nil, source, portable.NewFault(locale.M("its front matter is too long"), nil)
	}
	return nil, source, invalid("YAML", err)
}
