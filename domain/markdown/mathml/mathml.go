// Package mathml sets formulas that are written in TeX as MathML. It runs the foreign library treeblood within limits,
// and writes the library's result itself: only elements and attributes of MathML Core, balanced and escaped.
package mathml

import (
	"cmp"
	"html"
	"io"
	"log"
	"maps"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
	_ "unsafe" // for go:linkname

	"github.com/wyatt915/treeblood"
)

// Limits of a formula. The output of a formula within these limits has about maxOutput bytes at most.
const (
	MaxTeX     = 4000 // bytes
	maxNesting = 100  // elements within each other
	maxOutput  = 64 << 10
	// maxWait is how long a formula waits while others are set, most of which take less than a millisecond.
	maxWait = 50 * time.Millisecond
)

// logger is where treeblood reports what it found odd in a formula, such as [0, 1).
//
//go:linkname logger github.com/wyatt915/treeblood.logger
var logger *log.Logger

func init() { logger.SetOutput(io.Discard) }

// tokenize is the first half of treeblood. Its exported functions print each formula that makes them panic.
//
//go:linkname tokenize github.com/wyatt915/treeblood.tokenize
func tokenize(tex []rune) ([]treeblood.Token, error)

// command matches a command of TeX: a backslash with a word or with one other character.
var command = regexp.MustCompile(`\\(\pL+|.)`)

// refused matches what treeblood does not set within bounds (macros and \sideset need not end, \ce may not), what needs
// attributes and lines that Elements lacks, and arguments that treeblood shows as they are although they are not just
// words.
var refused = regexp.MustCompile(`\\(?:(?:re)?newcommand|def|sideset|ce|class|raisebox|multirow|multicolumn|` +
	`[hv]space|hskip|m?kern|varlim(?:sup|inf))(?:\PL|$)|\\(?:mathop|text)\*?\s*(?:\{[^{}]*[\\${^_]|[^{\s*])`)

// aliases are commands that treeblood lacks or sets wrongly, with others that look alike.
var aliases = map[string]string{"operatorname": "mathop", "textrm": "text", "textnormal": "text", "mbox": "text",
	"textbf": "text", "textit": "text", "stackrel": "overset", "|": "Vert ", "varnothing": "emptyset",
	"arg": "mathop{arg}", "nonumber": ",", "notag": ","}

// digits matches a command or mark before a digit. TeX takes one digit of \frac12, treeblood a number.
var digits = regexp.MustCompile(`(\\[dt]?frac|\\binom|\\sqrt|[_^])\s*(\d)(\d)?`)

var label = regexp.MustCompile(`\\label\s*\{[^{}]*\}`)

// comment matches a comment with its line break, or a backslash with the character after it. Treeblood loses its place
// at comments, so that it reads the text after them again.
var comment = regexp.MustCompile(`(\\(?s:.))|%[^\n]*\n?`)

// environment matches the beginning or end of an environment.
var environment = regexp.MustCompile(`\\(begin|end)\s*\{\s*([^{}]*?)\s*\}`)

// environments maps the environments that can be set to those that treeblood knows, or to none.
var environments = map[string]string{"smallmatrix": "matrix", "dcases": "cases", "align*": "align", "split": "aligned",
	"gather": "matrix", "gather*": "matrix", "gathered": "matrix", "equation": "", "equation*": "", "matrix": "matrix",
	"pmatrix": "pmatrix", "bmatrix": "bmatrix", "Bmatrix": "Bmatrix", "vmatrix": "vmatrix", "Vmatrix": "Vmatrix",
	"array": "array", "cases": "cases", "align": "align", "aligned": "aligned"}

// slots holds a place for each formula that is being set. One that does not end keeps its place. When all are taken by
// such formulas, the others are shown as they were typed, each after maxWait.
var slots = make(chan struct{}, 4)

// Set returns the formula as an element <math>, with its TeX and its marks as an annotation, or false if it cannot be
// set within a time.
func Set(tex string, display bool, within time.Duration) (element string, ok bool) {
	prepared, ok := prepare(tex)
	if !ok {
		return "", false
	}
	timeout := time.NewTimer(within)
	defer timeout.Stop()
	select {
	case slots <- struct{}{}:
	case <-time.After(min(within, maxWait)):
		return "", false
	}
	done, result := make(chan struct{}), ""
	go func() {
		defer func() {
			_ = recover() // treeblood panics at formulas that it did not foresee
			<-slots
			close(done)
		}()
		result = set(prepared, tex, display)
	}()
	select {
	case <-done:
		return result, result != ""
	case <-timeout.C:
		return "", false
	}
}

// prepare rewrites what treeblood does not set as TeX does. It returns false if the formula is beyond the limits or has
// something that cannot be set.
func prepare(tex string) (prepared string, ok bool) {
	strange := func(r rune) bool { return !unicode.IsGraphic(r) && r != '\n' && r != '\t' }
	if ok = len(tex) <= MaxTeX && utf8.ValidString(tex) && !strings.ContainsFunc(tex, strange); !ok {
		return "", false
	}
	tex = comment.ReplaceAllString(tex, "$1")
	tex = environment.ReplaceAllStringFunc(label.ReplaceAllString(tex, ""), func(found string) string {
		parts := environment.FindStringSubmatch(found)
		name, known := environments[parts[2]]
		if ok = ok && known; name == "" {
			return " "
		}
		return `\` + parts[1] + "{" + name + "}"
	})
	tex = command.ReplaceAllStringFunc(tex, func(found string) string {
		return `\` + cmp.Or(aliases[found[1:]], found[1:])
	})
	tex = digits.ReplaceAllStringFunc(tex, func(found string) string {
		parts := digits.FindStringSubmatch(found)
		if name := strings.TrimLeft(parts[1], `\_^`); parts[3] != "" && name != "" && name != "sqrt" {
			return parts[1] + "{" + parts[2] + "}{" + parts[3] + "}"
		}
		return parts[1] + "{" + parts[2] + "}" + parts[3]
	})
	return strings.ReplaceAll(tex, "~", `\ `), ok && !refused.MatchString(tex)
}

// set returns the element of a formula, or nothing if it cannot be set.
func set(tex, typed string, display bool) string {
	tokens, err := tokenize([]rune(tex))
	if err != nil || !nested(tokens) {
		return ""
	}
	const root = 1 // a context of treeblood
	w, mark := writer{}, "$"
	w.WriteString("<math")
	if display {
		w.WriteString(` display="block"`)
		mark = "$$"
	}
	w.WriteString("><semantics>")
	w.node(treeblood.NewPitziil().ParseTex(treeblood.NewTokenBuffer(tokens), root), true)
	w.WriteString(`<annotation encoding="application/x-tex">` + html.EscapeString(mark+typed+mark) +
		"</annotation></semantics></math>")
	if w.failed || !w.shows {
		return ""
	}
	return w.String()
}

// notPrinted is the property of a node of treeblood that only carries information.
const notPrinted = 2

// ordinary removes selectors of variants, which some fonts show as boxes.
var ordinary = strings.NewReplacer("\uFE00", "", "\uFE01", "")

// operands are the elements with a fixed number of children.
var operands = map[string]int{"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "msubsup": 3, "munder": 2, "mover": 2,
	"munderover": 3}

// Elements are the elements that Set writes, each with its attributes.
var Elements = map[string][]string{"math": {"display"}, "semantics": nil,
	"annotation": {"encoding"}, "mrow": nil, "mi": {"mathvariant"}, "mn": nil, "mtext": nil,
	"mo": {"form", "fence", "stretchy", "symmetric", "largeop", "movablelimits", "lspace", "rspace", "scriptlevel",
		"minsize"},
	"mspace": {"width"}, "mfrac": {"linethickness", "displaystyle"}, "msqrt": nil, "mroot": nil, "msub": nil,
	"msup": nil, "msubsup": nil, "munder": {"accentunder"}, "mover": {"accent"}, "munderover": nil,
	"mmultiscripts": nil, "mprescripts": nil, "mstyle": {"displaystyle", "scriptlevel", "mathsize"},
	"mpadded": {"lspace", "voffset", "width"}, "mtable": {"displaystyle"}, "mtr": nil,
	"mtd": {"columnalign", "rowspan", "columnspan"}}

// AttributeValue matches the values of all attributes that Set writes.
var AttributeValue = regexp.MustCompile(
	`^(application/x-tex|true|false|prefix|infix|postfix|block|normal|left|right|center|[1-9]?\d|-[1-4]|` +
		`-?\d{0,3}(\.\d{1,8})?(em|ex|%))$`)

// writer writes the nodes that treeblood made.
type writer struct {
	strings.Builder
	failed bool
	shows  bool // it has text
	depth  int
}

// node writes a node. A nil node, and one that is not printed, is empty: it has an element only if its parent needs
// one.
func (w *writer) node(n *treeblood.MMLNode, needed bool) {
	switch {
	case w.failed:
		return
	case w.Len() > maxOutput, w.depth > maxNesting:
		w.failed = true
		return
	case n == nil || n.Properties&notPrinted != 0 || n.Tag == "" || n.Tag == "none":
		if needed || n != nil && n.Tag == "none" {
			w.WriteString("<mrow></mrow>")
		}
		return
	}
	tag, values := n.Tag, maps.Clone(n.Attrib)
	text := ordinary.Replace(html.UnescapeString(n.Text))
	if isName(text) && (tag == "mi" || tag == "mo" && values["rspace"] == "0") { // browsers set mi without spaces
		tag, values["lspace"], values["rspace"] = "mo", "0.11em", "0.17em"
	}
	attributes, known := Elements[tag]
	if !known || !expressible(n, text) {
		w.failed = true
		return
	}
	if tag == "mtd" && values["columnalign"] == "" {
		values["columnalign"] = n.CSS["text-align"]
	}
	if tag == "munder" {
		values["accentunder"] = values["accent"]
	}
	w.WriteString("<" + tag)
	for _, name := range attributes {
		if value := values[name]; value != "" && AttributeValue.MatchString(value) {
			w.WriteString(" " + name + `="` + value + `"`)
		}
	}
	w.WriteString(">")
	if len(n.Children) == 0 {
		w.shows = w.shows || strings.TrimSpace(text) != ""
		w.WriteString(html.EscapeString(text))
	}
	w.depth++
	for i, child := range n.Children {
		w.node(child, i < operands[n.Tag])
	}
	w.depth--
	for i := len(n.Children); i < operands[n.Tag]; i++ {
		w.node(nil, true)
	}
	w.WriteString("</" + tag + ">")
}

// isName reports whether a text is the name of a function.
func isName(text string) bool {
	return len(text) > 1 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// expressible reports whether browsers show all that a node means. They do not break lines, and draw no lines in
// tables.
func expressible(n *treeblood.MMLNode, text string) bool {
	_, breaks := n.Attrib["linebreak"]
	leaf := n.Tag == "mi" || n.Tag == "mn" || n.Tag == "mo" || n.Tag == "mtext"
	return !breaks && (n.Tag != "mo" || text != `\`) &&
		(leaf || len(n.Children) > 0 || strings.TrimSpace(text) == "") &&
		strings.ReplaceAll(strings.ReplaceAll(n.Attrib["columnlines"], "none", ""), " ", "") == ""
}
