package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Element returns a new element without attributes.
func Element(name string) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: name, DataAtom: atom.Lookup([]byte(name))}
}

// Rename changes the name of an element.
func Rename(n *html.Node, name string) { n.Data, n.DataAtom = name, atom.Lookup([]byte(name)) }

// Attribute returns the value of an attribute, or "" if the element lacks it.
func Attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// SetAttribute sets the value of an attribute.
func SetAttribute(n *html.Node, name, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

// MoveChildren moves all children of a node to the end of another.
func MoveChildren(from, to *html.Node) {
	for c := from.FirstChild; c != nil; c = from.FirstChild {
		from.RemoveChild(c)
		to.AppendChild(c)
	}
}

// Unwrap replaces a node by its children.
func Unwrap(n *html.Node) {
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		n.RemoveChild(c)
		n.Parent.InsertBefore(c, n)
	}
	n.Parent.RemoveChild(n)
}

// OnlyChild returns the only child of a node, ignoring white space, if it is an element with the given name.
func OnlyChild(n *html.Node, name string) *html.Node {
	var only *html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) == "" {
			continue
		}
		if only != nil || c.Type != html.ElementNode || c.Data != name {
			return nil
		}
		only = c
	}
	return only
}

func onlyIn(n *html.Node, name string) bool { return OnlyChild(n, name) != nil }

func hasText(n *html.Node) bool {
	if n.Type == html.TextNode {
		return strings.TrimSpace(n.Data) != ""
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if hasText(c) {
			return true
		}
	}
	return false
}

// flatten turns the content of a node into a single line.
func flatten(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		if c.Type == html.ElementNode {
			flatten(c)
			switch c.Data {
			case "br", "hr":
				n.InsertBefore(&html.Node{Type: html.TextNode, Data: " "}, c)
				n.RemoveChild(c)
			case "p", "div", "ul", "ol", "li", "pre", "blockquote", "details", "summary", "h1", "h2", "h3", "h4", "h5",
				"h6":
				n.InsertBefore(&html.Node{Type: html.TextNode, Data: " "}, c)
				Unwrap(c)
			}
		} else if c.Type == html.TextNode {
			c.Data = strings.ReplaceAll(c.Data, "\n", " ")
		}
		c = next
	}
}

func firstSource(n *html.Node) string {
	for _, name := range []string{"src", "data-src", "data"} {
		if v := strings.TrimSpace(Attribute(n, name)); v != "" && v != "about:blank" {
			return v
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			if v := firstSource(c); v != "" {
				return v
			}
		}
	}
	return ""
}
