package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain"
	"inkfeed/domain/throttle"
)

// Limits of an SVG. They bound the cost of parsing it here and of drawing it in a browser.
const (
	maxSVG         = 4 << 20 // bytes of the file, and of the result
	maxSVGElements = 50_000
	maxSVGDepth    = 100
	maxSVGDrawn    = 500_000 // elements that are drawn once all references are followed
	// maxSVGReferences is the maximum number of selectors, rules for each element, and references that are looked at to
	// count the drawn elements. It also bounds the time in which a browser applies a style sheet.
	maxSVGReferences = 500_000
	maxSVGEntities   = 50
)

const svgNamespace = "http://www.w3.org/2000/svg"

// isSVG reports whether a file is an SVG, judging by its beginning.
func isSVG(file []byte) bool {
	head := bytes.TrimPrefix(file[:min(len(file), 4<<10)], []byte("\xef\xbb\xbf"))
	head = bytes.TrimLeft(head, " \t\r\n")
	return bytes.HasPrefix(head, []byte("<svg")) ||
		(bytes.HasPrefix(head, []byte("<?xml")) || bytes.HasPrefix(head, []byte("<!"))) && svgStart.Match(head)
}

var svgStart = regexp.MustCompile(`<(?:!DOCTYPE\s+)?(?:\w+:)?svg[\s>]`)

// svgNode is an element of an SVG or, without a name, a text.
type svgNode struct {
	name     string
	attrs    []xml.Attr
	refers   []reference // of its attributes and style
	rules    []svgRule   // of a style sheet
	parent   *svgNode
	children []*svgNode
	text     string
}

func (n *svgNode) has(name string) bool {
	return slices.ContainsFunc(n.attrs, func(a xml.Attr) bool { return a.Name.Local == name })
}

func (n *svgNode) attr(name string) string {
	for _, a := range n.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// keepSVG makes a picture of an SVG by writing anew the elements and attributes that draw. It drops scripts,
// links, animations, filters and references to other files. It refuses an SVG with pictures or HTML in it,
// which would look different without them.
func keepSVG(turn *throttle.Turn, userID string, file []byte) (Picture, error) {
	if len(file) > maxSVG {
		return Picture{}, invalid("This SVG is {size} MB. The limit is {most} MB. Save it as a PNG.",
			"size", float64(len(file))/(1<<20), "most", maxSVG>>20)
	}
	root, err := readSVG(turn, file)
	if err != nil {
		return Picture{}, err
	}
	if !root.isDrawable(turn) {
		return Picture{}, invalid(
			"This SVG takes too long to draw because its parts refer to each other too often. Save it as a PNG.")
	}
	width, height := root.scaleSVG()
	var out bytes.Buffer
	root.write(&out)
	if out.Len() > maxSVG {
		return Picture{}, errSVGSize
	}
	name := domain.NewImageName(userID, out.Bytes(), width, height, domain.ExtSVG)
	return Picture{Name: name, Files: []File{{name.String(), out.Bytes()}}}, nil
}

var (
	errSVGElements = invalid("This SVG has more than {n} elements. Save it as a PNG.", "n", maxSVGElements)
	errSVGDepth    = invalid("The elements of this SVG nest deeper than {n} levels. Save it as a PNG.", "n",
		maxSVGDepth)
	errSVGSize = invalid("This SVG is too large after processing. The limit is {most} MB. Save it as a PNG.", "most",
		maxSVG>>20)
	errSVGPicture = invalid("This SVG contains a picture. Save it as a PNG.")
	errSVGHTML    = invalid("This SVG contains HTML, which few programs show. Save it as a PNG.")
)

var (
	svgEntity  = regexp.MustCompile(`<!ENTITY\s+([\w.-]+)\s+(?:"([^"&<%]{0,200})"|'([^'&<%]{0,200})')\s*>`)
	svgEntity2 = regexp.MustCompile(`<!ENTITY`)
)

// readSVG parses a file and returns the allowed elements.
func readSVG(turn *throttle.Turn, file []byte) (root *svgNode, err error) {
	d := xml.NewDecoder(turn.Reader(bytes.NewReader(file)))
	var open []*svgNode
	skipped, elements := 0, 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, damaged(err)
		}
		switch token := token.(type) {
		case xml.Directive:
			if d.Entity != nil {
				return nil, damaged(errors.New("the SVG has a second document type"))
			}
			if d.Entity, err = entitiesOf(file, append([]byte("<!"), token...)); err != nil {
				return nil, err
			}
		case xml.StartElement:
			if elements++; elements > maxSVGElements {
				return nil, errSVGElements
			}
			depth := len(open) + skipped
			switch {
			case depth >= maxSVGDepth:
				return nil, errSVGDepth
			case skipped > 0:
				skipped++
				continue
			}
			n, err := newSVGNode(turn, token)
			if err != nil {
				return nil, err
			}
			if root == nil && (n == nil || n.name != "svg") || root != nil && len(open) == 0 {
				return nil, damaged(errors.New("the root element of the SVG is not svg"))
			}
			if n == nil || n.name == "foreignObject" && len(open) > 0 && open[len(open)-1].name == "switch" {
				skipped++ // in a switch, a text follows for programs that do not show HTML
				continue
			}
			if n.name == "foreignObject" {
				return nil, errSVGHTML
			}
			if root == nil {
				root = n
			} else {
				n.parent = open[len(open)-1]
				n.parent.children = append(n.parent.children, n)
			}
			open = append(open, n)
		case xml.EndElement:
			if skipped > 0 {
				skipped--
			} else if len(open) > 0 {
				if n := open[len(open)-1]; n.name == "style" {
					c := cleanCSS(turn, n.css(), 0)
					n.children, n.rules = []*svgNode{{text: c.sheet.String()}}, c.rules
				}
				open = open[:len(open)-1]
			}
		case xml.CharData:
			if skipped == 0 && len(open) > 0 {
				open[len(open)-1].addText(string(token))
			}
		}
	}
	if root == nil {
		return nil, damaged(errors.New("the SVG is empty"))
	}
	return root, nil
}

// entitiesOf returns the short texts that a document declares as entities, as some programs do for namespaces.
// An entity cannot contain another. The text that replaces all entities of the file is at most maxSVG bytes long.
func entitiesOf(file, directive []byte) (map[string]string, error) {
	found := svgEntity.FindAllSubmatch(directive, maxSVGEntities+1)
	if len(found) > maxSVGEntities || len(found) != len(svgEntity2.FindAll(directive, -1)) {
		return nil, invalid("This SVG uses entities, which we don't support. Save it as a plain SVG or as a PNG.")
	}
	entities, growth := make(map[string]string), 0
	for _, m := range found {
		value := string(m[2]) + string(m[3])
		entities[string(m[1])] = value
		growth += bytes.Count(file, []byte("&"+string(m[1])+";")) * len(value)
	}
	if growth > maxSVG {
		return nil, errSVGSize
	}
	return entities, nil
}

// newSVGNode returns a node for an allowed element, or nil for any other.
func newSVGNode(turn *throttle.Turn, token xml.StartElement) (*svgNode, error) {
	if token.Name.Space != svgNamespace && token.Name.Space != "" && token.Name.Space != "svg" {
		return nil, nil
	}
	n := &svgNode{name: token.Name.Local}
	switch n.name {
	case "image", "feImage":
		return nil, errSVGPicture
	case "foreignObject":
		return n, nil
	case "a": // links in a picture lead nowhere
		n.name = "g"
	default:
		if !slices.Contains(svgElements, n.name) {
			return nil, nil
		}
	}
	// An href without a namespace comes first, since browsers prefer it.
	slices.SortStableFunc(token.Attr, func(a, b xml.Attr) int { return strings.Compare(a.Name.Space, b.Name.Space) })
	for _, a := range token.Attr {
		space, name, value := a.Name.Space, a.Name.Local, strings.TrimSpace(a.Value)
		if space == "xml" || space == "http://www.w3.org/XML/1998/namespace" {
			space, name = "", "xml:"+name
		}
		if n.has(name) {
			continue
		}
		switch {
		case name == "href" && (space == "" || strings.Contains(space, "xlink")):
			if value = "#" + localID(value); value == "#" || token.Name.Local == "a" {
				continue
			}
		case space != "":
			continue
		case name == "xml:space":
		case name == "style":
			c := cleanCSS(turn, value, 1)
			value, n.refers = c.declarations.String(), append(n.refers, c.rule.refers...)
		case drawnBy[name] != 0:
			c := cleanCSS(turn, name+":"+value, 1)
			value = strings.TrimSuffix(strings.TrimPrefix(c.declarations.String(), name+":"), ";")
			n.refers = append(n.refers, c.rule.refers...)
		case slices.Contains(svgAttributes, name):
		default:
			continue
		}
		if value != "" {
			n.attrs = append(n.attrs, xml.Attr{Name: xml.Name{Local: name}, Value: value})
		}
	}
	return n, nil
}

// addText adds text to an element that shows text. Between other elements it keeps nothing but white space.
func (n *svgNode) addText(text string) {
	switch n.name {
	case "style":
		n.children = append(n.children, &svgNode{text: text}) // cleaned when it is complete
	case "text", "tspan", "textPath", "title", "desc":
		n.children = append(n.children, &svgNode{text: text})
	}
}

// css returns the style sheet in a style element.
func (n *svgNode) css() string {
	var b strings.Builder
	for _, c := range n.children {
		b.WriteString(c.text)
	}
	return b.String()
}

func (n *svgNode) write(b *bytes.Buffer) {
	if n.name == "" {
		_ = xml.EscapeText(b, []byte(n.text))
		return
	}
	b.WriteString("<" + n.name)
	if n.name == "svg" {
		b.WriteString(` xmlns="` + svgNamespace + `"`)
	}
	for _, a := range n.attrs {
		b.WriteString(" " + a.Name.Local + `="`)
		_ = xml.EscapeText(b, []byte(a.Value))
		b.WriteByte('"')
	}
	b.WriteByte('>')
	for _, c := range n.children {
		c.write(b)
	}
	b.WriteString("</" + n.name + ">")
}
