package markup

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// Limits of the work that parsing HTML takes. A parser repeats the elements for formatting that a block left open in
// each following block, and copies a text to which it adds a further one.
const (
	maxRepeated = 10_000   // elements; and one for each two bytes
	maxCopied   = 16 << 20 // bytes; and maxCopies for each byte
	maxCopies   = 200
)

// errHTML is the fault of HTML that the parser refuses or that would take too much work.
func errHTML(cause error) error {
	return portable.NewFault(locale.M("its HTML is not understood"), cause)
}

var errMultiplies = errors.New("its unclosed elements would be repeated too often")

// parseCost computes bounds of the work of parsing HTML from its tags. HTML in which each tag is closed takes none.
type parseCost struct {
	open     []openTag
	families map[string]int // the number of open elements for formatting, by their tags
	active   int            // the cost of repeating all of them
	repeated int            // elements
	copied   int            // bytes
	run      int            // bytes of text that the parser may join into one
	stray    int            // bytes of text between the cells of tables, which the parser may join before the table
	root     int            // attributes of <html> and <body>, which the parser merges
	inTable  bool           // after the start of a table, before the next end of one
	between  bool           // in a table, outside of its cells
	// strange counts the open elements within which the parser ignores tags or reads them by other rules. Within them a
	// tag only ends the last element, because the parser may ignore others. A picture with HTML in it never ends.
	strange int
}

// openTag is an element that has not been closed.
type openTag struct {
	name   atom.Atom
	family string // of an element for formatting: its tag
	cost   int
}

// checkHTML returns an error if parsing some HTML would take too much work: see parseCost.
func checkHTML(source string) error {
	c := parseCost{families: make(map[string]int)}
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return nil
		case html.TextToken:
			c.text(z.Raw())
		case html.CommentToken:
			c.settle(0)
		case html.StartTagToken, html.SelfClosingTagToken:
			raw := string(z.Raw())
			name, _ := z.TagName()
			if c.start(atom.Lookup(name), raw); c.strange > 0 {
				z.NextIsNotRawText()
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			c.end(atom.Lookup(name))
		}
		if c.repeated > maxRepeated+len(source)/2 || c.copied > maxCopied+maxCopies*len(source) {
			return errMultiplies
		}
	}
}

func (c *parseCost) text(raw []byte) {
	c.copied += c.run
	c.run += len(raw)
	if c.between && len(bytes.TrimSpace(raw)) > 0 {
		c.copied += c.stray
		c.stray += len(raw)
	}
}

func (c *parseCost) start(name atom.Atom, raw string) {
	if n := len(c.open); c.strange > 0 && n > 0 && holdsHTML(c.open[n-1].name) {
		c.strange++
	}
	if strings.HasSuffix(raw, "/>") && (name == atom.Svg || name == atom.Math ||
		c.strange > 0 && (name == 0 || name == atom.Image)) {
		name = atom.Img // an empty element
	}
	switch name {
	case atom.Html, atom.Body:
		c.root += 1 + strings.Count(raw, " ")
		c.copied += 64 * c.root
		return
	case atom.Br, atom.Img, atom.Hr, atom.Input, atom.Wbr, atom.Source, atom.Embed, atom.Param, atom.Meta, atom.Link,
		atom.Area, atom.Track, atom.Base:
		c.settle(name)
		return
	case atom.A, atom.P, atom.Li, atom.Dt, atom.Dd, atom.Tr, atom.Td, atom.Th: // they close the one before
		c.end(name)
	case atom.Table:
		c.inTable, c.between = true, true
	case atom.Svg, atom.Math, atom.Template, atom.Frameset:
		c.strange++
	}
	if ignorable(name) {
		c.between = c.inTable && !isCell(name)
	}
	c.settle(name)
	if !formats(name) {
		c.repeated += c.active
		c.open = append(c.open, openTag{name: name})
	} else if c.families[raw] < 3 || c.strange > 0 { // the parser repeats at most three with the same attributes
		c.families[raw]++
		tag := openTag{name, raw, 1 + len(raw)/64}
		c.active += tag.cost
		c.open = append(c.open, tag)
	}
}

// end closes an element. It counts as open if another element within it may let the parser ignore the tag. If more
// elements count as open than the parser allows, it has closed some of them, and may ignore the tag.
func (c *parseCost) end(name atom.Atom) {
	switch {
	case name == atom.Table, name == atom.Template:
		c.between = false
		defer func() { c.inTable = false }()
	case ignorable(name):
		c.between = c.inTable
	}
	c.repeated += c.active
	for i := len(c.open) - 1; i >= max(0, len(c.open)-mostOpen); i-- {
		switch tag := c.open[i]; {
		case tag.name == name:
			ends := isCell(name) && c.inTable && c.strange == 0 // the parser repeats nothing after a cell
			if len(c.open) <= mostOpen {
				c.settle(name)
			}
			if name == atom.Svg || name == atom.Math || name == atom.Template {
				c.strange--
			}
			c.open = append(c.open[:i], slices.DeleteFunc(c.open[i:], func(t openTag) bool {
				gone := t.family == "" || t == tag || ends
				if gone && t.family != "" {
					c.families[t.family]--
					c.active -= t.cost
				}
				return gone
			})...)
			return
		case c.strange > 0, tag.family == "" && (formats(name) || !mayStayOpen(tag.name, name)):
			return
		}
	}
}

// mostOpen is the number of open elements above which the parser refuses HTML.
const mostOpen = 512

// settle ends a run of text, if a tag certainly begins or ends an element. The parser ignores a form in a form.
func (c *parseCost) settle(name atom.Atom) {
	if c.strange == 0 && name != atom.Form && (!ignorable(name) || c.inTable) {
		c.run = 0
	}
}

// holdsHTML reports whether there may be HTML in an element of a picture or a formula.
func holdsHTML(name atom.Atom) bool {
	switch name {
	case atom.Desc, atom.Foreignobject, atom.ForeignObject, atom.Title, atom.AnnotationXml, atom.Mi, atom.Mn, atom.Mo,
		atom.Ms, atom.Mtext:
		return true
	}
	return false
}

// formats reports whether the parser repeats an element in the blocks after it until it is closed.
func formats(name atom.Atom) bool {
	switch name {
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike,
		atom.Strong, atom.Tt, atom.U:
		return true
	}
	return false
}

// ignorable reports whether the parser ignores a tag outside of tables.
func ignorable(name atom.Atom) bool {
	switch name {
	case atom.Head, atom.Frame, atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Th,
		atom.Thead, atom.Tr:
		return true
	}
	return false
}

func isCell(name atom.Atom) bool { return name == atom.Td || name == atom.Th || name == atom.Caption }

// mayStayOpen reports whether the end of an element outside of it also ends an element.
func mayStayOpen(name, outside atom.Atom) bool {
	switch name {
	case atom.P, atom.Li, atom.Dt, atom.Dd, atom.Option, atom.Rt, atom.Rp:
		return true
	case atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption, atom.Colgroup:
		return outside == atom.Table || outside == atom.Tr || outside == atom.Tbody || outside == atom.Thead ||
			outside == atom.Tfoot
	}
	return false
}

// Limits of quotes and lists in each other. Markdown repeats their marks on each line.
const (
	maxQuotes = 16     // levels; the elements of deeper ones are removed, and their texts stay
	maxMarked = 20_000 // the sum of the levels of all elements; and one for each eight bytes of the tree
)

// quotes are the levels of quotes and lists in a tree.
type quotes struct {
	marked, size int
	removed      bool
}

// limit removes the elements of quotes and lists within a node that are nested too deeply.
func (q *quotes) limit(n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; {
		next, inside := c.NextSibling, depth
		q.size += 8 + len(c.Data)
		q.marked += depth
		switch c.Data {
		case "ul", "ol", "li", "blockquote":
			if c.Data == "li" || c.Data == "blockquote" {
				inside++
			}
			if c.Type == html.ElementNode && depth == maxQuotes {
				if next = c.FirstChild; next == nil {
					next = c.NextSibling
				}
				Unwrap(c)
				q.removed = true
				c = next
				continue
			}
		}
		q.limit(c, inside)
		c = next
	}
}
