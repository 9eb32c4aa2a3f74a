package templates

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

// mdxText is a text in MDX, which is Markdown with components and expressions of JavaScript, while it is translated.
type mdxText struct {
	*markup.Translator
	source   string
	braces   map[int]int       // the positions of closing braces, by those of opening ones
	pictures map[string]string // addresses of imported files, by the names of variables
	tags     []mdxTag
	spent    int // bytes of addresses that expressions have inserted
}

var (
	mdxModule = regexp.MustCompile(`(?m)^(?:import\s+[^\n'"]*['"{]|` +
		`export\s+(?:const|let|var|default|async|function|\{|\*))`)
	// mdxValue matches what may be a property, a variable or the short form of a property, and its value.
	mdxValue   = regexp.MustCompile(`([\w-]+)["']?\s*(?:[:=]\s*("[^"]*"|'[^']*'|[^\s,;}]+)|[,}])`)
	mdxImport  = regexp.MustCompile(`import\s+(\w+)\s+from\s+['"]([^'"\n]+)['"]`)
	mdxFormula = regexp.MustCompile(`(?s)\$\$.+?\$\$|\$[^\s$](?:[^$\n]*[^\s$\\])?\$`)
)

// maxMDXDepth is the maximum nesting depth of components.
const maxMDXDepth = 20

// TranslateMDX translates the components and expressions of MDX. imported returns the address of a file that the text
// imports.
func TranslateMDX(t *markup.Translator, source string, imported func(name string) string) string {
	m := &mdxText{Translator: t, source: markup.FigureMarks.Replace(source), pictures: make(map[string]string)}
	m.leaveModules(m.matchBraces(), imported)
	m.matchBraces()
	m.findTags()
	return markup.SetApart(m.translated(markup.Span{Start: 0, End: len(m.source)}, 0, len(m.tags), 0))
}

// hidden returns the code and the formulas of the text.
func (m *mdxText) hidden() func(at int) bool {
	code := markup.CodeIn(m.source)
	var formulas []markup.Span
	for _, at := range mdxFormula.FindAllStringIndex(m.source, -1) {
		formulas = append(formulas, markup.Span{Start: at[0], End: at[1]})
	}
	return func(at int) bool {
		return markup.Within(code, at) || markup.Within(formulas, at) || at > 0 && m.source[at-1] == '\\'
	}
}

// matchBraces finds the braces of expressions. It returns what hidden returns.
func (m *mdxText) matchBraces() (hidden func(at int) bool) {
	m.braces = make(map[int]int)
	hidden = m.hidden()
	var open []int
	for i := 0; i < len(m.source); i++ {
		switch c := m.source[i]; {
		case c != '{' && c != '}' || len(open) == 0 && hidden(i):
		case c == '{':
			open = append(open, i)
		case len(open) > 0:
			m.braces[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return hidden
}

// leaveModules removes imports and exports, each up to a blank line outside of braces.
func (m *mdxText) leaveModules(hidden func(at int) bool, imported func(name string) string) {
	var edits []markup.Edit
	end := 0
	for _, at := range mdxModule.FindAllStringIndex(m.source, -1) {
		if at[0] < end || hidden(at[0]) {
			continue
		}
		for end = at[0]; end < len(m.source); end++ {
			if closing, ok := m.braces[end]; ok {
				end = closing
			} else if strings.HasPrefix(m.source[end:], "\n\n") {
				break
			}
		}
		code := m.source[at[0]:end]
		for _, found := range mdxImport.FindAllStringSubmatch(code, -1) {
			m.pictures[found[1]] = imported(found[2])
		}
		if strings.Contains("\n"+code, "\nexport") {
			m.RecordLoss(locale.M("code of MDX (export) was left out"))
			m.holdExported(code)
		}
		edits = append(edits, markup.Edit{Span: markup.Span{Start: at[0], End: end}})
	}
	m.source = markup.Apply(m.source, edits)
}

// holdExported makes the post a draft if an export may say that not everyone can see it.
func (m *mdxText) holdExported(code string) {
	for _, found := range mdxValue.FindAllStringSubmatch(code, -1) {
		value := strings.Trim(found[2], "\"'")
		said := frontmatter.Values{found[1]: cmp.Or(value, "…")}
		if frontmatter.SetsVisibility(found[1]) && said.Visibility().Audience != frontmatter.Public {
			m.Hold(locale.M("{code} may hide the post, so the post is a draft", "code",
				plaintext.Truncate(strings.Join(strings.Fields(found[0]), " "), 60)))
		}
	}
}

var mdxLiteral = regexp.MustCompile("^(?:\"([^\"\\\\]*)\"|'([^'\\\\]*)'|`([^`\\\\$]*)`|(\\d+)|(\\w+)(?:\\.src)?)$")

// evaluate returns the value of an expression that is a literal or an imported file.
func (m *mdxText) evaluate(expression string) (string, bool) {
	expression = strings.TrimSpace(expression)
	if strings.HasPrefix(expression, "/*") && strings.HasSuffix(expression, "*/") {
		return "", true
	}
	found := mdxLiteral.FindStringSubmatch(expression)
	if found == nil {
		return "", false
	}
	if found[5] != "" {
		address, isImport := m.pictures[found[5]]
		m.spent += len(address)
		return address, isImport && m.spent < len(m.source)+maxLayout
	}
	return found[1] + found[2] + found[3] + found[4], true
}

// translated translates a part of the text, which contains the tags between two indexes.
func (m *mdxText) translated(part markup.Span, from, to, depth int) string {
	var b strings.Builder
	at := part.Start
	for i := from; i < to; i++ {
		tag := m.tags[i]
		b.WriteString(m.source[at:tag.Start])
		at = tag.End
		typed, inner := m.source[tag.Start:tag.End], ""
		switch {
		case tag.name == "":
			if value, known := m.evaluate(typed[1 : len(typed)-1]); known {
				b.WriteString(value)
			} else {
				b.WriteString(m.Template(locale.M("the expression {code}", "code",
					plaintext.Truncate(strings.Join(strings.Fields(typed), " "), 60)), typed, ""))
			}
			continue
		case !isComponent(tag.name):
			b.WriteString(tag.html())
			continue
		case tag.match > i && depth < maxMDXDepth:
			end := m.tags[tag.match]
			inner = m.translated(markup.Span{Start: tag.End, End: end.Start}, i+1, tag.match, depth+1)
			if strings.HasPrefix(inner, "\n") {
				inner = unindented(inner)
			}
			typed += inner + m.source[end.Start:end.End]
			i, at = tag.match, end.End
		}
		c := markup.Construct{Name: strings.ToLower(tag.name), Args: tag.args, Paired: tag.match > 0,
			Inner: inner, Raw: inner,
			Indent: indentAt(m.source, tag.Start)}
		b.WriteString(m.component(c, typed))
	}
	b.WriteString(m.source[at:part.End])
	return b.String()
}

// unindented removes the indentation that all lines of a text share.
func unindented(text string) string {
	lines := strings.Split(text, "\n")
	isOut := func(line string) bool { return strings.TrimSpace(line) != "" && line[0] != '\t' }
	for strings.TrimSpace(text) != "" && !slices.ContainsFunc(lines, isOut) {
		for i, line := range lines {
			lines[i] = strings.TrimPrefix(line, "\t")
		}
	}
	return markup.Unindented(strings.Join(lines, "\n"))
}

// mdxComponents maps the components of Starlight and the like to constructs with the same parameters.
var mdxComponents = map[string]string{"aside": "admonition", "card": "tab", "cardgrid": "columns",
	"filetree":   "columns",
	"linkbutton": "button", "linkcard": "button", "steps": "columns", "tabitem": "tab"}

// component translates a component.
func (m *mdxText) component(c markup.Construct, typed string) string {
	switch c.Name {
	case "fragment":
		return c.Inner
	case "code":
		if code := c.Args["code"]; code != "" {
			return markup.Block(markup.Fenced(c.Args["lang"], strings.Trim(code, "\n")))
		}
	case "linkcard":
		c.Inner, c.Paired = c.Args["title"], true
	}
	if usual := mdxComponents[c.Name]; usual != "" {
		c.Name = usual
	}
	if text, ok := m.Construct(c); ok {
		return text
	}
	return m.Template(locale.M("the component {name}", "name", c.Name), typed, c.Inner)
}
