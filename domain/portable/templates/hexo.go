package templates

import (
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// Hexo finds what the tags of a post of Hexo name.
type Hexo struct {
	Asset func(name string) (address string)        // of a file in the folder of the post
	Post  func(slug string) (address, title string) // of another post; empty if there is none
}

// nunjucksComment matches a comment of Nunjucks, the template language of Hexo and often of Eleventy.
var nunjucksComment = regexp.MustCompile(`(?s)\{#.*?#\}`)

// withoutComments removes the comments of Nunjucks from a text.
func withoutComments(source string) string {
	if !strings.Contains(source, "{#") {
		return source
	}
	code, edits := markup.CodeIn(source), []markup.Edit{}
	for _, at := range nunjucksComment.FindAllStringIndex(source, -1) {
		if !markup.Within(code, at[0]) {
			edits = append(edits, markup.Edit{Span: markup.Span{Start: at[0], End: at[1]}})
		}
	}
	return markup.Apply(source, edits)
}

// inBackticks reports whether a position is between backticks on its line, which is code for Hexo even within HTML.
func inBackticks(source string, at int) bool {
	before := source[max(0, at-maxHTMLBefore):at]
	return strings.Count(before[strings.LastIndexByte(before, '\n')+1:], "`")%2 == 1
}

var (
	hexoTab    = regexp.MustCompile(`<!--\s*tab\s+([^\n@]*?)(?:@[^\n]*?)?\s*-->`)
	hexoWord   = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\S+)`)
	hexoOption = regexp.MustCompile(`^[a-z_]+:\S+$`)
)

// hexoTag translates a tag of Hexo. raw is the text up to the closing tag, inner the same with its tags translated; a
// tag without a closing tag has neither.
func (l *liquid) hexoTag(k liquidToken, raw string, inner func() string) (string, bool) {
	h := l.page.Hexo
	var words, plain []string // all, and those that are neither options nor addresses
	options, to := make(map[string]string), ""
	for _, m := range hexoWord.FindAllStringSubmatch(k.rest, -1) {
		word := m[1] + m[2] + m[3]
		words = append(words, word)
		switch name, value, _ := strings.Cut(word, ":"); {
		case m[3] != "" && hexoOption.MatchString(word) && !strings.Contains(word, "://"):
			options[name] = value
		case to == "" && (strings.Contains(word, "://") || strings.HasPrefix(word, "/")):
			to = word
		case word != "true" && word != "false":
			plain = append(plain, word)
		}
	}
	rest := strings.Join(plain, " ")
	first, more, _ := strings.Cut(strings.Join(words, "\x00"), "\x00")
	more = strings.ReplaceAll(more, "\x00", " ")
	link := func(text, to string) (string, bool) {
		if to == "" || text == "" {
			return "", false
		}
		return "[" + text + "](" + markup.Destination(to) + ")", true
	}
	switch k.tag {
	case "codeblock", "code":
		text := markup.Construct{Indent: indentAt(l.source, k.Start)}.Dedented(raw)
		text = markup.Fenced(options["lang"], text)
		if rest != "" && to != "" {
			rest = "[" + rest + "](" + markup.Destination(to) + ")"
		}
		if rest != "" {
			text = "**" + rest + "**\n\n" + text
		}
		return markup.Block(text), inner != nil
	case "blockquote", "quote", "pullquote", "centerquote", "cq":
		if inner == nil {
			return "", false
		}
		text := strings.TrimSpace(inner())
		if rest != "" && k.tag != "pullquote" {
			if text += "\n\n– " + rest; to != "" {
				text = strings.TrimSuffix(text, rest) + "[" + rest + "](" + markup.Destination(to) + ")"
			}
		}
		return markup.Block(markup.BlockQuote(text)), true
	case "asset_img", "img":
		if src, alt, ok := octopressPicture(k.rest); ok {
			return markup.Picture(h.Asset(src), alt, ""), true
		}
	case "asset_path":
		return h.Asset(first), first != ""
	case "asset_link":
		if more == "" {
			more = first
		}
		return link(more, h.Asset(first))
	case "post_link", "post_path":
		address, title := h.Post(first)
		if k.tag == "post_path" {
			return address, address != ""
		}
		words = slices.DeleteFunc(words[min(1, len(words)):], func(w string) bool {
			return w == "true" ||
				w == "false"
		})
		if len(words) > 0 {
			title = markup.PlainText(strings.Join(words, " "))
		}
		return link(title, address)
	case "label": // of the theme NexT, as those below: its kind, and a text
		kind, text, hasKind := strings.Cut(k.rest, "@")
		if !hasKind {
			text = kind
		}
		return strings.TrimSpace(text), text != ""
	case "btn", "button":
		parts := strings.Split(k.rest, ",")
		return link(strings.TrimSpace(parts[min(1, len(parts)-1)]), strings.TrimSpace(parts[0]))
	case "tabs", "subtabs", "subsubtabs":
		if inner != nil {
			return hexoTab.ReplaceAllString(inner(), "**$1**\n"), true
		}
	case "link", "url_for", "full_url_for":
		if to == "" && len(words) > 1 {
			to, rest = "/"+words[1], words[0]
		}
		return link(rest, to)
	case "iframe":
		return l.EmbedLink(to), to != ""
	case "jsfiddle":
		return l.EmbedLink("https://jsfiddle.net/" + first), first != ""
	}
	return "", false
}

// octopressPicture returns the picture of {% img [class] src [width [height]] [title [alt]] %}.
func octopressPicture(rest string) (src, alt string, ok bool) {
	args := markup.Parameters(rest)
	for i := range len(markup.ConstructParam.FindAllString(rest, 5)) {
		if src := args[string(rune('0'+i))]; portable.IsImage(strings.SplitN(src, "?", 2)[0]) {
			if m := quotedText.FindAllStringSubmatch(rest, -1); m != nil && !portable.IsImage(m[len(m)-1][1]) {
				alt = m[len(m)-1][1]
			}
			return src, alt, true
		}
	}
	return "", "", false
}

var quotedText = regexp.MustCompile(`["']([^"']+)["']`)
