package picture

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"inkfeed/domain"
	"inkfeed/domain/throttle"
)

// isDrawable reports whether a browser draws at most maxSVGDrawn elements when it follows all references: each use of
// an element, and each pattern, marker, mask and clip. It is false if an element refers to itself, or if there are more
// than maxSVGReferences to look at.
func (n *svgNode) isDrawable(turn *throttle.Turn) bool {
	c := svgCost{turn: turn, ids: make(map[string]*svgNode), rules: make(map[string][]svgRule),
		drawings: make(map[*svgNode]drawing)}
	c.collect(n)
	drawn := c.of(n).elements // or NaN, as the product of infinity and zero
	return drawn <= maxSVGDrawn && c.looked <= maxSVGReferences
}

type svgCost struct {
	turn     *throttle.Turn
	ids      map[string]*svgNode
	rules    map[string][]svgRule // of style sheets, by their subjects
	drawings map[*svgNode]drawing // infinite while it is being determined
	looked   int                  // selectors, rules that may match an element, and references looked at so far
}

// drawing is what a browser draws for an element.
type drawing struct{ elements, vertices float64 }

// Kinds of references, by what draws the other element. Elements inherit the first two.
const (
	drawnInside     = iota + 1 // the element, as its fill or stroke
	drawnAtVertices            // at most each vertex of a path
	drawnOnce                  // the element, as its mask or clip, with all elements within it
)

// drawnBy has the kind of the references in a property or attribute.
var drawnBy = map[string]int{"fill": drawnInside, "stroke": drawnInside, "marker": drawnAtVertices,
	"marker-start": drawnAtVertices, "marker-mid": drawnAtVertices, "marker-end": drawnAtVertices,
	"clip-path": drawnOnce, "mask": drawnOnce}

func (c *svgCost) collect(n *svgNode) {
	c.turn.Yield()
	if id := n.attr("id"); id != "" && c.ids[id] == nil {
		c.ids[id] = n
	}
	for _, rule := range n.rules {
		for _, subject := range rule.subjects {
			if c.looked++; c.looked > maxSVGReferences {
				return
			}
			c.rules[subject] = append(c.rules[subject], rule)
		}
	}
	for _, child := range n.children {
		c.collect(child)
	}
}

func (c *svgCost) of(n *svgNode) drawing {
	c.turn.Yield()
	if d, known := c.drawings[n]; known {
		return d
	}
	if n == nil || n.name == "" || n.name == "linearGradient" || n.name == "radialGradient" {
		return drawing{}
	}
	c.drawings[n] = drawing{math.Inf(1), math.Inf(1)}
	// Each vertex but one that closes a path has at least two characters.
	d := drawing{1, 2 + float64(len(n.attr("d"))+len(n.attr("points")))/2}
	for _, part := range append(slices.Clip(n.children), c.ids[strings.TrimPrefix(n.attr("href"), "#")]) {
		drawn := c.of(part)
		d.elements += drawn.elements
		d.vertices += drawn.vertices
	}
	refers := c.sum(n, drawnOnce)
	inside, atVertices, once := 1+refers[drawnInside], refers[drawnAtVertices], refers[drawnOnce]
	if slices.Contains([]string{"pattern", "marker", "mask", "clipPath"}, n.name) {
		for p := n.parent; p != nil; p = p.parent { // they inherit from where they are, not from where they are drawn
			inherited := c.sum(p, drawnAtVertices)
			inside += inherited[drawnInside]
			atVertices += inherited[drawnAtVertices]
		}
	}
	// A marker can be filled like its path, so it is drawn with all that is drawn inside.
	d = drawing{(d.elements+d.vertices*atVertices)*inside + once, d.vertices * inside}
	c.drawings[n] = d
	return d
}

// sum returns for each kind of references up to the last how many elements those of an element draw.
func (c *svgCost) sum(n *svgNode, last int) (sums [drawnOnce + 1]float64) {
	class := n.attr("class")
	if c.looked += 1 + len(class)/64; c.looked > maxSVGReferences {
		return sums
	}
	matching := [][]svgRule{{{refers: n.refers}}, c.rules["*"], c.rules[n.name], c.rules["#"+n.attr("id")]}
	for name := range strings.FieldsFuncSeq(class, func(r rune) bool { return strings.ContainsRune(cssSpace, r) }) {
		matching = append(matching, c.rules["."+name])
	}
	for _, rules := range matching {
		for _, rule := range rules {
			c.looked++
			for _, r := range rule.refers {
				if c.looked++; c.looked > maxSVGReferences {
					return sums
				}
				if r.kind <= last {
					sums[r.kind] += c.of(c.ids[r.id]).elements
				}
			}
		}
	}
	return sums
}

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
		w, h = max(w, 300), max(h, 150) // as in browsers
	}
	viewBox := strings.Join(box, " ")
	if !hasBox {
		viewBox = fmt.Sprintf("0 0 %g %g", w, h)
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

// pixels returns a length in CSS pixels, or 0 for a length that depends on the surroundings of the picture.
func pixels(length string) float64 {
	length = strings.TrimSpace(length)
	digits := strings.TrimRightFunc(length, unicode.IsLetter)
	factor := map[string]float64{"": 1, "px": 1, "pt": 4.0 / 3, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96,
		"em": 16, "rem": 16, "ex": 8}[length[len(digits):]]
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || !(v*factor > 0) || v*factor > 1e9 {
		return 0
	}
	return v * factor
}
