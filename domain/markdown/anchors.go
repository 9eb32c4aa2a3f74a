package markdown

import (
	"bytes"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/names"
)

// PageID is the prefix of the ids of a page's own parts, such as "Page-comments". No id from a text begins with
// it: slugs have no capital letters, and IsAnchor refuses it.
const PageID = "Page-"

// headingID is the prefix that heading ids had before they became plain slugs. Links from elsewhere still use
// it. Previews, which are among the fields of a form, have only ids with this prefix.
const headingID = "h-"

// maxAnchor is the maximum length of an id in bytes.
const maxAnchor = 400

var (
	anchorForm = regexp.MustCompile(`^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_.:-]*$`)
	// ownID matches the ids of comments, whose names contain the comment's id, and those of footnotes.
	ownID = regexp.MustCompile(`(^|-)[a-z2-9]{26}(-|$)|^fn(ref)?(-\d+)+$`)
)

// IsAnchor reports whether a text may use this id for a place in it. The id must be usable in an address and a
// style sheet, and must not be one that the page itself uses.
func IsAnchor(id string) bool {
	return len(id) <= maxAnchor && anchorForm.MatchString(id) && !strings.HasPrefix(id, PageID) &&
		!ownID.MatchString(id)
}

// slugStyle makes the id of a heading from its text, as one family of generators does.
type slugStyle func(title string) string

// gitHubSlug is the slug of GitHub, Hugo and Jekyll. It keeps letters, digits, hyphens and underscores,
// replaces each space with a hyphen, and drops everything else.
func gitHubSlug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(title)) {
		switch {
		case b.Len() > maxAnchor/2: // which leaves room for a number
			return b.String()
		case r == ' ', r == '-':
			b.WriteByte('-')
		// of an emoji that is left out
		case unicode.Is(unicode.Variation_Selector, r), unicode.IsMark(r) && b.Len() == 0:
		case r == '_', unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// collapsedSlug is the slug of Ghost, WordPress and Hugo's older versions: words with one hyphen
// between them.
func collapsedSlug(title string) string {
	return strings.Join(strings.FieldsFunc(gitHubSlug(title), func(r rune) bool { return r == '-' }), "-")
}

// transliteratedSlug is the slug of Zola. Each sign ends a word: "What's next?" becomes "what-s-next".
func transliteratedSlug(title string) string {
	slug := names.Transliterated(title[:min(len(title), maxAnchor)])
	return strings.TrimSuffix(slug[:min(len(slug), maxAnchor/2)], "-")
}

// asciiSlug is the slug of Hugo's "github-ascii": collapsed, and without accents.
func asciiSlug(title string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if r >= 0x300 && r < 0x370 { // combining diacritical marks
			return -1
		}
		return r
	}, norm.NFD.String(collapsedSlug(title))))
}

// IsSlugOf reports whether the id is a slug that a heading with this title has by default.
func IsSlugOf(id, title string) bool {
	return id == gitHubSlug(title) || id == collapsedSlug(title) || id == asciiSlug(title) ||
		id == transliteratedSlug(title) || id == headingID+names.Hyphenated(title)
}

// anchors holds the ids of a text.
type anchors struct {
	ids     map[string]bool   // all of them
	similar map[string]string // id of the first heading, by what slugs of its text have in common
	// emoji is similar for the headings with an emoji, which some generators write as words.
	emoji map[string]string
}

// claim adds an id, unless it is invalid or taken.
func (a *anchors) claim(id string) bool {
	if a.ids[id] || !IsAnchor(id) {
		return false
	}
	a.ids[id] = true
	return true
}

// claimNumbered adds an id, with a number if the id is taken. An id that the page itself uses, with that number
// or without, gets a prefix.
func (a *anchors) claimNumbered(id string, count map[string]int) string {
	if !IsAnchor(id) || !IsAnchor(id+"-1") {
		id = headingID + id
	}
	if !IsAnchor(id) || len(id) > maxAnchor/2+len(headingID)+4 {
		id = headingID + "section"
	}
	name := id
	for !a.claim(name) {
		count[id]++
		name = id + "-" + strconv.Itoa(count[id])
	}
	return name
}

// common reduces a slug to the form that all styles share: without accents, with single hyphens, and beginning
// with a letter.
func common(id string) string {
	id = strings.TrimPrefix(strings.ToLower(id), "user-content-") // GitHub's prefix
	slug := asciiSlug(strings.NewReplacer(".", "-", ":", "-", "_", "-").Replace(id))
	if rest := strings.TrimLeftFunc(slug, func(r rune) bool { return !unicode.IsLetter(r) }); rest != "" {
		return rest
	}
	return slug
}

// find returns the id that a fragment refers to: the same id or else, because generators differ, the first
// heading with a similar slug.
func (a *anchors) find(fragment string) (id string, ok bool) {
	if a.ids[fragment] {
		return fragment, true
	}
	key := common(fragment)
	if id, ok = a.similar[key]; ok || len(a.emoji) == 0 {
		return id, ok && fragment != ""
	}
	end, start := key, key
	for range maxEmojiWords {
		end, start = end[:max(0, strings.LastIndexByte(end, '-'))], start[strings.IndexByte(start, '-')+1:]
		if id, ok = a.emoji[end]; ok {
			return id, true
		}
		if id, ok = a.emoji[start]; ok {
			return id, true
		}
	}
	return "", false
}

// maxEmojiWords is the maximum number of words in a fragment that may be names of emoji.
const maxEmojiWords = 8

// hasEmoji reports whether a text has a symbol such as an emoji.
func hasEmoji(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.So, r) })
}

// resolve makes a link within a text lead to the id that it refers to. On the page, the id begins with prefix.
func (a *anchors) resolve(link *ast.Link, prefix string) {
	fragment, within := strings.CutPrefix(string(link.Destination), "#")
	if !within {
		return
	}
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	if id, ok := a.find(norm.NFC.String(fragment)); ok {
		link.Destination = []byte("#" + prefix + id)
	}
}

// explicitID matches an explicit id at the end of a heading, such as "{#setup}" or kramdown's "{: #setup}".
var explicitID = regexp.MustCompile(`[ \t]*\{:?[ \t]*#([^\s{}#]+)[ \t]*\}[ \t]*$`)

// takeExplicitID removes an explicit id from a heading's text and returns it.
func takeExplicitID(h *ast.Heading, source []byte) string {
	if h.Lines().Len() == 0 {
		return ""
	}
	line := h.Lines().At(h.Lines().Len() - 1)
	m := explicitID.FindSubmatchIndex(line.Value(source))
	if m == nil || line.Padding > 0 || bytes.HasSuffix(line.Value(source)[:m[0]], []byte(`\`)) {
		return ""
	}
	id, cut := norm.NFC.String(string(line.Value(source)[m[2]:m[3]])), line.Start+m[0]
	if !IsAnchor(id) || len(id) > maxAnchor/2 {
		return ""
	}
	for n := h.LastChild(); n != nil; n = n.PreviousSibling() { // it must be nothing but text
		text, ok := n.(*ast.Text)
		if !ok || text.IsRaw() {
			return ""
		}
		if text.Segment.Start <= cut {
			break
		}
	}
	for n := h.LastChild(); n != nil; n = h.LastChild() {
		text := n.(*ast.Text)
		if text.Segment.Start < cut {
			text.Segment.Stop = min(text.Segment.Stop, cut)
			break
		}
		h.RemoveChild(h, n)
		if text.Segment.Start == cut {
			break
		}
	}
	return id
}

// anchor is a place in a text, marked by an empty element such as <a id="setup"></a>.
type anchor struct {
	ast.BaseInline
	id string
}

var kindAnchor = ast.NewNodeKind("Anchor")

func (*anchor) Kind() ast.NodeKind             { return kindAnchor }
func (n *anchor) Dump(source []byte, deep int) { ast.DumpHelper(n, source, deep, nil, nil) }

var anchorTag = regexp.MustCompile(`^(?:<(a|span)\s+(?:id|name)\s*=\s*` +
	`(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>/]+))\s*(/?)>|</(a|span)\s*>)$`)

// anchorOf returns the place that an HTML element marks, and the tag that closes the element, or nil if the
// element closes itself.
func anchorOf(n *ast.RawHTML, source []byte) (place *anchor, closing ast.Node) {
	m := anchorTag.FindSubmatch(n.Segments.Value(source))
	if m == nil || len(m[1]) == 0 {
		return nil, nil
	}
	id := norm.NFC.String(string(m[2]) + string(m[3]) + string(m[4]))
	if !IsAnchor(id) {
		return nil, nil
	}
	if len(m[5]) > 0 {
		return &anchor{id: id}, nil
	}
	end, ok := n.NextSibling().(*ast.RawHTML)
	if !ok {
		return nil, nil
	}
	closes := anchorTag.FindSubmatch(end.Segments.Value(source))
	if closes == nil || string(closes[6]) != string(m[1]) {
		return nil, nil
	}
	return &anchor{id: id}, end
}

// renderAnchor writes the anchor, unless another place has its id.
func renderAnchor(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if id, named := node.AttributeString("id"); entering && named {
		writeAnchor(w, id.(string))
	}
	return ast.WalkContinue, nil
}

func writeAnchor(w util.BufWriter, id string) {
	_, _ = w.WriteString(`<span id="` + id + `"></span>`)
}
