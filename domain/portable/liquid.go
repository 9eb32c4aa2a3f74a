package portable

import (
	"bytes"
	"regexp"
	"strings"
)

// liquidSite holds the parts of a Jekyll site that Liquid may use.
type liquidSite struct {
	files  *Files
	root   string
	config frontMatter
}

// liquidPage is the page that a text with Liquid is of.
type liquidPage struct {
	title  string
	values frontMatter
	file   string // its name among the site's files
	site   *liquidSite
}

// liquidToken is a tag or a value of Liquid in a text.
type liquidToken struct {
	span
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
			k.span, k.rest = span{at, at + len(m[0])}, m[1]
		case '%':
			m, end := liquidTag.FindStringSubmatch(rest), strings.Index(rest, "%}")
			if m == nil || end < len(m[0]) {
				at++
				continue
			}
			k.span, k.tag = span{at, at + end + 2}, m[1]
			k.rest = strings.TrimSpace(strings.TrimSuffix(rest[len(m[0]):end], "-"))
		default:
			at++
			continue
		}
		k.trimsBefore = source[at+2] == '-'
		k.trimsAfter = source[k.end-3] == '-'
		ending := map[string]*regexp.Regexp{"raw": liquidEnd, "comment": commentEnd}[k.tag]
		if ending != nil && !unclosed[ending] {
			if m := ending.FindStringIndex(source[k.end:]); m != nil {
				k.raw, k.rest = true, ""
				if k.tag == "raw" {
					k.rest = source[k.end : k.end+m[0]]
				}
				k.end += m[1]
			} else {
				unclosed[ending] = true
			}
		}
		list = append(list, k)
		at = k.end
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
	*translator
	page   liquidPage
	source string
	list   []liquidToken
	code   []span            // of a post, where values may stand as examples
	vars   map[string]string // that were assigned
	params map[string]string // of an include; nil: it is a post
	depth  int
	failed bool // something of an include is not understood
	budget *int // bytes that includes may give
}

// jekyll translates Liquid and the attributes of kramdown.
func translateLiquid(t *translator, source string, page liquidPage) string {
	source = figureMarks.Replace(source)
	if strings.Contains(source, "{%") || strings.Contains(source, "{{") {
		budget := maxText
		l := &liquid{translator: t, page: page, source: source, list: liquidTokens(source), code: codeIn(source),
			vars: make(map[string]string), budget: &budget}
		source = setApart(l.run(0, len(source), 0, len(l.list)))
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
		write(l.source[start:k.start])
		if start = k.end; k.trimsBefore {
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
			start, i = closing.end, k.match
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
	return l.template(what, code, contained)
}

// value is {{ … }}.
func (l *liquid) value(k liquidToken) string {
	if text, ok := l.evaluate(k.rest); ok {
		if strings.Contains(k.rest, "markdownify") &&
			(l.params != nil && strings.HasPrefix(strings.TrimSpace(l.source), "<") || l.params == nil && l.inHTML(k.start)) {
			text = "\n\n" + text + "\n\n" // between HTML
		}
		return text
	}
	typed := l.source[k.start:k.end]
	name, _, _ := strings.Cut(k.rest, "|")
	name = strings.TrimSpace(name)
	if l.params == nil && within(l.code, k.start) { // which its author wants to show
		l.lose("the value {{ " + name + " }} stays in code")
		return typed
	}
	return l.unknown("the value {{ "+name+" }}", typed, "")
}

// block carries out a tag with the one that closes it.
func (l *liquid) block(i int, k, closing liquidToken) string {
	inner := func() string { return l.run(k.end, closing.start, i+1, k.match) }
	switch k.tag {
	case "capture":
		if name, _, _ := strings.Cut(k.rest, " "); name != "" {
			l.vars[name] = strings.TrimSpace(setApart(inner()))
		}
		return ""
	case "if", "unless":
		if l.params != nil { // of an include, whose parameters are known
			return l.branch(i, k)
		}
	default:
		c := construct{name: k.tag, args: parameters(k.rest), paired: true, indent: indentAt(l.source, k.start)}
		c.inner = inner()
		c.raw = c.inner // Jekyll carries out Liquid in code, too
		if text, ok := l.construct(c); ok {
			return text
		}
		return l.unknownBlock(k, closing, c.inner)
	}
	return l.unknownBlock(k, closing, inner())
}

func (l *liquid) unknownBlock(k, closing liquidToken, inner string) string {
	opening, end := l.source[k.start:k.end], l.source[closing.start:closing.end]
	return l.unknown("the tag {% "+k.tag+" %}", opening+inner+end, inner)
}

// branch carries out the part of an if whose condition is true.
func (l *liquid) branch(i int, k liquidToken) string {
	yes, ok := l.condition(k.rest)
	yes = yes != (k.tag == "unless")
	start, from := k.end, i+1
	for n := i + 1; ok && n <= k.match; n++ {
		switch next := l.list[n]; {
		case next.match > n:
			n = next.match
		case n == k.match || next.tag == "else" || next.tag == "elsif":
			if yes {
				return l.run(start, next.start, from, n)
			}
			start, from, yes = next.end, n+1, true
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
	typed := l.source[k.start:k.end]
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
			if l.params == nil && l.templates == RemoveTemplates {
				return ""
			}
			return typed
		}
		if text, ok := l.construct(construct{name: k.tag, args: parameters(k.rest)}); ok {
			return text
		}
	}
	return l.unknown("the tag {% "+k.tag+" %}", typed, "")
}
