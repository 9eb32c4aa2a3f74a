package templates

import (
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable/markup"
)

// mdxTag is a tag or an expression. Its match is the index of the closing tag, or -1.
type mdxTag struct {
	markup.Span
	name           string // empty for an expression, "fragment" for <>
	args           map[string]string
	closes, single bool
	match          int
}

var (
	mdxName = regexp.MustCompile(`^</?\s*([A-Za-z][\w.:-]*)?`)
	mdxKey  = regexp.MustCompile(`^\s*([\w:@.-]+)\s*(=?)\s*`)
)

// findTags finds the tags of components, the expressions, and the tags of HTML with expressions.
func (m *mdxText) findTags() {
	hidden := m.hidden()
	var open []int
	for i := 0; i < len(m.source); i++ {
		c := m.source[i]
		if c != '{' && c != '<' || hidden(i) {
			continue
		}
		closing, ok := m.braces[i]
		tag := mdxTag{Span: markup.Span{Start: i, End: closing + 1}, match: -1}
		if c == '<' {
			tag, ok = m.tagAt(i)
		}
		if !ok {
			continue
		}
		switch i = tag.End - 1; {
		case tag.closes:
			for n := len(open) - 1; n >= max(0, len(open)-maxMDXDepth); n-- {
				if m.tags[open[n]].name == tag.name {
					m.tags[open[n]].match, tag.match = len(m.tags), open[n]
					open = open[:n]
					break
				}
			}
		case tag.name != "" && !tag.single && isComponent(tag.name):
			open = append(open, len(m.tags))
		}
		m.tags = append(m.tags, tag)
	}
}

// isComponent reports whether a name is that of a component, not of an element of HTML.
func isComponent(name string) bool { return name[0] < 'a' || strings.Contains(name, ".") }

// tagAt parses the tag that begins at a position, unless it is one of HTML without expressions.
func (m *mdxText) tagAt(start int) (tag mdxTag, ok bool) {
	head := mdxName.FindStringSubmatch(m.source[start:min(len(m.source), start+200)])
	if head == nil {
		return tag, false
	}
	tag = mdxTag{Span: markup.Span{Start: start}, name: head[1], closes: strings.HasPrefix(head[0], "</"), match: -1,
		args: make(map[string]string)}
	at, hasCode := start+len(head[0]), false
	var lost []string // attributes that are code
	if tag.name == "" {
		tag.name = "Fragment"
		if at == len(m.source) || m.source[at] != '>' {
			return tag, false
		}
	}
	for at < len(m.source) {
		rest := m.source[at:]
		if closing, isCode := m.braces[at]; isCode { // {...properties}
			at, hasCode, lost = closing+1, true, append(lost, "...")
			continue
		}
		switch rest[0] {
		case '>':
			tag.End = at + 1
			m.reportCode(tag, lost)
			return tag, hasCode || isComponent(tag.name)
		case '/':
			tag.single = true
			at++
			continue
		case ' ', '\t', '\n', '\r':
			at++
			continue
		}
		key := mdxKey.FindStringSubmatch(rest[:min(len(rest), 200)])
		if key == nil {
			return tag, false
		}
		name := strings.ToLower(key[1])
		if at += len(key[0]); key[2] == "" {
			tag.args[name] = "true"
			continue
		}
		if closing, isCode := m.braces[at]; isCode {
			if value, known := m.evaluate(m.source[at+1 : closing]); known {
				tag.args[name] = value
			} else {
				lost = append(lost, name)
			}
			at, hasCode = closing+1, true
			continue
		}
		if at == len(m.source) || m.source[at] != '"' && m.source[at] != '\'' {
			return tag, false
		}
		length := strings.IndexByte(m.source[at+1:min(len(m.source), at+maxLiquidTag)], m.source[at])
		if length < 0 {
			return tag, false
		}
		tag.args[name] = m.source[at+1 : at+1+length]
		at += length + 2
	}
	return tag, false
}

// shownAttributes are the attributes that readers see.
var shownAttributes = []string{"...", "alt", "caption", "dangerouslysetinnerhtml", "description", "href", "label",
	"poster", "set:html", "set:text", "srcset", "summary", "title"}

// reportCode reports attributes of a tag whose values are code, and which readers would see. A post that lacks a
// picture for that reason becomes a draft.
func (m *mdxText) reportCode(tag mdxTag, attributes []string) {
	for _, name := range attributes {
		why := locale.M("the parameter {parameter} of {name} was left out", "parameter", name, "name", tag.name)
		if name == "src" {
			m.Hold(why)
		} else if slices.Contains(shownAttributes, name) {
			m.RecordLoss(why)
		}
	}
}

// html returns a tag of HTML with the values of its attributes that are known.
func (t mdxTag) html() string {
	text := "<" + t.name
	if t.closes {
		text = "</" + t.name
	}
	for _, key := range []string{"id", "href", "src", "alt", "title"} {
		if value := t.args[key]; value != "" {
			text += " " + key + `="` + strings.ReplaceAll(value, `"`, "&quot;") + `"`
		}
	}
	if t.single {
		text += " /"
	}
	return text + ">"
}
