package picture

import (
	"encoding/xml"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"inkfeed/domain"
	"inkfeed/domain/throttle"
)

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?(?:\*/|$)`)
	cssImport  = regexp.MustCompile(`(?i)@(?:import|charset|namespace)[^;]*;?`)
	cssFont    = regexp.MustCompile(`(?is)@font-face\s*\{[^}]*\}?`)
	cssURL     = regexp.MustCompile(`(?i)\b(?:url|src|image|image-set|cross-fade|element|paint)\s*\([^)]*\)?`)
	cssCostly  = regexp.MustCompile(`(?i)(?:-\w+-)?` +
		`\b(?:filter|backdrop-filter|animation|transition|behavior|binding)[\w-]*\s*:[^;}]*`)
	// A variable could refer to something at many places.
	cssCustom = regexp.MustCompile(`(?i)--[\w-]+\s*:[^;}]*\burl[^;}]*`)
	cssRule   = regexp.MustCompile(`([^{}]*)\{([^{}]*)\}`)
	cssLocal  = regexp.MustCompile(`(?i)url\(\s*["']?#([^"')\s]+)`)
)

// cleanCSS removes rules that load something or that keep a browser busy.
func cleanCSS(turn *throttle.Turn, css string) string {
	css = strings.ReplaceAll(css, `\`, "") // escapes could hide addresses and properties
	for _, removed := range []*regexp.Regexp{cssComment, cssImport, cssFont, cssCustom} {
		css = removed.ReplaceAllString(css, "")
		turn.Yield()
	}
	css = cleanURLs(css)
	turn.Yield()
	return cssCostly.ReplaceAllString(css, "")
}

// cleanURLs removes addresses outside the document.
func cleanURLs(value string) string {
	return cssURL.ReplaceAllStringFunc(value, func(s string) string {
		if m := cssLocal.FindStringSubmatch(s); m != nil && strings.HasSuffix(s, ")") {
			return "url(#" + m[1] + ")"
		}
		return "none"
	})
}

// drawnSVG returns the number of elements that a browser draws when it follows all references: each use of an
// element, and each pattern, marker, mask and clip. It returns more than any limit if an element refers to
// itself, or if there are more than maxSVGReferences to look at.
func drawnSVG(turn *throttle.Turn, root *svgNode) int {
	c := svgCost{turn: turn, ids: make(map[string]*svgNode), rules: make(map[svgSubject][]*references),
		costs: make(map[*svgNode]int)}
	c.collect(root)
	return c.of(root)
}

type svgCost struct {
	turn   *throttle.Turn
	ids    map[string]*svgNode
	rules  map[svgSubject][]*references // of style sheets
	costs  map[*svgNode]int             // -1 while the cost is being determined
	looked int                          // references looked at so far, including those in selectors of rules
}

// svgSubject are the elements to which a rule of a style sheet applies.
type svgSubject struct {
	kind, name string // ".": a class, "#": an id, "": elements of that name, all if there is none
}

// references are the ids to which an element refers: once, as for a mask, or also from each element within it that
// inherits the reference, as for a fill.
type references struct{ once, inherited []string }

func (r *references) declare(property, value string) {
	for _, m := range cssLocal.FindAllStringSubmatch(value, -1) {
		switch strings.TrimSpace(property) {
		case "clip-path", "mask":
			r.once = append(r.once, m[1])
		default:
			r.inherited = append(r.inherited, m[1])
		}
	}
}

func (r *references) declareAll(css string) {
	for declaration := range strings.SplitSeq(css, ";") {
		property, value, _ := strings.Cut(declaration, ":")
		r.declare(property, value)
	}
}

var cssSubject = regexp.MustCompile(`([.#]?)([\w-]+)[^\s>+~]*$`)

func (c *svgCost) collect(n *svgNode) {
	c.turn.Yield()
	if id := n.attr("id"); id != "" && c.ids[id] == nil {
		c.ids[id] = n
	}
	if n.name == "style" {
		c.collectRules(n.css())
	}
	for _, child := range n.children {
		c.collect(child)
	}
}

// collectRules collects the rules of a style sheet that refer to elements.
func (c *svgCost) collectRules(css string) {
	for _, m := range cssRule.FindAllStringSubmatch(css, -1) {
		refers := new(references)
		if refers.declareAll(m[2]); len(refers.once)+len(refers.inherited) == 0 {
			continue
		}
		for selector := range strings.SplitSeq(m[1], ",") {
			if c.looked++; c.isUsedUp() {
				return
			}
			var subject svgSubject
			s := cssSubject.FindStringSubmatch(strings.TrimSpace(selector))
			if s != nil && !strings.ContainsAny(selector, ":[(*") {
				subject = svgSubject{s[1], s[2]}
			}
			c.rules[subject] = append(c.rules[subject], refers)
		}
	}
}

// isUsedUp reports whether there are too many references to look at all.
func (c *svgCost) isUsedUp() bool { return c.looked > maxSVGReferences }

// tooMuch is more than any limit. Sums of it do not overflow.
const tooMuch = math.MaxInt32 // its square fits into an int

func (c *svgCost) of(n *svgNode) int {
	c.turn.Yield()
	switch cost, known := c.costs[n]; {
	case cost < 0, c.isUsedUp():
		return tooMuch
	case known:
		return cost
	case n.name == "", n.name == "linearGradient", n.name == "radialGradient":
		return 0
	}
	c.costs[n] = -1
	cost, inherited, once := 1, 0, 0
	for _, child := range n.children {
		cost = min(tooMuch, cost+c.of(child))
	}
	if href := n.attr("href"); href != "" {
		cost = min(tooMuch, cost+c.sum([]string{strings.TrimPrefix(href, "#")}))
	}
	for refers := range c.refersTo(n) {
		inherited = min(tooMuch, inherited+c.sum(refers.inherited))
		once = min(tooMuch, once+c.sum(refers.once))
		if c.isUsedUp() {
			return tooMuch
		}
	}
	cost = min(tooMuch, min(tooMuch, cost*(1+inherited))+once)
	c.costs[n] = cost
	return cost
}

// sum returns the total cost of the elements with some ids.
func (c *svgCost) sum(ids []string) (cost int) {
	for _, id := range ids {
		if c.looked++; c.isUsedUp() {
			return tooMuch
		}
		if target := c.ids[id]; target != nil {
			cost = min(tooMuch, cost+c.of(target))
		}
	}
	return cost
}

// refersTo returns the references of an element in its attributes and in style sheets.
func (c *svgCost) refersTo(n *svgNode) iter.Seq[*references] {
	return func(yield func(*references) bool) {
		own := new(references)
		for _, a := range n.attrs {
			switch {
			case !strings.Contains(a.Value, "url("):
			case a.Name.Local == "style":
				own.declareAll(a.Value)
			default:
				own.declare(a.Name.Local, a.Value)
			}
		}
		if !yield(own) {
			return
		}
		subjects := []svgSubject{{}, {"", n.name}, {"#", n.attr("id")}}
		for class := range strings.FieldsSeq(n.attr("class")) {
			subjects = append(subjects, svgSubject{".", class})
		}
		for _, subject := range subjects {
			for _, refers := range c.rules[subject] {
				if !yield(refers) {
					return
				}
			}
		}
	}
}

// Default size of an SVG without a size, as in browsers.
const (
	svgWidth  = 300
	svgHeight = 150
)

// scaleSVG sets the size of the picture in whole pixels, which pages need for their layout, and a viewBox, so that it
// can be scaled.
func (n *svgNode) scaleSVG() (width, height int) {
	box := strings.FieldsFunc(n.attr("viewBox"),
		func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' })
	boxWidth, boxHeight := 0.0, 0.0
	if len(box) == 4 {
		boxWidth, boxHeight = pixels(box[2]), pixels(box[3])
	}
	w, h := pixels(n.attr("width")), pixels(n.attr("height"))
	hasBox := boxWidth > 0 && boxHeight > 0
	switch {
	case w > 0 && h > 0:
	case hasBox && w > 0:
		h = w * boxHeight / boxWidth
	case hasBox && h > 0:
		w = h * boxWidth / boxHeight
	case hasBox:
		w, h = boxWidth, boxHeight
	default:
		w, h = max(w, svgWidth), max(h, svgHeight)
	}
	viewBox := strings.Join(box, " ")
	if !hasBox {
		viewBox = "0 0 " + number(w) + " " + number(h)
	}
	scale := min(1, domain.MaxImageWidth/max(w, h))
	width, height = max(1, int(math.Round(w*scale))), max(1, int(math.Round(h*scale)))
	n.attrs = slices.DeleteFunc(n.attrs, func(a xml.Attr) bool {
		return a.Name.Local == "width" || a.Name.Local == "height" || a.Name.Local == "viewBox"
	})
	size := [][2]string{{"width", strconv.Itoa(width)}, {"height", strconv.Itoa(height)}, {"viewBox", viewBox}}
	for _, a := range size {
		n.attrs = append(n.attrs, xml.Attr{Name: xml.Name{Local: a[0]}, Value: a[1]})
	}
	return width, height
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// pixels returns a length in CSS pixels, or 0 for a length that depends on the surroundings of the picture.
func pixels(length string) float64 {
	length = strings.TrimSpace(length)
	factor := 1.0
	units := map[string]float64{"px": 1, "pt": 4.0 / 3, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96,
		"em": 16, "rem": 16, "ex": 8}
	for unit, size := range units {
		if trimmed, ok := strings.CutSuffix(length, unit); ok && (unit != "em" || !strings.HasSuffix(trimmed, "r")) {
			length, factor = trimmed, size
			break
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(length), 64)
	if err != nil || !(v > 0) || v*factor > 1e9 {
		return 0
	}
	return v * factor
}
