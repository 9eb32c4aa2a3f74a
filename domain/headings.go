package domain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// headingID begins the id of every heading that a user wrote, so that none is that of
// a part of the page.
const headingID = "h-"

// Section is a part of a text, as its table of contents has it.
type Section struct {
	ID       string // of its heading on the page
	Title    string
	Sections []Section
}

// A text has a table of contents from so many headings and minutes of reading on. Where there are
// more headings than a reader looks through, those below the first level are left out.
const (
	contentsHeadings = 3
	contentsMinutes  = 3
	contentsMost     = 60
)

// named is a heading with its text.
type named struct {
	level     int
	id, title string
}

// nameHeadings gives headings ids made of their texts. The same text gets the same id
// in every rendering, and a number from the second time on.
func nameHeadings(headings []*ast.Heading, source []byte) []named {
	var all []named
	used, count := map[string]bool{}, map[string]int{}
	for _, h := range headings {
		title := headingText(h, source)
		base := slugOf(title)
		if base == "" {
			base = "section"
		}
		id := base
		for used[id] {
			count[base]++
			id = base + "-" + strconv.Itoa(count[base]+1)
		}
		used[id] = true
		h.SetAttributeString("id", []byte(headingID+id))
		h.SetAttributeString("title", title)
		all = append(all, named{h.Level, headingID + id, title})
	}
	return all
}

// headingText is what a heading says, without footnotes.
func headingText(h ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(h, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() == extensionast.KindFootnoteLink {
			return ast.WalkSkipChildren, nil
		}
		if entering {
			writeInline(&b, n, source)
		}
		return ast.WalkContinue, nil
	})
	return oneLine(b.String())
}

func unescaped(n *ast.Text, source []byte) []byte {
	value := n.Value(source)
	if n.IsRaw() {
		return value
	}
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
}

// contents is the table of contents of a text, nil when it needs none.
func contents(headings []named, length Length) []Section {
	headings = slices.DeleteFunc(slices.Clone(headings), func(h named) bool { return h.title == "" })
	if len(headings) < contentsHeadings || length.Minutes() < contentsMinutes {
		return nil
	}
	if len(headings) > contentsMost {
		headings = slices.DeleteFunc(headings, func(h named) bool { return h.level > topOfPost })
		headings = headings[:min(len(headings), contentsMost)]
	}
	return nest(headings)
}

// nest puts each heading that ranks lower below the one before it.
func nest(headings []named) []Section {
	var sections []Section
	for len(headings) > 0 {
		first := headings[0]
		below := slices.IndexFunc(headings[1:], func(h named) bool { return h.level <= first.level })
		if below < 0 {
			below = len(headings) - 1
		}
		sections = append(sections, Section{first.id, undirected(first.title), nest(headings[1 : 1+below])})
		headings = headings[1+below:]
	}
	return sections
}
