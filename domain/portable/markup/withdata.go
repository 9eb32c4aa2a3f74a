package markup

import (
	"regexp"
	"strings"

	"inkfeed/domain/markdown"
)

// Pictures that are written into a text as data, in Markdown: in place, and as definitions with uses.
var (
	dataPicture = regexp.MustCompile(`!\[([^\[\]]*)\]\([ \t]*<?(data:[^\s()<>]+)>?` +
		`(?:[ \t]+"[^"\n]*")?[ \t]*\)`)
	dataDefinition = regexp.MustCompile(`(?m)^ {0,3}\[([^\[\]\n]+)\]:[ \t]*<?(data:[^\s<>]+)[^\n]*\n?`)
	pictureUse     = regexp.MustCompile(`!\[([^\[\]]*)\](?:\[([^\[\]\n]*)\])?`)
)

// withoutData replaces pictures that are written into a Markdown text by their descriptions.
func (t *Translator) withoutData(source string) string {
	if !strings.Contains(source, "data:") {
		return source
	}
	code := CodeIn(source)
	var edits []Edit
	defined := make(map[string]string)
	for _, m := range dataPicture.FindAllStringSubmatchIndex(source, -1) {
		if !Within(code, m[0]) {
			edits = append(edits, Edit{Span{m[0], m[1]}, t.described(source[m[4]:m[5]], source[m[2]:m[3]])})
		}
	}
	for _, m := range dataDefinition.FindAllStringSubmatchIndex(source, -1) {
		if !Within(code, m[0]) {
			defined[strings.ToLower(source[m[2]:m[3]])] = source[m[4]:m[5]]
			edits = append(edits, Edit{Span{m[0], m[1]}, ""})
		}
	}
	if len(defined) > 0 {
		for _, m := range pictureUse.FindAllStringSubmatchIndex(source, -1) {
			name := source[m[2]:m[3]]
			if m[5] > m[4] {
				name = source[m[4]:m[5]]
			}
			if data := defined[strings.ToLower(name)]; data != "" && !Within(code, m[0]) {
				edits = append(edits, Edit{Span{m[0], m[1]}, t.described(data, source[m[2]:m[3]])})
			}
		}
	}
	return Apply(source, edits)
}

// withScheme matches the beginning of an address with a scheme in Markdown.
var withScheme = regexp.MustCompile(`(?:\]\([ \t]*<?|\]:[ \t]*<?|<)([a-zA-Z][a-zA-Z0-9+.-]{1,30}:)[^\s<>]`)

// reportUnlinked reports the links of a Markdown text that pages show as plain text, because of their schemes.
func (t *Translator) reportUnlinked(source string) {
	for _, m := range withScheme.FindAllStringSubmatch(source, -1) {
		switch strings.ToLower(m[1]) {
		case "http:", "https:", "mailto:", "data:":
			continue
		}
		code := CodeIn(source)
		for _, m := range withScheme.FindAllStringSubmatchIndex(source, -1) {
			address, end := source[m[2]:], ") \t\n"
			if source[m[2]-1] == '<' {
				end = ">\n"
			}
			if i := strings.IndexAny(address[:min(len(address), mostAddress)], end); i > 0 {
				address = address[:i]
			}
			if !Within(code, m[2]) && !markdown.Linkable(address) {
				t.recordUnlinked(address)
			}
		}
		return
	}
}
