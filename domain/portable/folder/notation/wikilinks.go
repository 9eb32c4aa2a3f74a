package notation

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// WikiLink is a link in a note: [[target#heading|text]]. An embed begins with an exclamation mark.
type WikiLink struct {
	raw     string // as it was typed
	Target  string // empty for the note itself
	Heading string
	Block   bool // whether it leads to a block, which has no address here
	Text    string
	Embed   bool
	From    string // the file that contains the link
}

// WikiMark surrounds the number of a wiki link in a text until all notes are read. It is a control character, which
// texts do not need.
const WikiMark = "\x14"

// maxWikiLink is the maximum length of a wiki link, in bytes.
const maxWikiLink = 1000

// FindWikiLinks returns the wiki links of a text outside of skipped spans, with their positions. [[1]](address) is a
// Markdown link.
func FindWikiLinks(source string, skip ...[]markup.Span) (links []WikiLink, places []markup.Span) {
	for at := 0; ; {
		i := strings.Index(source[at:], "[[")
		if i < 0 {
			return links, places
		}
		start := at + i
		at = start + 2
		if strings.HasPrefix(source[at:], "[") { // the innermost brackets form the link
			at--
			continue
		}
		inner, _, ok := strings.Cut(source[at:min(len(source), at+maxWikiLink)], "]]")
		if !ok || inner == "" || strings.ContainsAny(inner, "[]\n"+WikiMark) || start > 0 && source[start-1] == '\\' ||
			slices.ContainsFunc(skip, func(spans []markup.Span) bool { return markup.Within(spans, start) }) {
			continue
		}
		end := at + len(inner) + 2
		if strings.HasPrefix(source[end:], "(") {
			continue
		}
		embed := start > 0 && source[start-1] == '!'
		if embed {
			start--
		}
		if link, ok := parseWikiLink(inner); ok {
			link.raw, link.Embed = source[start:end], embed
			links, places = append(links, link), append(places, markup.Span{Start: start, End: end})
			at = end
		}
	}
}

// parseWikiLink parses the text between the brackets.
func parseWikiLink(inner string) (WikiLink, bool) {
	inner = strings.ReplaceAll(inner, `\|`, "|") // the form in tables
	target, text, _ := strings.Cut(inner, "|")
	link := WikiLink{Text: strings.TrimSpace(text)}
	target = strings.TrimSpace(target)
	target, heading, _ := strings.Cut(target, "#")
	if i := strings.LastIndexByte(heading, '#'); i >= 0 { // a path of nested headings
		heading = heading[i+1:]
	}
	if strings.HasPrefix(heading, "^") {
		heading, link.Block = "", true
	} else if before, _, ok := strings.Cut(target, "^"); ok && before != "" {
		target, link.Block = before, true
	}
	link.Target, link.Heading = strings.TrimSpace(target), strings.TrimSpace(heading)
	return link, link.Target != "" || link.Heading != "" || link.Block
}

// namedFile is a file with what nearest compares.
type namedFile struct {
	file, folder string
	depth        int    // the number of folders
	key          string // of the whole path, after a slash
	inRoot       string // the key of the path below the root of the notes
}

// Names finds files by the names that notes use for them.
type Names struct {
	root    string
	byName  map[string][]namedFile // by the last segment, for notes without the extension
	aliases map[string]string      // paths of notes by their aliases
	found   map[[2]string]string   // what nearest found, by name and folder
}

// NewNames returns the names of files below a folder.
func NewNames(root string, files []string) *Names {
	n := &Names{root: root, byName: make(map[string][]namedFile), aliases: make(map[string]string),
		found: make(map[[2]string]string)}
	for _, file := range files {
		key := nameKey(path.Base(file))
		n.byName[key] = append(n.byName[key], namedFile{file: file, folder: path.Dir(file),
			depth: strings.Count(file, "/"), key: "/" + nameKey(file),
			inRoot: nameKey(strings.TrimPrefix(file, root+"/"))})
	}
	return n
}

// nameKey normalises a name for comparison. File names may come from a system that decomposes letters.
func nameKey(name string) string {
	name = strings.ToLower(norm.NFC.String(strings.TrimSpace(name)))
	if portable.IsText(name) {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}

// Alias gives a note another name, unless that is the name of another note.
func (n *Names) Alias(name, file string) {
	if key := nameKey(name); key != "" && n.aliases[key] == "" {
		n.aliases[key] = file
	}
}

// maxSameName is the maximum number of files with the same name that are compared.
const maxSameName = 1000

// Find returns the file to which a note refers by a name, which may include folders: the file at that path, or beside
// the note, or in the fewest folders.
func (n *Names) Find(name, from string) (string, bool) {
	name = strings.ReplaceAll(name, "\\", "/")
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		name = "/" + strings.TrimPrefix(path.Join(path.Dir(from), name), n.root+"/")
	}
	search := [2]string{name, path.Dir(from)}
	best, known := n.found[search]
	if !known {
		best = n.nearest(name, from)
		n.found[search] = best
	}
	if best == "" {
		best = n.aliases[nameKey(strings.Trim(name, "/"))]
	}
	return best, best != ""
}

// nearest is Find without aliases, for a name that is not relative.
func (n *Names) nearest(name, from string) (best string) {
	exact := strings.HasPrefix(name, "/")
	key := nameKey(strings.Trim(name, "/"))
	end, folder := "/"+key, path.Dir(from)
	least := 0 // the rank of the best one
	candidates := n.byName[path.Base(key)]
	for _, c := range candidates[:min(len(candidates), maxSameName)] {
		rank := c.depth
		switch {
		case c.inRoot == key:
			rank = -2
		case exact, strings.Contains(key, "/") && !strings.HasSuffix(c.key, end):
			continue
		case c.folder == folder:
			rank = -1
		}
		if best == "" || cmp.Or(rank-least, strings.Compare(c.file, best)) < 0 {
			best, least = c.file, rank
		}
	}
	return best
}

// Links are the wiki links of a folder of notes.
type Links struct {
	Names *Names
	// LabelFirst reports that the text of a link precedes the note, as in Dendron.
	LabelFirst bool
	list       []WikiLink // by the numbers in their marks
}

// Mark returns the edits that replace wiki links by marks, for Resolved, and embedded pictures by pictures.
func (l *Links) Mark(links []WikiLink, places []markup.Span, from string) (edits []markup.Edit) {
	for i, link := range links {
		if l.LabelFirst && link.Text != "" { // [[text|note]]
			other, _ := parseWikiLink(link.Text)
			other.Text = strings.TrimSpace(strings.Split(strings.Trim(link.raw, "![]"), "|")[0])
			other.raw, other.Embed = link.raw, link.Embed
			link = other
		}
		if file, ok := l.Names.Find(link.Target, from); ok && link.Embed && portable.IsImage(file) {
			picture := "![" + Literal(pictureText(link.Text)) + "](" + markup.Destination(FileAddress(file)) + ")"
			edits = append(edits, markup.Edit{Span: places[i], Text: picture})
			continue
		}
		link.From = from
		edits = append(edits, markup.Edit{Span: places[i], Text: WikiMark + strconv.Itoa(len(l.list)) + WikiMark})
		l.list = append(l.list, link)
	}
	return edits
}

// Resolved replaces the marks of wiki links in a text by the results of replace.
func (l *Links) Resolved(text string, replace func(WikiLink) string) string {
	if !strings.Contains(text, WikiMark) {
		return text
	}
	parts := strings.Split(text, WikiMark)
	for i := 1; i < len(parts); i += 2 {
		if number, err := strconv.Atoi(parts[i]); err == nil && number < len(l.list) {
			parts[i] = replace(l.list[number])
		}
	}
	return strings.Join(parts, "")
}

// Shown returns the text of a link as plain text.
func (l WikiLink) Shown() string {
	switch {
	case l.Text != "":
		return l.Text
	case l.Target == "":
		return l.Heading
	}
	name := path.Base(l.Target)
	if portable.IsText(name) {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	if l.Heading != "" {
		name += " > " + l.Heading
	}
	return name
}

// FileAddress returns the address of a file of the export, as Directory takes it.
func FileAddress(file string) string { return (&url.URL{Path: "/" + file}).EscapedPath() }

var marksOfMarkdown = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "*", `\*`, "`", "\\`", "<", `\<`)

// Literal escapes a text so that Markdown shows it unchanged.
func Literal(text string) string {
	text = marksOfMarkdown.Replace(strings.Join(strings.Fields(text), " "))
	if strings.HasPrefix(text, "_") || strings.Contains(text, "__") || strings.Contains(text, " _") {
		text = strings.ReplaceAll(text, "_", `\_`)
	}
	return text
}

// HeadingFragment returns the fragment that leads to a heading, as most programs derive it from the heading's text.
func HeadingFragment(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(heading)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

var pictureSize = regexp.MustCompile(`^\d+(?:x\d+)?$`)

// pictureText returns the description of an embedded picture. Its parameters may be a size.
func pictureText(parameters string) string {
	var kept []string
	for part := range strings.SplitSeq(parameters, "|") {
		if part = strings.TrimSpace(part); part != "" && !pictureSize.MatchString(part) {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, " ")
}
