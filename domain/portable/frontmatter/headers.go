package frontmatter

import (
	"maps"
	"regexp"
	"strings"
)

// headerLine matches a line of SplitHeaders.
var headerLine = regexp.MustCompile(`^ {0,3}([A-Za-z][A-Za-z0-9_ -]{0,40}):(?:[ \t]+(.*)|([^\s/:].*))?$`)

// headerKeys are the keys by which SplitHeaders recognises front matter: the title, or two others.
var headerKeys = []string{"date", "modified", "slug", "category", "tags", "keywords", "author", "authors", "summary",
	"lang"}

// SplitHeaders separates front matter as Pelican and MultiMarkdown write it: lines such as "Title: Beans" up to a blank
// line or a line of "---". Indented lines are further values of a key. Without headerKeys the lines stay in the body,
// and only those that set the post's audience are values.
func SplitHeaders(source string) (Values, string) {
	var key string
	m, known, text := make(Values), 0, withoutComments(source)
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		value := strings.TrimSpace(line)
		if found := headerLine.FindStringSubmatch(line); found != nil {
			key, value = strings.ToLower(found[1]), strings.TrimSpace(found[2]+found[3])
		} else if key == "" || value == "" || !strings.HasPrefix(line, "    ") && line[0] != '\t' {
			if value == "" || value == "---" || value == "..." {
				text = rest
			}
			break
		}
		switch before := m[key].(type) {
		case nil:
			m[key] = value
		case []any:
			m[key] = append(before, value)
		default:
			m[key] = []any{before, value}
		}
		text = rest
	}
	for _, name := range headerKeys {
		if _, there := m[name]; there {
			known++
		}
	}
	if m["title"] == nil && known < 2 {
		maps.DeleteFunc(m, func(key string, _ any) bool { return !SetsVisibility(key) })
		return m, source
	}
	if authors, ok := m["authors"].(string); ok { // the first is the author of the post
		first, _, _ := strings.Cut(strings.ReplaceAll(authors, ";", ","), ",")
		m["authors"] = strings.TrimSpace(first)
	}
	return m, text
}
