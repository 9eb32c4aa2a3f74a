package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"inkfeed/domain/plaintext"
)

// setDirections gives blocks that contain right-to-left letters the direction of most of their letters. Browsers would
// take the direction of the first letter, which is wrong for an Arabic paragraph that begins with a Latin name. Other
// paragraphs and headings get no direction; other lists, quotations and tables get "auto", the browser's choice.
func setDirections(doc *ast.Document, source []byte) {
	directions{source, map[ast.Node]string{}}.letters(doc)
}

type directions struct {
	source []byte
	items  map[ast.Node]string // the directions of list items
}

// letters counts the letters of a node's prose and sets the directions of the blocks in it.
func (d directions) letters(n ast.Node) (sum plaintext.Letters) {
	if beyondProse(n) {
		return sum
	}
	if n.Type() == ast.TypeInline {
		var b strings.Builder
		writeInline(&b, n, d.source)
		sum = plaintext.CountLetters(b.String())
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		sum = sum.Plus(d.letters(child))
	}
	direction := directionOf(sum)
	switch n.(type) {
	case *ast.Paragraph, *ast.Heading:
		if direction != "" {
			setDirection(n, direction)
		}
	case *ast.ListItem:
		d.items[n] = direction
	case *ast.List, *ast.Blockquote, *extensionast.Table, *extensionast.DefinitionList:
		if direction == "" {
			setDirection(n, "auto")
			break
		}
		setDirection(n, direction)
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			if d.items[child] == direction { // other items keep their markers on the side of the list
				setDirection(child, direction)
			}
		}
	}
	return sum
}

func setDirection(n ast.Node, direction string) { n.SetAttributeString("dir", []byte(direction)) }

// writeDirection writes the attribute of a direction that was set.
func writeDirection(w util.BufWriter, n ast.Node) {
	if direction, ok := n.AttributeString("dir"); ok {
		_, _ = w.WriteString(` dir="` + string(direction.([]byte)) + `"`)
	}
}

// directionOf returns the direction of a text, "rtl" or "ltr". It returns "" for a text without right-to-left letters.
func directionOf(l plaintext.Letters) string {
	switch {
	case l.Right == 0:
		return ""
	case l.RightToLeft():
		return "rtl"
	}
	return "ltr"
}
