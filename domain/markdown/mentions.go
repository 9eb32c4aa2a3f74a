package markdown

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"inkfeed/domain"
	"inkfeed/domain/names"
)

// maxTriedMentions is the maximum number of names after @ in a text that are looked at. More stay text.
const maxTriedMentions = 1000

// Mentioning returns a renderer of one text that links its mentions to the pages of the users, under their present
// usernames by their ids. Users who are not among these stay text, as typed.
func (m *Renderer) Mentioning(of domain.Mentions, usernames map[string]string) *Renderer {
	if of == "" {
		return m
	}
	linked := *m
	linked.usernames = map[string]string{}
	for _, mention := range of.List() {
		if username := usernames[mention.UserID]; username != "" {
			linked.usernames[mentionKey(mention.Name)] = username
		}
	}
	return &linked
}

func mentionKey(name string) string { return names.NameKey(names.NormalUsername(name)) }

// Mentioned returns the names that a text may mention, as typed and each once, at most domain.MaxMentions. It finds
// none in code, formulas, links and addresses, and none after a backslash.
func (m *Renderer) Mentioned(source string) (typed []string) {
	if !strings.Contains(source, "@") {
		return nil
	}
	context, about := parser.NewContext(), &findings{purpose: forText, collecting: true}
	context.Set(findingsKey, about)
	m.converter.Parser().Parse(text.NewReader([]byte(source)), parser.WithContext(context))
	if RanOut(context) { // the text is shown as typed
		return nil
	}
	var keys []string
	for _, name := range about.mentioned {
		key := mentionKey(name)
		if len(typed) < domain.MaxMentions && !slices.Contains(keys, key) {
			typed, keys = append(typed, name), append(keys, key)
		}
	}
	return typed
}

// mentions adds links to users. A mention is a username after @, unless a letter, a digit or one of /.@ comes before.
// The addresses ada@example.org and @ada@example.org and the package @ada/core are text.
type mentions struct{}

func (mentions) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(mentions{}, 999)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(mentions{}, 500)))
}

var kindMention = ast.NewNodeKind("Mention")

// mention is @ with a name. Its child has the text as typed.
type mention struct {
	ast.BaseInline
	names    []string // that the author may mean, the longest first
	username string   // that the link shows
}

func (*mention) Kind() ast.NodeKind              { return kindMention }
func (n *mention) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

func (mentions) Trigger() []byte { return []byte{'@'} }

func (mentions) Parse(_ ast.Node, block text.Reader, context parser.Context) ast.Node {
	about, ok := context.Get(findingsKey).(*findings)
	if !ok || about.usernames == nil && !about.collecting || about.tried == maxTriedMentions {
		return nil
	}
	line, segment := block.PeekLine()
	typed := nameAfter(block.PrecendingCharacter(), line[len("@"):])
	budgetOf(context).spend(len(typed))
	if typed == "" {
		return nil
	}
	about.tried++
	found := usernamesIn(typed)
	for _, name := range found {
		username := about.usernames[mentionKey(name)]
		if username == "" && !about.collecting {
			continue
		}
		n := &mention{names: found, username: username}
		n.AppendChild(n, ast.NewTextSegment(segment.WithStop(segment.Start+len("@"+name))))
		block.Advance(len("@" + name))
		return n
	}
	return nil
}

// nameAfter returns the letters, digits and marks after an @, with single - and _ between them. It returns "" if what
// comes before or after them says that they are no name.
func nameAfter(before rune, rest []byte) string {
	if strings.ContainsRune("/.@", before) || wordWithSpaces(before) {
		return ""
	}
	end, at := 0, 0
	for at < len(rest) {
		r, size := utf8.DecodeRune(rest[at:])
		if joint := r == '-' || r == '_'; !isWord(r) && (!joint || at > end || at == 0) {
			break
		} else if at += size; !joint {
			end = at
		}
	}
	switch next, size := utf8.DecodeRune(rest[end:]); next {
	case '@':
		return ""
	case '/', '.', ':':
		if after, _ := utf8.DecodeRune(rest[end+size:]); wordWithSpaces(after) {
			return ""
		}
	}
	return string(rest[:end])
}

func wordWithSpaces(r rune) bool { return isWord(r) && !IsUnspaced(r) }

// usernamesIn returns the usernames that a typed one may mean, the longest first. In a script without spaces, the
// sentence may go on after the name, as in @adaさん.
func usernamesIn(typed string) (found []string) {
	whole, script := typed, -2
	for i, r := range typed {
		if !unicode.IsLetter(r) || r == 'ー' { // which both kana have
			continue
		}
		before := script
		script = slices.IndexFunc(unspacedScripts, func(t *unicode.RangeTable) bool { return unicode.Is(t, r) })
		if before != -2 && before != script {
			whole = strings.TrimRight(typed[:i], "-_")
			break
		}
	}
	for _, name := range slices.Compact([]string{typed, whole}) {
		if domain.CheckUsername(names.NormalUsername(name)) == nil {
			found = append(found, name)
		}
	}
	return found
}

var unspacedScripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// mention collects the names of a mention. It replaces one within a link or an image by its text.
func (a *adapter) mention(n *mention) {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() == ast.KindLink || p.Kind() == ast.KindImage {
			a.replace = append(a.replace, func() { replaceByChildren(n, a.source) })
			return
		}
	}
	a.about.mentioned = append(a.about.mentioned, n.names...)
}

func (mentions) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindMention, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if username := n.(*mention).username; entering {
			_, _ = fmt.Fprintf(w, `<a class="mention" dir="auto" href="%s">@%s</a>`, names.UserPath(username),
				util.EscapeHTML([]byte(username)))
		}
		return ast.WalkSkipChildren, nil
	})
}
