package templates

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark-emoji/definition"
	"github.com/yuin/goldmark/ast"

	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
	"inkfeed/domain/portable/markup"
)

// attributeList matches attributes of goldmark, such as {#own .big key="value"}, with the spaces before them.
const attributeList = `[ \t]*\{[ \t]*` + attribute + `(?:[ \t,]+` + attribute + `)*[ \t]*\}`

const attribute = `(?:[#.][^\s{}"'=]+|[\w:-]+[ \t]*=[ \t]*(?:"[^"{}\n]*"|'[^'{}\n]*'|[^\s{}"']+))`

var (
	ofHeadings = regexp.MustCompile(`(?m)\A[ \t>]*(?:[-*+][ \t]+)?#{1,6}[ \t][^\n]*?(` + attributeList +
		`)[ \t]*#*[ \t]*$|\A[^\n]*?[^\s>](` + attributeList + `)[ \t]*\n {0,3}(?:=+|-+)[ \t]*$`)
	ofBlocks = regexp.MustCompile(`(?m)\A(` + attributeList + `)[ \t]*$`)
)

// Attributes removes the attributes of headings, and of blocks if the site has such, from a text of Hugo or Zola. It
// keeps the ids among them: see markup.Attributes.
func Attributes(source string, withBlocks bool) string {
	if !strings.Contains(source, "{") {
		return source
	}
	code := markup.CodeIn(source)
	var edits []markup.Edit
	at := 0
	for line := range strings.Lines(source) {
		start := at
		at += len(line)
		if !strings.HasSuffix(strings.TrimRight(line, " \t\r\n#"), "}") || !strings.Contains(line, "{") {
			continue
		}
		next, _, _ := strings.Cut(source[at:], "\n") // may underline a heading
		for _, pattern := range []*regexp.Regexp{ofHeadings, ofBlocks} {
			m := pattern.FindStringSubmatchIndex(line + next)
			if m == nil || pattern == ofBlocks && !withBlocks {
				continue
			}
			list := markup.Span{Start: start + m[2], End: start + m[3]}
			if m[2] < 0 {
				list = markup.Span{Start: start + m[4], End: start + m[5]}
			}
			if !markup.Within(code, list.End-1) {
				edits = append(edits, markup.Attributes(source, list))
			}
		}
	}
	return markup.Apply(source, edits)
}

var (
	gitHubEmoji = sync.OnceValue(func() definition.Emojis { return definition.Github() })
	// emojiOrTag matches a name of an emoji, such as :+1:, or a tag of HTML.
	emojiOrTag = regexp.MustCompile(`:[a-z0-9_+-]+:|<(/?)(?:((?i:pre|code|tt))\b)?[^<>]*>`)
)

// gitHubPictures are GitHub's names for pictures that are no characters.
var gitHubPictures = strings.Fields("atom basecamp basecampy bowtie dependabot electron feelsgood finnadie " +
	"fishsticks goberserk godmode hurtrealbad neckbeard octocat rage1 rage2 rage3 rage4 shipit suspect trollface")

// maxBeforeEmoji is the number of bytes before the name of an emoji that are searched for the beginning of an address.
const maxBeforeEmoji = 300

// Emoji replaces GitHub's names of emoji by the emoji, except in code and addresses.
func Emoji(t *markup.Translator, source string) string {
	if !strings.Contains(source, ":") {
		return source
	}
	code := markup.CodeIn(source)
	var edits []markup.Edit
	elements := 0 // open ones with code
	for at := 0; ; {
		m := emojiOrTag.FindStringSubmatchIndex(source[at:])
		if m == nil {
			return markup.Apply(source, edits)
		}
		name := markup.Span{Start: at + m[0], End: at + m[1]}
		at = name.End
		if source[name.Start] == '<' {
			switch {
			case m[4] < 0:
			case m[2] == m[3]:
				elements++
			default:
				elements = max(0, elements-1)
			}
			continue
		}
		word := source[name.Start+1 : name.End-1]
		emoji, known := gitHubEmoji().Get(word)
		before := source[max(0, name.Start-maxBeforeEmoji):name.Start]
		before = before[strings.LastIndexAny(before, " \t\n<>\"'")+1:]
		switch {
		case !known && !slices.Contains(gitHubPictures, word), elements > 0, markup.Within(code, name.Start),
			strings.HasPrefix(before, "/"), strings.Contains(before, "://"), strings.Contains(before, "]("):
			at-- // the colon may begin the next name
		case known && emoji.IsUnicode():
			edits = append(edits, markup.Edit{Span: name, Text: string(emoji.Unicode)})
		default:
			t.RecordLoss(locale.M("the picture of the emoji {name} is text now", "name", ":"+word+":"))
		}
	}
}

// abbreviation matches the definition of an abbreviation in kramdown.
var abbreviation = regexp.MustCompile(`(?m)^ {0,3}\*\[([^\]\n]+)\]:[ \t]*(.*)\n?`)

// abbreviations removes the definitions of abbreviations. The meaning follows the abbreviation where the text has it
// first. Abbreviations of several words, and in headings and links alone, are reported.
func abbreviations(t *markup.Translator, source string) string {
	if !strings.Contains(source, "*[") {
		return source
	}
	p, ok := markup.Parse(source)
	if !ok {
		return source
	}
	meanings := make(map[string]string)
	var names []string
	var edits []markup.Edit
	for _, m := range abbreviation.FindAllStringSubmatchIndex(source, -1) {
		if markup.Within(p.Code, m[2]) {
			continue
		}
		edits = append(edits, markup.Edit{Span: markup.Span{Start: m[0], End: m[1]}})
		if meaning := strings.TrimSpace(source[m[4]:m[5]]); meaning != "" {
			names = append(names, source[m[2]:m[3]])
			meanings[source[m[2]:m[3]]] = meaning
		}
	}
	source = markup.Apply(source, edits)
	edits = nil
	raw := []byte(source)
	doc, _ := markdown.ParseWithin(markup.Parser, raw)
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading, *ast.Link, *ast.Image, *ast.CodeSpan:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if !entering {
				break
			}
			for _, word := range wordInText.FindAllIndex(n.Value(raw), -1) {
				name := string(n.Value(raw)[word[0]:word[1]])
				if meaning, open := meanings[name]; open {
					end := n.Segment.Start + word[1]
					edits = append(edits, markup.Edit{Span: markup.Span{Start: end, End: end},
						Text: " (" + markup.Words(meaning) + ")"})
					delete(meanings, name)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	for _, name := range names {
		if _, left := meanings[name]; left && strings.Contains(source, name) {
			t.RecordLoss(locale.M("the meaning of the abbreviation {name} was left out", "name", name))
		}
	}
	return markup.Apply(source, edits)
}

var wordInText = regexp.MustCompile(`[\p{L}\p{N}]+`)
