package templates

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

var liquidFilter = regexp.MustCompile(`^\s*(\w+)\s*(?::\s*(.*?))?\s*$`)

// evaluate returns the value of an expression of Liquid with its filters. It fails if the value or a filter is not
// known or too long.
func (l *liquid) evaluate(expression string) (value string, ok bool) {
	parts := outsideQuotes(expression, '|')
	if value, ok = l.operand(strings.TrimSpace(parts[0])); !ok || !l.affords(value) {
		return "", false
	}
	for _, part := range parts[1:] {
		m := liquidFilter.FindStringSubmatch(part)
		if m == nil {
			return "", false
		}
		var args []string
		if m[2] != "" {
			for _, arg := range outsideQuotes(m[2], ',') {
				text, known := l.operand(strings.TrimSpace(arg))
				if !known {
					return "", false
				}
				args = append(args, text)
			}
		}
		if value, ok = filtered(value, m[1], args); !ok || !l.affords(value) {
			return "", false
		}
	}
	return value, true
}

// affords spends the budget for a value and reports whether the value may be used.
func (l *liquid) affords(value string) bool {
	return l.budget.spend(len(value)) && len(value) <= maxLayout
}

// outsideQuotes splits a text at a character, except within quotes.
func outsideQuotes(s string, at byte) (parts []string) {
	start, quote := 0, byte(0)
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == at:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

var quotedOperand = regexp.MustCompile(`^(?:"([^"]*)"|'([^']*)')$`)

// operand returns the value of a literal or a name.
func (l *liquid) operand(name string) (string, bool) {
	if m := quotedOperand.FindStringSubmatch(name); m != nil {
		return m[1] + m[2], true
	}
	if _, err := strconv.ParseFloat(name, 64); err == nil {
		return name, true
	}
	switch name {
	case "true", "false":
		return name, true
	case "nil", "null", "blank", "empty":
		return "", true
	case "site.baseurl", "site.url", "page.root", "site.github.url":
		return "", true
	case "page.title":
		return l.page.Title, true
	}
	if parameter, ok := strings.CutPrefix(name, "include."); ok && l.params != nil {
		return l.params[parameter], true // empty for a missing parameter, as in Liquid
	}
	v, ok := l.resolve(name)
	text := frontmatter.TextOf(v)
	return text, ok && (text != "" || v == nil || v == "")
}

// filtered applies one of Liquid's filters to a value.
func filtered(value, filter string, args []string) (string, bool) {
	switch len(args) {
	case 0:
		switch filter {
		case "relative_url", "absolute_url":
			if !strings.HasPrefix(value, "/") && !strings.Contains(value, "://") {
				value = "/" + value
			}
			return value, true
		case "escape", "xml_escape", "escape_once":
			return html.EscapeString(html.UnescapeString(value)), true
		case "strip", "lstrip", "rstrip":
			return strings.TrimSpace(value), true
		case "strip_newlines":
			return strings.ReplaceAll(value, "\n", ""), true
		case "upcase":
			return strings.ToUpper(value), true
		case "downcase":
			return strings.ToLower(value), true
		case "markdownify", "smartify", "uri_escape", "strip_html", "normalize_whitespace",
			"url", "safe", "htmlBaseUrl", "absoluteUrl":
			return value, true
		}
	case 1:
		switch filter {
		case "prepend":
			return args[0] + value, true
		case "append":
			return value + args[0], true
		case "default":
			if value == "" {
				value = args[0]
			}
			return value, true
		case "remove":
			return strings.ReplaceAll(value, args[0], ""), true
		}
	case 2:
		if filter == "replace" && args[0] != "" && len(args[1]) <= len(args[0])+100 {
			return strings.ReplaceAll(value, args[0], args[1]), true
		}
	}
	return "", false
}

var comparison = regexp.MustCompile(`^(.+?)\s*(==|!=)\s*(.+)$`)

// condition evaluates a condition. It fails if the result is not known.
func (l *liquid) condition(text string) (yes, ok bool) {
	for _, word := range []string{" or ", " and "} {
		if a, b, found := strings.Cut(text, word); found {
			x, first := l.condition(a)
			y, second := l.condition(b)
			if word == " or " {
				return x || y, first && second
			}
			return x && y, first && second
		}
	}
	if m := comparison.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		a, first := l.operand(strings.TrimSpace(m[1]))
		b, second := l.operand(strings.TrimSpace(m[3]))
		return (a == b) == (m[2] == "=="), first && second
	}
	value, ok := l.operand(strings.TrimSpace(text))
	if v, known := l.resolve(strings.TrimSpace(text)); !ok && known && v != nil { // a list or a table
		return true, true
	}
	return value != "" && value != "false", ok
}

var (
	kramdown = regexp.MustCompile(`(?m)(^[ \t]*(?:[*+-]|\d+\.)[ \t][^\n]*\n(?:[ \t]*\{:toc[^}\n]*\})|` +
		`\{::?[ \t/]*[^}\n]*\}[ \t]*)`)
	kramdownComment = regexp.MustCompile(`(?s)\{::comment\}.*?\{:/(?:comment)?\}`)
)

// withoutAttributes removes attributes, comments and tables of contents of kramdown from a text. It keeps the ids among
// the attributes: see markup.Attributes.
func withoutAttributes(source string) string {
	if !strings.Contains(source, "{:") {
		return source
	}
	p, _ := markup.Parse(source)
	var edits []markup.Edit
	for _, pattern := range []*regexp.Regexp{kramdownComment, kramdown} {
		for _, m := range pattern.FindAllStringIndex(source, -1) {
			if !markup.Within(p.Code, m[0]) && !markup.Within(p.Code, m[1]-1) {
				edits = append(edits, markup.Attributes(source, markup.Span{Start: m[0], End: m[1]}))
			}
		}
	}
	return markup.Apply(source, edits)
}
