package markdown

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
)

// Section is an entry of a text's table of contents.
type Section struct {
	ID       string // of its heading on the page
	Title    string
	Sections []Section
}

// A text has a table of contents if it has at least contentsHeadings headings and takes contentsMinutes to read. With
// more than contentsMost headings, the table omits those below the first level.
const (
	contentsHeadings = 3
	contentsMinutes  = 4
	contentsMost     = 60
)

// named is a heading with its text.
type named struct {
	level     int
	id, title string
}

// heading is a heading of a text while it gets its id.
type heading struct {
	*ast.Heading
	title, explicit, id string
}

// nameHeadings gives the headings and anchors of a text their ids, and makes links within the text lead to
// them. Explicit ids come first. All other headings have GitHub's slugs, numbered from the second of the same
// text on. Slugs of other styles are further ids of a heading if they are free. On the page, each id begins
// with prefix.
func nameHeadings(a *adapter, prefix string) ([]named, *anchors) {
	ids := &anchors{ids: map[string]bool{}, similar: map[string]string{}, emoji: map[string]string{}}
	headings, numbered := make([]heading, len(a.headings)), map[string]int{}
	for i, h := range a.headings {
		explicit := takeExplicitID(h, a.source)
		headings[i] = heading{Heading: h, title: headingText(h, a.source), explicit: explicit}
		if explicit != "" {
			headings[i].id = ids.claimNumbered(explicit, numbered)
		}
	}
	for _, place := range a.places {
		if ids.claim(place.id) && a.about.purpose.onPage() {
			place.SetAttributeString("id", prefix+place.id)
		}
	}
	natural := map[string]int{}
	for i := range headings {
		if h := &headings[i]; h.id == "" {
			h.id = ids.claimNumbered(cmp.Or(gitHubSlug(h.title), "section"), natural)
		}
	}
	also := make([][]string, len(headings))
	for _, style := range []slugStyle{gitHubSlug, collapsedSlug, asciiSlug, transliteratedSlug} {
		count := map[string]int{}
		for i, h := range headings {
			base := style(h.title)
			if base == "" {
				continue
			}
			slug := base
			if n := count[base]; n > 0 {
				slug += "-" + strconv.Itoa(n)
			}
			if count[base]++; ids.claim(slug) {
				also[i] = append(also[i], prefix+slug)
			}
		}
	}
	former := formerIDs(headings)
	all := make([]named, len(headings))
	for i, h := range headings {
		if free := prefix == "" && ids.claim(former[i]); free {
			h.SetAttributeString("former", former[i])
		}
		if a.about.purpose.onPage() {
			h.SetAttributeString("id", prefix+h.id)
			h.SetAttributeString("title", h.title)
			h.SetAttributeString("also", also[i])
		}
		for _, key := range []string{common(h.id), common(h.title)} {
			if _, there := ids.similar[key]; !there && key != "" {
				ids.similar[key] = h.id
				if hasEmoji(h.title) {
					ids.emoji[key] = h.id
				}
			}
		}
		all[i] = named{h.Level, prefix + h.id, h.title}
	}
	for _, link := range a.links {
		ids.resolve(link, prefix)
	}
	return all, ids
}

// formerIDs returns the ids that headings had before they had plain slugs. A duplicate was numbered from 2 on,
// and an explicit id was a part of the text.
func formerIDs(headings []heading) []string {
	all := make([]string, len(headings))
	used, count := map[string]bool{}, map[string]int{}
	for i, h := range headings {
		base := cmp.Or(names.Hyphenated(h.title+" "+h.explicit), "section")
		id := base
		for used[id] {
			count[base]++
			id = base + "-" + strconv.Itoa(count[base]+1)
		}
		used[id] = true
		all[i] = headingID + id
	}
	return all
}

// headingText returns the text of a heading without footnotes.
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
	return plaintext.OneLine(b.String())
}

func unescaped(n *ast.Text, source []byte) []byte {
	value := n.Value(source)
	if n.IsRaw() {
		return value
	}
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
}

// contents returns the table of contents of a text, or nil if it needs none.
func contents(headings []named, length plaintext.Length) []Section {
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

// nest puts each heading of a lower level below the one before it.
func nest(headings []named) []Section {
	var sections []Section
	for len(headings) > 0 {
		first := headings[0]
		below := slices.IndexFunc(headings[1:], func(h named) bool { return h.level <= first.level })
		if below < 0 {
			below = len(headings) - 1
		}
		sections = append(sections, Section{first.id, plaintext.WithoutDirections(first.title),
			nest(headings[1 : 1+below])})
		headings = headings[1+below:]
	}
	return sections
}
