package markup

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"inkfeed/domain/locale"
	"inkfeed/domain/markdown"
)

// inline translates the tags between words, one by one.
func (t *Translator) inline(source string, tags []rawTag, edits []Edit) []Edit {
	var links []string // addresses of the links that are open
	var withoutScripts, parenthesised bool
	line, cells, seen := 0, false, 0 // where the line of the last line break begins, and whether it is of a table
	blocks := edits                  // sorted, as the tags are
	script := ""                     // the mark of the element that is open
	for _, tag := range tags {
		for len(blocks) > 0 && blocks[0].End <= tag.Start {
			blocks = blocks[1:]
		}
		if len(blocks) > 0 && blocks[0].Start <= tag.Start {
			continue
		}
		if strings.HasPrefix(tag.text, "<!") || strings.HasPrefix(tag.text, "<?") {
			edits = append(edits, Edit{tag.Span, ""})
			continue
		}
		z := html.NewTokenizer(strings.NewReader(tag.text))
		z.Next()
		token := z.Token()
		if !knownElement(token.Data) {
			continue
		}
		get := func(name string) string {
			for _, a := range token.Attr {
				if a.Key == name {
					return a.Val
				}
			}
			return ""
		}
		closes := token.Type == html.EndTagToken
		text := ""
		if !closes {
			text = t.place(token.Data, token.Attr)
		}
		switch token.Data {
		case "a":
			switch href := get("href"); {
			case closes && len(links) > 0:
				if href = links[len(links)-1]; href != "" {
					text = "](" + Destination(href) + ")"
				}
				links = links[:len(links)-1]
			case !closes:
				if links = append(links, href); href != "" {
					text += "["
				}
			}
		case "b", "strong":
			text += "**"
		case "i", "em", "cite", "dfn", "var":
			text += "*"
		case "del", "s", "strike":
			text += "~~"
		case "code", "kbd", "samp", "tt":
			text += "`"
		case "q":
			text += `"`
		case "br":
			part := source[seen:tag.Start]
			if i := strings.LastIndexByte(part, '\n'); i >= 0 {
				line, cells, part = seen+i+1, false, part[i+1:]
			}
			cells, seen = cells || strings.Contains(part, " | "), tag.Start
			text = lineBreak(source, line, cells, tag.Span)
		case "hr":
			text = "\n\n---\n\n"
		case "img":
			text += t.inlinePicture(pictureSource(get), get("alt"), withoutScripts)
		case "noscript":
			withoutScripts = !closes
		case "rp":
			parenthesised = true
		case "rt":
			if !parenthesised {
				text += map[bool]string{false: "(", true: ")"}[closes]
			}
		case "ruby":
			parenthesised = false
		case "iframe", "embed", "video", "audio", "source":
			if src := get("src"); src != "" && !closes {
				if strings.HasPrefix(src, "//") {
					src = "https:" + src
				}
				src = Watchable(src)
				t.recordEmbed(src)
				text += "[" + Words(src) + "](" + Destination(src) + ")"
			}
		case "sup", "sub":
			if closes {
				text, script = script, ""
				break
			}
			rest := source[tag.End:min(len(source), tag.End+maxScript)]
			content, after, whole := strings.Cut(rest, "</"+token.Data+">")
			if script = scripts(source[:tag.Start], token.Data, content, after); script != "" && whole {
				text = script
				break
			}
			t.RecordLoss(locale.M("a {element} is plain text now", "element", "<"+token.Data+">"))
		case "script", "form", "input", "button", "select", "svg":
			if !closes {
				t.RecordLoss(locale.M("a {element} is plain text now", "element", "<"+token.Data+">"))
			}
		}
		edits = append(edits, Edit{tag.Span, text})
	}
	return edits
}

// scripts returns the mark of subscript or superscript in Markdown for a text of such an element, between others. It
// returns "" if Markdown cannot express it.
func scripts(before, element, text, after string) string {
	mark := map[string]string{"sub": "~", "sup": "^"}[element]
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(text)
	end, _ := utf8.DecodeLastRuneInString(text)
	marked := mark + text + mark
	if !isWord(first) || !isWord(end) || markdown.Script(last, marked+after) != len(marked) {
		return ""
	}
	return mark
}

// maxScript is the number of bytes of a subscript or superscript with its end tag and the character after it.
const maxScript = 140

// endsParagraph matches a line that does not continue the paragraph above it.
var endsParagraph = regexp.MustCompile(`^[ \t>]*(?:\n|$|#{1,6}[ \t]|\x60{3}|~~~|---|\*\*\*|[-*+][ \t]|<)`)

// lineBreak returns a line break within a paragraph. Headings and rows of tables, which have cells, cannot contain one.
func lineBreak(source string, start int, cells bool, tag Span) string {
	line := strings.TrimLeft(source[start:tag.Start], " \t>")
	switch {
	case strings.HasPrefix(line, "|"), strings.HasPrefix(line, "#"), cells:
		return " "
	}
	rest := strings.TrimLeft(source[tag.End:], " \t")
	switch {
	case rest == "", rest[0] == '\n' && endsParagraph.MatchString(rest[1:min(len(rest), MaxIndent)]):
		return ""
	case rest[0] == '\n':
		return "\\"
	}
	return "\\\n" + Continued(source[start:start+len(source[start:tag.Start])-len(line)])
}

var scriptedNumber = regexp.MustCompile(`(?i)<(sup|sub)>([0-9+\-n()]{1,8})</(?:sup|sub)>`)

// scripted returns a number as superscript or subscript.
func scripted(how, text string) (string, bool) {
	from, to := "0123456789+-()n", []rune("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ")
	if how == "sub" {
		to = []rune("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₙ")
	}
	var b strings.Builder
	for _, r := range text {
		i := strings.IndexRune(from, r)
		if i < 0 {
			return "", false
		}
		b.WriteRune(to[i])
	}
	return b.String(), b.Len() > 0
}
