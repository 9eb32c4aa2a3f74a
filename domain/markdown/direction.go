package markdown

import (
	"cmp"
	"strings"

	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"inkfeed/domain/plaintext"
)

// direction is that of a block.
type direction struct {
	prose, all string // of the first letter in prose, and of the first letter of all: "rtl", "ltr" or ""
	right      bool   // there are right-to-left letters
}

// attribute returns the direction, or "" for a block without right-to-left letters.
func (d direction) attribute() string {
	if !d.right {
		return ""
	}
	return cmp.Or(d.prose, d.all)
}

// setDirections gives blocks that contain right-to-left letters the direction of their first letter outside code, links
// and quotations: see plaintext.DirectionOfProse. Browsers would take the first letter of all. Other paragraphs and
// headings get no direction; other lists, quotations and tables get "auto", the browser's choice.
func setDirections(n ast.Node, source []byte) (whole direction) {
	if first := n.FirstChild(); first != nil && first.Type() == ast.TypeInline {
		return setTextDirection(n, source)
	}
	parts := map[ast.Node]string{}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		part := setDirections(child, source)
		parts[child] = part.attribute()
		whole.all, whole.right = cmp.Or(whole.all, part.all), whole.right || part.right
		if child.Kind() != ast.KindBlockquote {
			whole.prose = cmp.Or(whole.prose, part.prose)
		}
	}
	attribute := whole.attribute()
	switch n.(type) {
	case *ast.List, *ast.Blockquote, *extensionast.Table, *extensionast.DefinitionList:
		setDirection(n, cmp.Or(attribute, "auto"))
		for child, part := range parts {
			// Other items keep their markers on the side of the list.
			if child.Kind() == ast.KindListItem && part != "" && part == attribute {
				setDirection(child, attribute)
			}
		}
	}
	return whole
}

// setTextDirection is setDirections for a block of words.
func setTextDirection(n ast.Node, source []byte) direction {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case beyondProse(n):
			return ast.WalkSkipChildren, nil
		case n.Kind() == ast.KindLink, n.Kind() == kindMention:
			b.WriteByte(0)
		case entering:
			writeInline(&b, n, source)
		}
		return ast.WalkContinue, nil
	})
	text := b.String()
	first := plaintext.FirstDirection(text)
	found := direction{first, first, plaintext.HasRightToLeft(text)}
	if found.right {
		found.prose = plaintext.DirectionOfProse(text)
	}
	attribute := found.attribute()
	if attribute != "" && (n.Kind() == ast.KindParagraph || n.Kind() == ast.KindHeading) {
		setDirection(n, attribute)
	}
	return found
}

func setDirection(n ast.Node, direction string) { n.SetAttributeString("dir", []byte(direction)) }

// writeDirection writes the attribute of a direction that was set.
func writeDirection(w util.BufWriter, n ast.Node) {
	if direction, ok := n.AttributeString("dir"); ok {
		_, _ = w.WriteString(` dir="` + string(direction.([]byte)) + `"`)
	}
}
