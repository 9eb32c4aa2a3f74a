package frontmatter

import (
	"regexp"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// Split separates front matter from the text below it: YAML between lines of ---, TOML between lines of +++, or JSON.
// The first line of --- may also name the format: YAML, TOML or JSON.
// Blank lines and HTML comments may precede it. A text without front matter is all body. It returns an error if a text
// begins with something like front matter that it cannot read.
func Split(source string) (Values, string, error) {
	source = strings.TrimPrefix(source, "\ufeff")
	if strings.Contains(source, "\r") {
		source = lineEnds.Replace(source)
	}
	text := withoutComments(source)
	first, below, _ := strings.Cut(text, "\n")
	switch {
	case isFence(first, "---"):
		head, body, ok := cutAtLine(text, "---", "...")
		if !ok {
			break
		}
		return decodeYAML(source, head, body)
	case isFence(first, "+++"):
		return decodeTOML(source, text, "+++")
	case fenceWithFormat.MatchString(first):
		format := strings.ToLower(fenceWithFormat.FindStringSubmatch(first)[1])
		head, body, ok := cutAtLine(text, "---")
		switch {
		case format == "toml":
			return decodeTOML(source, text, "---")
		case ok && format == "json":
			m, rest, err := splitJSON(source, head)
			if err == nil && strings.TrimSpace(rest) != "" {
				return nil, source, invalid("JSON", nil)
			}
			return m, body, err
		}
		return nil, source, portable.NewFault(locale.M("its front matter is not understood"), nil)
	case jsonStart.MatchString(text):
		return splitJSON(source, text)
	}
	if looksLikeFence.MatchString(first) && keyLine.MatchString(withoutBlankLines(below)) ||
		commentWithKeys.MatchString(source) {
		return nil, source, portable.NewFault(locale.M("its front matter is not understood"), nil)
	}
	return nil, source, nil // a line of --- is a horizontal rule
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

var (
	// jsonStart matches the beginning of JSON, but not of template code.
	jsonStart = regexp.MustCompile(`^\{(?:\s*"|\s*\}|[ \t]*\n)`)
	// fenceWithFormat matches a line that opens front matter in a format that it names.
	fenceWithFormat = regexp.MustCompile(`^---[ \t]*([A-Za-z]\w*)[ \t]*$`)
	// looksLikeFence matches a line of dashes or the like, also with the name of a format.
	looksLikeFence = regexp.MustCompile(`^[ \t]*(?:[-\x{2010}-\x{2015}]+|\++|;;;+)[ \t]*` +
		`(?:ya?ml|toml|json|#.*)?[ \t]*$`)
	// keyLine matches a line of front matter: a key and a value.
	keyLine = regexp.MustCompile(`^[ \t]*["']?[\pL_][\pL\pN_ -]{0,40}["']?[ \t]*(?::(?:[ \t\n]|$)|=[ \t]*\S)`)
	// commentWithKeys matches an HTML comment that says something about visibility.
	commentWithKeys = regexp.MustCompile(`(?i)^\s*<!--[^>]*\n[ \t]*(?:\.\.[ \t]+)?` +
		`(?:status|draft|published?|private|visibility|hidden|password)[ \t]*[:=]`)
)

var yamlName = regexp.MustCompile(`^(?i:ya?ml)$`)

// isFence reports whether a line opens front matter. Behind --- may be a tag or a comment of YAML.
func isFence(line, fence string) bool {
	rest, ok := strings.CutPrefix(line, fence)
	rest = strings.TrimSpace(rest)
	return ok && (rest == "" || fence == "---" && (strings.ContainsAny(rest[:1], "#!") || yamlName.MatchString(rest)))
}

// withoutComments returns a text without the blank lines and HTML comments that it begins with.
func withoutComments(text string) string {
	for {
		text = withoutBlankLines(text)
		comment, rest, ok := strings.Cut(text, "-->")
		if !ok || !strings.HasPrefix(comment, "<!--") {
			return text
		}
		text = rest
	}
}

// withoutBlankLines returns a text without the blank lines that it begins with.
func withoutBlankLines(text string) string {
	for {
		line, rest, ok := strings.Cut(text, "\n")
		if line = strings.TrimSpace(line); !ok || line != "" {
			return text
		}
		text = rest
	}
}

func decodeYAML(source, head, body string) (Values, string, error) {
	m, err := DecodeYAML([]byte(head))
	switch {
	case err == portable.ErrTooLarge:
		return nil, source, portable.NewFault(locale.M("its front matter is too long"), nil)
	case err != nil:
		return nil, source, invalid("YAML", err)
	case m == nil:
		m = Values{} // present but empty
	}
	return m, body, nil
}

// decodeTOML separates TOML between lines of a fence.
func decodeTOML(source, text, fence string) (Values, string, error) {
	head, body, ok := cutAtLine(text, fence)
	if !ok {
		return nil, source, portable.NewFault(locale.M("its front matter has no closing line"), nil)
	}
	if len(head) > MaxBytes {
		return nil, source, portable.NewFault(locale.M("its front matter is too long"), nil)
	}
	m, err := DecodeTOML(head)
	if err != nil {
		return nil, source, invalid("TOML", err)
	}
	return m, body, nil
}

// splitJSON separates the JSON at the beginning of a text.
func splitJSON(source, text string) (Values, string, error) {
	m, length, err := decodeJSON(text)
	switch {
	case err == portable.ErrTooLarge:
		return nil, source, portable.NewFault(locale.M("its front matter is too long"), nil)
	case err != nil:
		return nil, source, invalid("JSON", err)
	}
	return m, text[length:], nil
}

// invalid returns the fault of front matter in a format that has a syntax error.
func invalid(format string, cause error) error {
	return portable.NewFault(locale.M("its front matter is not valid {format}", "format", format), cause)
}

// FirstLine returns the first line of an error message.
func FirstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// cutAtLine cuts a text whose first line is a fence at the next line that equals one of ends.
func cutAtLine(s string, ends ...string) (head, body string, ok bool) {
	_, rest, _ := strings.Cut(s, "\n")
	for at := 0; at <= len(rest); {
		line, _, more := strings.Cut(rest[at:], "\n")
		for _, end := range ends {
			if strings.TrimRight(line, " \t") == end {
				return rest[:at], strings.TrimPrefix(rest[at+len(line):], "\n"), true
			}
		}
		if !more {
			break
		}
		at += len(line) + 1
	}
	return "", "", false
}
