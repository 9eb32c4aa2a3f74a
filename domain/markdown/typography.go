package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extensionast "github.com/yuin/goldmark/extension/ast"
)

// quotes are the quotation marks of a language, outer and inner ones.
type quotes struct{ open, close, innerOpen, innerClose string }

// quotesOf holds the most common usage on the web. In other or unknown languages straight quotation marks stay, because
// they are never wrong.
var quotesOf = map[string]quotes{
	"en": {"“", "”", "‘", "’"},
	"nl": {"“", "”", "‘", "’"},
	"pt": {"“", "”", "‘", "’"},
	"es": {"«", "»", "“", "”"},
	"it": {"«", "»", "“", "”"},
	"fr": {"«\u00a0", "\u00a0»", "“", "”"},
	"de": {"„", "“", "‚", "‘"},
	"cs": {"„", "“", "‚", "‘"},
	"sk": {"„", "“", "‚", "‘"},
	"sl": {"„", "“", "‚", "‘"},
	"hr": {"„", "”", "‚", "’"},
	"ro": {"„", "”", "«", "»"},
	"pl": {"„", "”", "«", "»"},
	"hu": {"„", "”", "»", "«"},
	"sv": {"”", "”", "’", "’"},
	"fi": {"”", "”", "’", "’"},
	"da": {"»", "«", "›", "‹"},
	"nb": {"«", "»", "‘", "’"},
	"tr": {"“", "”", "‘", "’"},
	"ru": {"«", "»", "„", "“"},
	"uk": {"«", "»", "„", "“"},
}

// typeset replaces typewriter characters in the prose of a document by typographic ones: quotation marks of its
// language, apostrophes, dashes for -- and ---, and an ellipsis. Code, formulas and characters after a backslash stay
// as they were typed, and so does everything ambiguous, such as the option --force or 5'10".
func typeset(doc ast.Node, source []byte, language string) {
	marks, known := quotesOf[language]
	if base, _, regional := strings.Cut(language, "-"); !known && regional {
		marks, known = quotesOf[base]
	}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() == ast.TypeInline {
			return ast.WalkContinue, nil
		}
		if first := n.FirstChild(); first == nil || first.Type() != ast.TypeInline {
			return ast.WalkContinue, nil
		}
		t := typesetter{source: source, marks: marks, known: known, before: ' '}
		t.read(n)
		t.finish()
		return ast.WalkSkipChildren, nil
	})
}

// typesetter processes the text of one block, including the text in its emphasis and links.
type typesetter struct {
	source  []byte
	marks   quotes
	known   bool
	before  rune     // the previous character; a space at the beginning
	changes []change // in order
	double  int      // one more than the index of the change that opens a double quotation; 0 if none is open
	single  int
}

// change replaces some bytes of a text.
type change struct {
	node        *ast.Text
	begin, end  int // in the source
	replacement string
}

func (t *typesetter) read(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			if !n.IsRaw() {
				t.readText(n)
			}
			if n.SoftLineBreak() || n.HardLineBreak() {
				t.before = ' '
			}
		case *ast.Emphasis, *ast.Link, *extensionast.Strikethrough:
			t.read(n)
		default: // code, maths, an address: anything but a space
			t.before = 'x'
		}
	}
}

func (t *typesetter) readText(n *ast.Text) {
	stop := n.Segment.Stop
	for i := n.Segment.Start; i < stop; {
		r, size := utf8.DecodeRune(t.source[i:stop])
		switch r {
		case '\\':
			if i+1 < stop {
				r, size = utf8.DecodeRune(t.source[i+1 : stop])
				size++
			}
		case '"':
			t.quote(n, i, &t.double, t.marks.open, t.marks.close)
		case '\'':
			if isWord(t.before) && unicode.IsLetter(t.after(n, i+1)) {
				t.change(n, i, i+1, "’")
			} else {
				t.quote(n, i, &t.single, t.marks.innerOpen, t.marks.innerClose)
			}
		case '.', '-':
			size = t.repeated(n, i, byte(r))
		}
		t.before = r
		i += size
	}
}

// after returns the character that follows position i, which may be in the next node.
func (t *typesetter) after(n *ast.Text, i int) rune {
	if i < n.Segment.Stop {
		r, _ := utf8.DecodeRune(t.source[i:n.Segment.Stop])
		return r
	}
	if n.SoftLineBreak() || n.HardLineBreak() {
		return ' '
	}
	var at ast.Node = n
	for at.NextSibling() == nil { // the text may continue after emphasis
		if at = at.Parent(); at == nil || at.Type() != ast.TypeInline {
			return ' '
		}
	}
	next, ok := at.NextSibling().(*ast.Text)
	if !ok || next.Segment.Len() == 0 {
		return 'x'
	}
	r, _ := utf8.DecodeRune(t.source[next.Segment.Start:next.Segment.Stop])
	return r
}

// quote processes a mark that may open or close a quotation. It changes only pairs.
func (t *typesetter) quote(n *ast.Text, i int, open *int, opening, closing string) {
	spaceAfter := isGap(t.after(n, i+1))
	opens := !spaceAfter && (isGap(t.before) || strings.ContainsRune("([{-–—/\"'„“«‚‘¿¡", t.before))
	switch {
	case opens && *open == 0:
		t.change(n, i, i+1, "")
		*open = len(t.changes)
	case *open != 0 && !isGap(t.before):
		t.changes[*open-1].replacement = opening
		t.change(n, i, i+1, closing)
		if !t.known {
			t.changes[*open-1].replacement, t.changes[len(t.changes)-1].replacement = "", ""
		}
		*open = 0
	case isWord(t.before) && open == &t.single && unicode.IsLetter(t.before):
		t.change(n, i, i+1, "’") // the dogs' home
	}
}

// repeated processes a run of dashes or points and returns its length.
func (t *typesetter) repeated(n *ast.Text, i int, mark byte) int {
	end := i
	for end < n.Segment.Stop && t.source[end] == mark {
		end++
	}
	after := t.after(n, end)
	asDash := isGap(t.before) == isGap(after) && (isGap(after) || isWord(t.before) && isWord(after))
	switch count := end - i; {
	case mark == '.' && count == 3:
		t.change(n, i, end, "…")
	case mark == '-' && count == 2 && asDash:
		t.change(n, i, end, "–")
	case mark == '-' && count == 3 && asDash:
		t.change(n, i, end, "—")
	}
	return end - i
}

func (t *typesetter) change(n *ast.Text, begin, end int, replacement string) {
	t.changes = append(t.changes, change{n, begin, end, replacement})
}

// finish applies the changes, those of each text from its end.
func (t *typesetter) finish() {
	if t.single != 0 && t.known { // 'tis: nothing closes it
		t.changes[t.single-1].replacement = "’"
	}
	for i := len(t.changes) - 1; i >= 0; i-- {
		c := t.changes[i]
		if c.replacement == "" {
			continue
		}
		rest := ast.NewTextSegment(c.node.Segment.WithStart(c.end))
		rest.SetSoftLineBreak(c.node.SoftLineBreak())
		rest.SetHardLineBreak(c.node.HardLineBreak())
		mark := ast.NewString([]byte(c.replacement))
		mark.SetRaw(true)
		parent := c.node.Parent()
		parent.InsertAfter(parent, c.node, mark)
		parent.InsertAfter(parent, mark, rest)
		c.node.Segment = c.node.Segment.WithStop(c.begin)
		c.node.SetSoftLineBreak(false)
		c.node.SetHardLineBreak(false)
	}
}

func isGap(r rune) bool { return unicode.IsSpace(r) }

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
