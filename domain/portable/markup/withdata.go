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

// scheme matches a scheme at the end of a text, before its colon.
var scheme = regexp.MustCompile(`[a-zA-Z][a-zA-Z0-9+.-]{1,30}$`)

// maxBeforeColon is the number of bytes before a colon that are searched for a scheme and the beginning of a link.
const maxBeforeColon = 40

// reportUnlinked reports the links of a Markdown text that pages show as plain text, because of their schemes.
func (t *Translator) reportUnlinked(source string) {
	var code []Span
	known := false
	for at := 0; ; {
		i := strings.IndexByte(source[at:], ':')
		if i < 0 || at+i+1 == len(source) {
			return
		}
		colon := at + i
		at = colon + 1
		before := source[max(0, colon-maxBeforeColon):colon]
		if strings.HasSuffix(before, "http") || strings.HasSuffix(before, "https") ||
			strings.IndexByte(" \t\r\n<>", source[at]) >= 0 {
			continue
		}
		name := scheme.FindString(before)
		start, end := colon-len(name), ") \t\n"
		opening := strings.TrimSuffix(before[:len(before)-len(name)], "<")
		opening = strings.TrimRight(opening, " \t")
		if name == "" || start == 0 || source[start-1] != '<' && !strings.HasSuffix(opening, "](") &&
			!strings.HasSuffix(opening, "]:") {
			continue
		}
		address := source[start:min(len(source), start+mostAddress)]
		if source[start-1] == '<' {
			end = ">\n"
		}
		if i := strings.IndexAny(address, end); i > 0 {
			address = address[:i]
		}
		if strings.HasPrefix(strings.ToLower(address), "data:") || markdown.Linkable(address) {
			continue
		}
		if !known {
			code, known = CodeIn(source), true
		}
		if !Within(code, start) {
			t.recordUnlinked(address)
		}
	}
}
