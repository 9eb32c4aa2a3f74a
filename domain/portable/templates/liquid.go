package templates

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

// LiquidSite holds the parts of a Jekyll site that Liquid may use.
type LiquidSite struct {
	Files  *portable.Files
	Root   string // the folder that Jekyll reads
	Config frontmatter.Values
	spent  int // the part of maxAdded that Liquid has spent
	data   siteData
}

// LiquidPage is the page whose text contains Liquid.
type LiquidPage struct {
	Title  string
	Values frontmatter.Values
	File   string // its name among the site's files
	Site   *LiquidSite
	Hexo   *Hexo // nil unless the site is one of Hexo
	// Bare reports that the names of values need no "page.", as in Eleventy.
	Bare bool
}

const (
	maxLiquidTag   = 16 << 10 // bytes of one
	maxLiquidDepth = 16       // includes and blocks within each other
)

var (
	liquidTag   = regexp.MustCompile(`^\{%-?\s*(\w+)`)
	liquidValue = regexp.MustCompile(`^\{\{-?\s*([^{}\n]*?)\s*-?\}\}`)
	liquidEnd   = regexp.MustCompile(`\{%-?\s*endraw\s*-?%\}`)
	commentEnd  = regexp.MustCompile(`\{%-?\s*endcomment\s*-?%\}`)
)

// liquid is a text while its Liquid is evaluated.
type liquid struct {
	*markup.Translator
	page   LiquidPage
	source string
	list   []liquidToken
	code   []markup.Span     // of a post, in which Liquid may be an example
	vars   map[string]any    // assigned variables
	params map[string]string // parameters of an include; nil in a post
	depth  int
	failed bool // whether part of an include is not understood
	budget *budget
}

// TranslateLiquid evaluates Liquid and translates the attributes of kramdown, which only Jekyll has.
func TranslateLiquid(t *markup.Translator, source string, page LiquidPage) string {
	source = markup.FigureMarks.Replace(source)
	isJekyll := page.Hexo == nil && !page.Bare
	if !isJekyll {
		source = withoutComments(source)
	}
	if strings.Contains(source, "{%") || strings.Contains(source, "{{") {
		budget := newBudget(page.Site.spent)
		start := budget
		l := &liquid{Translator: t, page: page, source: source, list: liquidTokens(source), code: markup.CodeIn(source),
			vars: make(map[string]any), budget: &budget}
		if page.Hexo != nil { // which does not evaluate code
			l.list = matchTags(slices.DeleteFunc(l.list, func(k liquidToken) bool {
				return markup.Within(l.code, k.Start) || inBackticks(source, k.Start)
			}))
		}
		source = markup.SetApart(l.run(0, len(source), 0, len(l.list)))
		page.Site.spent += int(start - budget)
	}
	if !isJekyll {
		return source
	}
	if portable.IsText(page.File) {
		source = abbreviations(t, source)
	}
	return withoutAttributes(htmlOfKramdown(source))
}

// run evaluates the part of the text between two positions, which contains the tokens between two indexes.
func (l *liquid) run(start, end, from, to int) string {
	if l.depth++; l.depth > maxLiquidDepth {
		l.failed = true
	}
	defer func() { l.depth-- }()
	if l.failed {
		return l.source[start:end]
	}
	var out []byte
	trim := false
	write := func(s string) {
		if trim {
			s = strings.TrimLeft(s, " \t\r\n")
		}
		trim = trim && s == ""
		out = append(out, s...)
	}
	for i := from; i < to; i++ {
		k := l.list[i]
		write(l.source[start:k.Start])
		if start = k.End; k.trimsBefore {
			out = bytes.TrimRight(out, " \t\r\n")
		}
		switch {
		case k.raw:
			write(k.rest)
		case k.tag == "":
			write(l.value(k))
		case k.match > i && k.match < to:
			closing := l.list[k.match]
			write(l.block(i, k, closing))
			start, i = closing.End, k.match
			k = closing
		default:
			write(l.tag(k))
		}
		trim = k.trimsAfter
	}
	write(l.source[start:end])
	return string(out)
}

// unknown applies the policy for template code to Liquid that is not understood. In an include it makes the include
// fail.
func (l *liquid) unknown(what locale.Message, code, contained string) string {
	if l.params != nil {
		l.failed = true
		return ""
	}
	return l.Template(what, code, contained)
}

// value evaluates an output expression: {{ … }}.
func (l *liquid) value(k liquidToken) string {
	if text, ok := l.evaluate(k.rest); ok {
		if strings.Contains(k.rest, "markdownify") &&
			(l.params != nil && strings.HasPrefix(strings.TrimSpace(l.source), "<") ||
				l.params == nil && l.inHTML(k.Start)) {
			text = "\n\n" + text + "\n\n" // between HTML
		}
		return text
	}
	typed := l.source[k.Start:k.End]
	name, _, _ := strings.Cut(k.rest, "|")
	name = strings.TrimSpace(name)
	if l.params == nil && markup.Within(l.code, k.Start) { // the author wants to show the code
		l.RecordLoss(locale.M("the value {code} stays in code", "code", "{{ "+name+" }}"))
		return typed
	}
	return l.unknown(locale.M("the value {code}", "code", "{{ "+name+" }}"), typed, "")
}

// block evaluates a tag with its closing tag.
func (l *liquid) block(i int, k, closing liquidToken) string {
	inner := func() string { return l.run(k.End, closing.Start, i+1, k.match) }
	if l.page.Hexo != nil {
		if text, ok := l.hexoTag(k, l.source[k.End:closing.Start], inner); ok {
			return text
		}
	}
	switch k.tag {
	case "capture":
		name, _, _ := strings.Cut(k.rest, " ")
		if name == "" {
			return ""
		}
		text := inner()
		if len(text) > maxLayout {
			return l.unknownBlock(k, closing, text)
		}
		l.vars[name] = strings.TrimSpace(markup.SetApart(text))
		return ""
	case "if", "unless":
		if l.params != nil { // an include has known parameters
			return l.branch(i, k)
		}
	default:
		c := markup.Construct{Name: k.tag, Args: markup.Parameters(k.rest), Paired: true,
			Indent: indentAt(l.source, k.Start)}
		c.Inner = inner()
		c.Raw = c.Inner // Jekyll evaluates Liquid in code, too
		if text, ok := l.Construct(c); ok {
			return text
		}
		return l.unknownBlock(k, closing, c.Inner)
	}
	return l.unknownBlock(k, closing, inner())
}

func (l *liquid) unknownBlock(k, closing liquidToken, inner string) string {
	opening, end := l.source[k.Start:k.End], l.source[closing.Start:closing.End]
	return l.unknown(locale.M("the tag {code}", "code", "{% "+k.tag+" %}"), opening+inner+end, inner)
}

// branch evaluates the branch of an if whose condition is true.
func (l *liquid) branch(i int, k liquidToken) string {
	yes, ok := l.condition(k.rest)
	yes = yes != (k.tag == "unless")
	start, from := k.End, i+1
	for n := i + 1; ok && n <= k.match; n++ {
		switch next := l.list[n]; {
		case next.match > n:
			n = next.match
		case n == k.match || next.tag == "else" || next.tag == "elsif":
			if yes {
				return l.run(start, next.Start, from, n)
			}
			start, from, yes = next.End, n+1, true
			if next.tag == "elsif" {
				yes, ok = l.condition(next.rest)
			}
		}
	}
	l.failed = l.failed || !ok
	return ""
}

// continuesBlock reports whether a tag is a part of a block that another tag begins.
func continuesBlock(tag string) bool {
	return strings.HasPrefix(tag, "end") || tag == "else" || tag == "elsif" || tag == "when"
}

// ofFile escapes a file's name for an address.
var ofFile = strings.NewReplacer("%", "%25", "#", "%23", "?", "%3F")

// tag evaluates a tag without a closing tag.
func (l *liquid) tag(k liquidToken) string {
	typed := l.source[k.Start:k.End]
	first, rest, _ := strings.Cut(k.rest, " ")
	if l.page.Hexo != nil {
		if text, ok := l.hexoTag(k, "", nil); ok {
			return text
		}
	}
	switch k.tag {
	case "post_url":
		return "/_posts/" + ofFile.Replace(first) + ".md"
	case "link":
		if !strings.ContainsAny(k.rest, "{|") {
			return "/" + ofFile.Replace(path.Join(l.page.Site.Root, first))
		}
	case "asset_path", "asset_url":
		return "/assets/" + strings.Trim(first, `"'/`)
	case "endraw", "endcomment":
		return ""
	case "assign":
		name, expression, ok := strings.Cut(k.rest, "=")
		name, expression = strings.TrimSpace(name), strings.TrimSpace(expression)
		if value, known := l.evaluate(expression); ok && known {
			l.vars[name] = value
			return ""
		}
		if value, known := l.resolve(expression); ok && known {
			l.vars[name] = value
			return ""
		}
	case "include", "include_relative", "include_cached":
		if text, ok := l.include(k, first, rest); ok {
			return text
		}
		return l.unknown(locale.M("the include {name}", "name", first), typed, "")
	case "img":
		if src, alt, ok := octopressPicture(k.rest); ok {
			return markup.Picture(src, alt, "")
		}
	default:
		if continuesBlock(k.tag) { // a part of an unknown block
			if l.params == nil && l.Templates == portable.RemoveTemplates {
				return ""
			}
			return typed
		}
		args := markup.Parameters(k.rest)
		if l.page.Bare && portable.IsImage(args["0"]) { // in Eleventy the description follows
			args = map[string]string{"src": args["0"], "alt": args["1"]}
		}
		if text, ok := l.Construct(markup.Construct{Name: k.tag, Args: args}); ok {
			return text
		}
	}
	return l.unknown(locale.M("the tag {code}", "code", "{% "+k.tag+" %}"), typed, "")
}
