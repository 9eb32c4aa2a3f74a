package ghost

import (
	"cmp"
	"encoding/json"
	"html"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// mobiledoc is the format of the editors of Ghost 1 to 5: sections of formatted words, and cards.
type mobiledoc struct {
	Cards    [][2]json.RawMessage `json:"cards"`
	Atoms    []atom               `json:"atoms"`
	Markups  []mark               `json:"markups"`
	Sections [][]json.RawMessage  `json:"sections"`
}

// mark is a tag around words, such as that of a link. It is decoded only once, because words may repeat marks.
type mark struct {
	tag  string
	href string // as an attribute
}

// UnmarshalJSON decodes [tag, [name, value, ...]]. A mark that cannot be decoded becomes a span.
func (m *mark) UnmarshalJSON(b []byte) error {
	var parts []json.RawMessage
	_ = json.Unmarshal(b, &parts)
	if len(parts) > 0 {
		_ = json.Unmarshal(parts[0], &m.tag)
	}
	if !isWord(m.tag) {
		m.tag = "span"
	}
	if len(parts) > 1 {
		var attributes []string
		_ = json.Unmarshal(parts[1], &attributes)
		for i := 0; i+1 < len(attributes); i += 2 {
			if attributes[i] == "href" {
				m.href = ` href="` + html.EscapeString(attributes[i+1]) + `"`
			}
		}
	}
	return nil
}

// atom is the HTML of a piece between words, such as a line break.
type atom string

// UnmarshalJSON decodes [name, text, properties].
func (a *atom) UnmarshalJSON(b []byte) error {
	var parts []json.RawMessage
	var name, text string
	if _ = json.Unmarshal(b, &parts); len(parts) > 1 { // an atom that cannot be decoded stays empty
		_, _ = json.Unmarshal(parts[0], &name), json.Unmarshal(parts[1], &text)
	}
	if *a = atom(html.EscapeString(text)); name == "soft-return" {
		*a = "<br>"
	}
	return nil
}

func (d mobiledoc) card(i int) (name string, card cardData) {
	if i >= 0 && i < len(d.Cards) {
		_ = json.Unmarshal(d.Cards[i][0], &name)
		_ = json.Unmarshal(d.Cards[i][1], &card) // a card that cannot be decoded stays empty
	}
	return name, card
}

// markdown returns the text of a post that consists of a single Markdown card.
func (d mobiledoc) markdown() (string, bool) {
	var text string
	found := false
	for _, section := range d.Sections {
		kind, i := sectionOf(section)
		if kind == 10 {
			name, card := d.card(i)
			if found || name != "markdown" && name != "card-markdown" {
				return "", false
			}
			text, found = card.Markdown, true
		} else if strings.TrimSpace(d.section(section)) != "<p></p>" {
			return "", false
		}
	}
	return text, found
}

// sectionOf returns the kind of a section and, for a card section, the index of its card.
func sectionOf(section []json.RawMessage) (kind, card int) {
	kind, card = -1, -1
	if len(section) > 0 {
		_ = json.Unmarshal(section[0], &kind)
	}
	if len(section) > 1 {
		_ = json.Unmarshal(section[1], &card)
	}
	return kind, card
}

func (d mobiledoc) html(t *markup.Translator) string {
	var b strings.Builder
	cards := make(map[int]string) // the HTML of each card, because sections may repeat cards
	for _, section := range d.Sections {
		if b.Len() > portable.MaxText { // the translation refuses such a text
			break
		}
		if kind, i := sectionOf(section); kind == 10 {
			text, made := cards[i]
			if !made {
				name, card := d.card(i)
				text = cardHTML(t, name, card)
				cards[i] = text
			}
			b.WriteString(text)
			continue
		}
		b.WriteString(d.section(section))
	}
	return b.String()
}

// section returns a paragraph, a picture or a list as HTML.
func (d mobiledoc) section(section []json.RawMessage) string {
	kind, _ := sectionOf(section)
	if len(section) < 2 {
		return ""
	}
	var name string
	_ = json.Unmarshal(section[1], &name)
	switch {
	case kind == 2:
		return `<p><img src="` + html.EscapeString(name) + `" alt=""></p>`
	case kind == 1 && len(section) > 2:
		if !isWord(name) {
			name = "p"
		}
		return "<" + name + ">" + d.marked(section[2]) + "</" + name + ">"
	case kind == 3 && len(section) > 2:
		var items []json.RawMessage
		_ = json.Unmarshal(section[2], &items)
		if name != "ol" {
			name = "ul"
		}
		var b strings.Builder
		for _, item := range items {
			if b.Len() > portable.MaxText { // items may repeat marks
				break
			}
			b.WriteString("<li>" + d.marked(item) + "</li>")
		}
		return "<" + name + ">" + b.String() + "</" + name + ">"
	}
	return ""
}

func isWord(s string) bool {
	return s != "" && len(s) < 12 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// marked returns runs of words as HTML. Each run says which marks begin and how many end.
func (d mobiledoc) marked(body json.RawMessage) string {
	var markers [][]json.RawMessage
	_ = json.Unmarshal(body, &markers)
	var b strings.Builder
	var open []string
	for _, m := range markers {
		if len(m) < 4 || b.Len() > portable.MaxText {
			continue
		}
		var begins []int
		var ends int
		var text string
		_ = json.Unmarshal(m[1], &begins)
		_ = json.Unmarshal(m[2], &ends)
		_ = json.Unmarshal(m[3], &text)
		for _, i := range begins {
			if b.Len() > portable.MaxText { // words may repeat marks
				break
			}
			m := mark{tag: "span"}
			if i >= 0 && i < len(d.Markups) {
				m = d.Markups[i]
			}
			b.WriteString("<" + m.tag + m.href + ">")
			open = append(open, m.tag)
		}
		b.WriteString(html.EscapeString(text))
		if n := -1; json.Unmarshal(m[3], &n) == nil && n >= 0 && n < len(d.Atoms) {
			b.WriteString(string(d.Atoms[n]))
		}
		for ; ends > 0 && len(open) > 0; ends-- {
			b.WriteString("</" + open[len(open)-1] + ">")
			open = open[:len(open)-1]
		}
	}
	return b.String()
}

// lexicalNode is a node in the format of Ghost's editor since version 5.
type lexicalNode struct {
	cardData
	Type     string          `json:"type"`
	Tag      string          `json:"tag"`
	ListType string          `json:"listType"`
	Href     string          `json:"href"`
	Text     string          `json:"text"`
	Format   json.RawMessage `json:"format"` // bits for the marks of words; an alignment for paragraphs
	Children []lexicalNode   `json:"children"`
}

// mostNested is the maximum depth of nodes that are translated.
const mostNested = 200

// writeLexical writes a node and its children as HTML.
func writeLexical(t *markup.Translator, b *strings.Builder, n lexicalNode, depth int) {
	if depth > mostNested {
		t.RecordLoss(locale.M("parts that are nested very deeply were left out"))
		return
	}
	within := func(tag, attributes string) {
		b.WriteString("<" + tag + attributes + ">")
		for _, c := range n.Children {
			writeLexical(t, b, c, depth+1)
		}
		b.WriteString("</" + tag + ">")
	}
	switch n.Type {
	case "root", "":
		for _, c := range n.Children {
			writeLexical(t, b, c, depth+1)
		}
	case "zwnj", "at-link-search": // of the editor only
	case "tab":
		b.WriteString(" ")
	case "text", "extended-text", "code-highlight", "tk":
		text := html.EscapeString(n.Text)
		var bits int
		_ = json.Unmarshal(n.Format, &bits)
		for i, tag := range []string{"strong", "em", "del", "", "code", "sub", "sup"} {
			if bits&(1<<i) != 0 && tag != "" {
				text = "<" + tag + ">" + text + "</" + tag + ">"
			}
		}
		b.WriteString(text)
	case "linebreak":
		b.WriteString("<br>")
	case "paragraph", "extended-paragraph":
		within("p", "")
	case "heading", "extended-heading":
		if len(n.Tag) != 2 || n.Tag[0] != 'h' || n.Tag[1] < '1' || n.Tag[1] > '6' {
			n.Tag = "h2"
		}
		within(n.Tag, "")
	case "quote", "extended-quote", "aside":
		within("blockquote", "")
	case "list":
		tag := "ul"
		if n.ListType == "number" {
			tag = "ol"
		}
		within(tag, "")
	case "listitem":
		within("li", "")
	case "link", "autolink", "at-link":
		within("a", ` href="`+html.EscapeString(cmp.Or(n.URL, n.Href))+`"`)
	default:
		if len(n.Children) > 0 {
			t.RecordUnknown(n.Type, true)
			within("div", "")
			return
		}
		n.Words = n.Text
		b.WriteString(cardHTML(t, n.Type, n.cardData))
	}
}
