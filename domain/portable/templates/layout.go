package templates

import (
	"fmt"
	"html"
	"path"
	"regexp"
	"strconv"
	"strings"
	layouts "text/template/parse"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

// HugoSite holds the parts of a site that shortcodes may use: parameters of the page and the site, and the
// templates of the site's own shortcodes.
type HugoSite struct {
	Page, Params frontmatter.Values
	File         string // the page's name among the files
	Files        *portable.Files
	Root         string
	trees        map[string]*layouts.Tree // templates by name; nil if the site has none
	spent        int                      // the part of maxAdded that shortcodes have spent
}

const maxLayout = 64 << 10

// param returns the text for Hugo's shortcode param: a parameter of the page or the site.
func (s *HugoSite) param(name string) string {
	for _, m := range []frontmatter.Values{s.Page, frontmatter.Values(frontmatter.AsMap(s.Page.Get("params"))),
		s.Params} {
		if value := m.At(name); value != "" {
			return value
		}
	}
	return ""
}

// tree returns the template of one of the site's own shortcodes, or nil.
func (s *HugoSite) tree(name string) (tree *layouts.Tree) {
	if tree, ok := s.trees[name]; ok {
		return tree
	}
	if s.trees == nil {
		s.trees = make(map[string]*layouts.Tree)
	}
	defer func() {
		if recover() != nil { // a parser that panics must not end the import
			tree = nil
		}
		s.trees[name] = tree
	}()
	for _, folder := range []string{"layouts/shortcodes", "layouts/_shortcodes"} {
		body, err := s.Files.ReadText(path.Join(s.Root, folder, name+".html"), maxLayout)
		if err != nil {
			continue
		}
		t := layouts.New(name)
		t.Mode = layouts.SkipFuncCheck
		source := string(body)
		if tree, err = t.Parse(source, "", "", make(map[string]*layouts.Tree)); err == nil {
			return tree
		}
	}
	return nil
}

// expand evaluates the template of one of the site's own shortcodes. It fails if the template does more than insert
// parameters and the shortcode's content into HTML. Evaluating the template spends the budget, even if it fails.
func (s *HugoSite) expand(c markup.Construct, b *budget) (text string, ok bool) {
	if s.Files == nil {
		return "", false
	}
	tree := s.tree(c.Name)
	if tree == nil {
		return "", false
	}
	l := &layout{Construct: c, vars: make(map[string]layoutValue), budget: b}
	if !l.list(tree.Root) {
		return "", false
	}
	text = strings.TrimSpace(l.out.String())
	if markup.BlockElement.MatchString(text) || strings.Contains(text, "\n") {
		text = markup.Block(text)
	}
	return text, true
}

// layout is a template while it is evaluated.
type layout struct {
	markup.Construct
	out    strings.Builder
	vars   map[string]layoutValue
	dot    layoutValue
	deep   int
	budget *budget
}

// layoutValue is a text that a template computes. If safe is false, as for the value of a parameter, the text is
// escaped when it is written.
type layoutValue struct {
	text string
	safe bool
}

// list evaluates nodes and reports whether it understands all of them.
func (l *layout) list(nodes *layouts.ListNode) bool {
	if nodes == nil {
		return true
	}
	if l.deep++; l.deep > 50 {
		return false
	}
	defer func() { l.deep-- }()
	for _, n := range nodes.Nodes {
		ok := true
		switch n := n.(type) {
		case *layouts.TextNode:
			l.write(layoutValue{compactHTML(string(n.Text)), true})
		case *layouts.CommentNode:
		case *layouts.ActionNode:
			var v layoutValue
			if v, ok = l.pipe(n.Pipe); ok && len(n.Pipe.Decl) == 0 {
				l.write(v)
			}
		case *layouts.IfNode:
			ok = l.branch(&n.BranchNode, false)
		case *layouts.WithNode:
			ok = l.branch(&n.BranchNode, true)
		default:
			ok = false
		}
		if !l.budget.spend(1) || !ok {
			return false
		}
	}
	return true
}

func (l *layout) write(v layoutValue) {
	l.budget.spend(len(v.text))
	if v.safe {
		l.out.WriteString(v.text)
	} else {
		l.out.WriteString(html.EscapeString(v.text))
	}
}

func (l *layout) branch(n *layouts.BranchNode, rebinds bool) bool {
	v, ok := l.pipe(n.Pipe)
	switch {
	case !ok:
		return false
	case v.text == "" || v.text == "false":
		return l.list(n.ElseList)
	}
	if rebinds {
		outer := l.dot
		l.dot = v
		defer func() { l.dot = outer }()
	}
	return l.list(n.List)
}

func (l *layout) pipe(p *layouts.PipeNode) (v layoutValue, ok bool) {
	if p == nil {
		return v, false
	}
	for i, c := range p.Cmds {
		var args []layoutValue
		for _, arg := range c.Args[1:] {
			value, ok := l.value(arg)
			if !ok {
				return v, false
			}
			args = append(args, value)
		}
		if i > 0 {
			args = append(args, v)
		}
		if v, ok = l.call(c.Args[0], args); !ok {
			return v, false
		}
	}
	for _, name := range p.Decl {
		l.vars[name.Ident[0]] = v
	}
	return v, ok
}

// value evaluates an argument.
func (l *layout) value(n layouts.Node) (layoutValue, bool) { return l.call(n, nil) }

// call evaluates a function, a field or a literal.
func (l *layout) call(n layouts.Node, args []layoutValue) (layoutValue, bool) {
	name := ""
	switch n := n.(type) {
	case *layouts.StringNode:
		return layoutValue{text: n.Text}, len(args) == 0
	case *layouts.NumberNode:
		return layoutValue{text: n.Text}, len(args) == 0
	case *layouts.BoolNode:
		return layoutValue{text: strconv.FormatBool(n.True)}, len(args) == 0
	case *layouts.DotNode:
		return l.dot, len(args) == 0 && l.dot != layoutValue{}
	case *layouts.PipeNode:
		v, ok := l.pipe(n)
		return v, ok && len(args) == 0
	case *layouts.FieldNode:
		name = "." + strings.Join(n.Ident, ".")
	case *layouts.VariableNode:
		if v, ok := l.vars[n.Ident[0]]; ok && len(n.Ident) == 1 {
			return v, len(args) == 0
		}
		if n.Ident[0] != "$" {
			return layoutValue{}, false
		}
		name = "." + strings.Join(n.Ident[1:], ".")
	case *layouts.IdentifierNode:
		name = n.Ident
	case *layouts.ChainNode:
		name = fmt.Sprint(n)
	}
	return l.function(name, args)
}

func (l *layout) function(name string, args []layoutValue) (layoutValue, bool) {
	truth := func(yes bool) (layoutValue, bool) { return layoutValue{text: strconv.FormatBool(yes)}, true }
	set := func(v layoutValue) bool { return v.text != "" && v.text != "false" }
	switch len(args) {
	case 0:
		switch name {
		case ".Inner":
			return layoutValue{l.paragraphs(l.Inner), true}, l.budget.spend(len(l.Inner))
		case ".IsNamedParams":
			return truth(l.Args["0"] == "" && len(l.Args) > 0)
		}
	case 1:
		v := args[0]
		switch name {
		case ".Get":
			return layoutValue{text: l.Args[strings.ToLower(v.text)]}, true
		case "markdownify", ".Page.RenderString", ".RenderString", "safeHTML", "safe.HTML":
			return layoutValue{v.text, true}, true
		case "safeURL", "safeHTMLAttr", "safeCSS", "safeJS", "relURL", "absURL", "relLangURL", "absLangURL",
			"htmlEscape", "plainify", "emojify", "string", "print":
			return v, true
		case "strings.TrimSpace", "(strings).TrimSpace":
			return layoutValue{strings.TrimSpace(v.text), v.safe}, true
		case "not":
			return truth(!set(v))
		}
	case 2:
		a, b := args[0], args[1]
		switch name {
		case "eq":
			return truth(a.text == b.text)
		case "ne":
			return truth(a.text != b.text)
		case "default":
			if b.text == "" {
				return a, true
			}
			return b, true
		case "or":
			if set(a) {
				return a, true
			}
			return b, true
		case "and":
			if !set(a) {
				return a, true
			}
			return b, true
		}
	}
	return layoutValue{}, false
}

// paragraphs prepares Markdown for its place between HTML: it separates a text of several lines by blank lines.
func (l *layout) paragraphs(text string) string {
	text = l.Dedented(text)
	if !strings.Contains(strings.TrimSpace(text), "\n") && !strings.Contains(text, markup.FigureBegin) {
		return text
	}
	return "\n\n" + text + "\n\n"
}

var indentedLines = regexp.MustCompile(`\n\s+`)

// compactHTML removes blank lines and indentation from HTML, which Markdown would read as the end of a block or as
// code.
func compactHTML(source string) string {
	if strings.Contains(source, "<pre") {
		return source
	}
	return indentedLines.ReplaceAllString(source, "\n")
}
