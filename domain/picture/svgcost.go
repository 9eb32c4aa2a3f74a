package picture

import (
	"encoding/xml"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"inkfeed/domain"
)

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?(?:\*/|$)`)
	cssImport  = regexp.MustCompile(`(?i)@(?:import|charset|namespace)[^;]*;?`)
	cssFont    = regexp.MustCompile(`(?is)@font-face\s*\{[^}]*\}?`)
	cssURL     = regexp.MustCompile(`(?i)\b(?:url|src|image|image-set|cross-fade|element|paint)\s*\([^)]*\)?`)
	cssCostly  = regexp.MustCompile(`(?i)(?:-\w+-)?` +
		`\b(?:filter|backdrop-filter|animation|transition|behavior|binding)[\w-]*\s*:[^;}]*`)
	cssCustom = regexp.MustCompile(`(?i)--[\w-]+\s*:[^;}]*\burl[^;}]*`)
	cssRule   = regexp.MustCompile(`([^{}]*)\{([^{}]*)\}`)
	cssLocal  = regexp.MustCompile(`(?i)url\(\s*["']?#([^"')\s]+)`)
)

// cleanCSS removes rules that load something or that keep a browser busy.
func cleanCSS(css string) string {
	css = strings.ReplaceAll(css, `\`, "") // escapes could hide addresses and properties
	css = cssComment.ReplaceAllString(css, "")
	css = cssFont.ReplaceAllString(cssImport.ReplaceAllString(css, ""), "")
	css = cssCustom.ReplaceAllString(css, "") // a variable could refer to something at many places
	return cssCostly.ReplaceAllString(cleanURLs(css), "")
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
// itself.
func drawnSVG(root *svgNode) int {
	c := svgCost{ids: make(map[string]*svgNode), costs: make(map[*svgNode]int)}
	c.collect(root)
	return c.of(root)
}

type svgCost struct {
	ids   map[string]*svgNode
	rules []svgRule
	costs map[*svgNode]int // -1 while the cost is being determined
}

// svgRule is a rule of a style sheet that refers to elements.
type svgRule struct {
	kind, name string // ".": a class, "#": an id, "": elements of that name, all if there is none
	refers     references
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
	if id := n.attr("id"); id != "" && c.ids[id] == nil {
		c.ids[id] = n
	}
	if n.name == "style" {
		for _, m := range cssRule.FindAllStringSubmatch(n.css(), -1) {
			var refers references
			if refers.declareAll(m[2]); len(refers.once)+len(refers.inherited) == 0 {
				continue
			}
			for selector := range strings.SplitSeq(m[1], ",") {
				rule := svgRule{refers: refers}
				s := cssSubject.FindStringSubmatch(strings.TrimSpace(selector))
				if s != nil && !strings.ContainsAny(selector, ":[(*") {
					rule.kind, rule.name = s[1], s[2]
				}
				c.rules = append(c.rules, rule)
			}
		}
	}
	for _, child := range n.children {
		c.collect(child)
	}
}

// tooMuch is more than any limit. Sums of it do not overflow.
const tooMuch = math.MaxInt32 // its square fits into an int

func (c *svgCost) of(n *svgNode) int {
	switch cost, known := c.costs[n]; {
	case cost < 0:
		return tooMuch
	case known:
		return cost
	case n.name == "", n.name == "linearGradient", n.name == "radialGradient":
		return 0
	}
	c.costs[n] = -1
	cost := 1
	for _, child := range n.children {
		cost = min(tooMuch, cost+c.of(child))
	}
	refers := c.refersTo(n)
	if href := n.attr("href"); href != "" {
		cost = min(tooMuch, cost+c.sum([]string{strings.TrimPrefix(href, "#")}))
	}
	cost = min(tooMuch, cost*(1+c.sum(refers.inherited)))
	cost = min(tooMuch, cost+c.sum(refers.once))
	c.costs[n] = cost
	return cost
}

// sum returns the total cost of the elements with some ids.
func (c *svgCost) sum(ids []string) (cost int) {
	for _, id := range ids {
		if target := c.ids[id]; target != nil {
			cost = min(tooMuch, cost+c.of(target))
		}
	}
	return cost
}

// refersTo returns the references of an element in its attributes and in style sheets.
func (c *svgCost) refersTo(n *svgNode) (refers references) {
	for _, a := range n.attrs {
		switch {
		case !strings.Contains(a.Value, "url("):
		case a.Name.Local == "style":
			refers.declareAll(a.Value)
		default:
			refers.declare(a.Name.Local, a.Value)
		}
	}
	classes := strings.Fields(n.attr("class"))
	for _, rule := range c.rules {
		if rule.name == "" || rule.kind == "." && slices.Contains(classes, rule.name) ||
			rule.kind == "#" && n.attr("id") == rule.name || rule.kind == "" && rule.name == n.name {
			refers.once = append(refers.once, rule.refers.once...)
			refers.inherited = append(refers.inherited, rule.refers.inherited...)
		}
	}
	return refers
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
