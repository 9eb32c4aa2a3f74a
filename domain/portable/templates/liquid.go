package templates

import (
	"bytes"
	"regexp"
	"strings"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

// liquidSite holds the parts of a Jekyll site that Liquid may use.
type LiquidSite struct {
	Files  *portable.Files
	Root   string
	Config frontmatter.Values
}

// liquidPage is the page that a text with Liquid is of.
type LiquidPage struct {
	Title  string
	Values frontmatter.Values
	File   string // its name among the site's files
	Site   *LiquidSite
}

// liquidToken is a tag or a value of Liquid in a text.
type liquidToken struct {
	markup.Span
	tag   string // empty: a value, or raw text
	rest  string // the parameters, the value's expression, or the raw text
	raw   bool
	match int // index of the tag that closes it, or -1
	// trims tells on which sides white space is removed.
	trimsBefore, trimsAfter bool
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

// liquidTokens finds the tags and values of Liquid in a text, and which tag closes which.
func liquidTokens(source string) []liquidToken {
	var list []liquidToken
	unclosed := make(map[*regexp.Regexp]bool) // ends that are not in the rest of the text
	for at := 0; ; {
		i := strings.IndexByte(source[at:], '{')
		if i < 0 || at+i+1 >= len(source) {
			break
		}
		at += i
		k := liquidToken{match: -1}
		rest := source[at:min(len(source), at+maxLiquidTag)]
		switch source[at+1] {
		case '{':
			m := liquidValue.FindStringSubmatch(rest)
			if m == nil {
				at++
				continue
			}
			k.Span, k.rest = markup.Span{Start: at, End: at + len(m[0])}, m[1]
		case '%':
			m, end := liquidTag.FindStringSubmatch(rest), strings.Index(rest, "%}")
			if m == nil || end < len(m[0]) {
				at++
				continue
			}
			k.Span, k.tag = markup.Span{Start: at, End: at + end + 2}, m[1]
			k.rest = strings.TrimSpace(strings.TrimSuffix(rest[len(m[0]):end], "-"))
		default:
			at++
			continue
		}
		k.trimsBefore = source[at+2] == '-'
		k.trimsAfter = source[k.End-3] == '-'
		ending := map[string]*regexp.Regexp{"raw": liquidEnd, "comment": commentEnd}[k.tag]
		if ending != nil && !unclosed[ending] {
			if m := ending.FindStringIndex(source[k.End:]); m != nil {
				k.raw, k.rest = true, ""
				if k.tag == "raw" {
					k.rest = source[k.End : k.End+m[0]]
				}
				k.End += m[1]
			} else {
				unclosed[ending] = true
			}
		}
		list = append(list, k)
		at = k.End
	}
	matchTags(list)
	return list
}

// matchTags finds for each tag the one that closes it.
func matchTags(list []liquidToken) {
	var open []int
	waiting := make(map[string]int)
	for i, k := range list {
		name, closes := strings.CutPrefix(k.tag, "end")
		switch {
		case k.tag == "" || k.raw:
		case !closes:
			open = append(open, i)
			waiting[name]++
		case waiting[name] > 0:
			for list[i].match < 0 {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				waiting[list[last].tag]--
				if list[last].tag == name {
					list[last].match, list[i].match = i, last
				}
			}
		}
	}
}

// liquid is a text whose Liquid is being carried out.
type liquid struct {
	*markup.Translator
	page   LiquidPage
	source string
	list   []liquidToken
	code   []markup.Span     // of a post, where values may stand as examples
	vars   map[string]string // that were assigned
	params map[string]string // of an include; nil: it is a post
	depth  int
	failed bool // something of an include is not understood
	budget *int // bytes that includes may give
}

// jekyll translates Liquid and the attributes of kramdown.
func TranslateLiquid(t *markup.Translator, source string, page LiquidPage) string {
	source = markup.FigureMarks.Replace(source)
	if strings.Contains(source, "{%") || strings.Contains(source, "{{") {
		budget := portable.MaxText
		l := &liquid{Translator: t, page: page, source: source, list: liquidTokens(source), code: markup.CodeIn(source),
			vars: make(map[string]string), budget: &budget}
		source = markup.SetApart(l.run(0, len(source), 0, len(l.list)))
	}
	return withoutAttributes(htmlOfKramdown(source))
}

// run is a part of the text with its Liquid carried out: that of the tokens from one index
// to another.
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

// unknown is template, and fails an include.
func (l *liquid) unknown(what, code, contained string) string {
	if l.params != nil {
		l.failed = true
		return ""
	}
	return l.Template(what, code, contained)
}

// value is {{ … }}.
func (l *liquid) value(k liquidToken) string {
	if text, ok := l.evaluate(k.rest); ok {
		if strings.Contains(k.rest, "markdownify") &&
			(l.params != nil && strings.HasPrefix(strings.TrimSpace(l.source), "<") || l.params == nil && l.inHTML(k.Start)) {
			text = "\n\n" + text + "\n\n" // between HTML
		}
		return text
	}
	typed := l.source[k.Start:k.End]
	name, _, _ := strings.Cut(k.rest, "|")
	name = strings.TrimSpace(name)
	if l.params == nil && markup.Within(l.code, k.Start) { // which its author wants to show
		l.RecordLoss("the value {{ " + name + " }} stays in code")
		return typed
	}
	return l.unknown("the value {{ "+name+" }}", typed, "")
}

// block carries out a tag with the one that closes it.
func (l *liquid) block(i int, k, closing liquidToken) string {
	inner := func() string { return l.run(k.End, closing.Start, i+1, k.match) }
	switch k.tag {
	case "capture":
		if name, _, _ := strings.Cut(k.rest, " "); name != "" {
			l.vars[name] = strings.TrimSpace(markup.SetApart(inner()))
		}
		return ""
	case "if", "unless":
		if l.params != nil { // of an include, whose parameters are known
			return l.branch(i, k)
		}
	default:
		c := markup.Construct{Name: k.tag, Args: markup.Parameters(k.rest), Paired: true, Indent: indentAt(l.source, k.Start)}
		c.Inner = inner()
		c.Raw = c.Inner // Jekyll carries out Liquid in code, too
		if text, ok := l.Construct(c); ok {
			return text
		}
		return l.unknownBlock(k, closing, c.Inner)
	}
	return l.unknownBlock(k, closing, inner())
}

func (l *liquid) unknownBlock(k, closing liquidToken, inner string) string {
	opening, end := l.source[k.Start:k.End], l.source[closing.Start:closing.End]
	return l.unknown("the tag {% "+k.tag+" %}", opening+inner+end, inner)
}

// branch carries out the part of an if whose condition is true.
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

// ofFile makes an address of a file's name.
var ofFile = strings.NewReplacer("%", "%25", "#", "%23", "?", "%3F")

// tag carries out a tag that stands alone.
func (l *liquid) tag(k liquidToken) string {
	typed := l.source[k.Start:k.End]
	first, rest, _ := strings.Cut(k.rest, " ")
	switch k.tag {
	case "post_url":
		return "/_posts/" + ofFile.Replace(first) + ".md"
	case "link":
		if !strings.ContainsAny(k.rest, "{|") {
			return "/" + ofFile.Replace(strings.TrimPrefix(first, "/"))
		}
	case "asset_path", "asset_url":
		return "/assets/" + strings.Trim(first, `"'/`)
	case "endraw", "endcomment":
		return ""
	case "assign":
		name, expression, ok := strings.Cut(k.rest, "=")
		if value, known := l.evaluate(strings.TrimSpace(expression)); ok && known {
			l.vars[strings.TrimSpace(name)] = value
			return ""
		}
	case "include", "include_relative", "include_cached":
		if text, ok := l.include(k, first, rest); ok {
			return text
		}
		return l.unknown("the include "+first, typed, "")
	case "img":
		if text, ok := octopressPicture(k.rest); ok {
			return text
		}
	default:
		if continuesBlock(k.tag) { // of one that is not known
			if l.params == nil && l.Templates == portable.RemoveTemplates {
				return ""
			}
			return typed
		}
		if text, ok := l.Construct(markup.Construct{Name: k.tag, Args: markup.Parameters(k.rest)}); ok {
			return text
		}
	}
	return l.unknown("the tag {% "+k.tag+" %}", typed, "")
}
