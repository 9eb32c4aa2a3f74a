package wordpress

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

var (
	embedBlock   = regexp.MustCompile(`(?s)<!--\s*wp:(?:core-)?embed[^>]*?-->.*?<!--\s*/wp:(?:core-)?embed[^>]*?-->`)
	embedAddress = regexp.MustCompile(`"url"\s*:\s*"((?:[^"\\]|\\.)*)"`)
	captionCode  = regexp.MustCompile(`(?s)\[caption[^\]]*\](.*?)\[/caption\]`)
	captionImage = regexp.MustCompile(`(?s)^\s*((?:<a[^>]*>\s*)?<img[^>]*>(?:\s*</a>)?)(.*)$`)
	captionText  = regexp.MustCompile(`caption="([^"]*)"`)
	galleryCode  = regexp.MustCompile(`\[gallery([^\]]*)\]`)
	embedCode    = regexp.MustCompile(
		`\[(/?(?:embed|youtube|vimeo|video|audio|playlist|soundcloud|tweet|gist|instagram))([^\]]*)\]`)
	httpAddress = regexp.MustCompile(`https?://[^\s"'\[\]<]+`)
	otherCode   = regexp.MustCompile(`\[/?([a-z][a-z0-9_-]{2,30})(?:\s+[\w-]+\s*=[^\]]*)?/?\]`)
	htmlCode    = regexp.MustCompile(`(?is)<(?:pre|code|script|style)\b.*?</(?:pre|code|script|style)>`)
	bareAddress = regexp.MustCompile(`(?m)^[ \t]*(https?://[^\s<>"]+)[ \t]*$`)
)

// translateText translates the text of a post: blocks, or HTML of the classic editor with shortcodes. In the
// latter, paragraphs must be guessed.
func translateText(t *markup.Translator, source string, post int, files *attachments) (string, error) {
	if len(source) > portable.MaxText {
		return "", portable.ErrTooLarge
	}
	t.Pictures = files.pages
	source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	if rest, ended := strings.CutSuffix(source, "]]>"); ended { // a section in it has ended that of XML
		source = strings.Replace(rest, "<![CDATA[", "", 1) // HTML would hide the rest
	}
	blocks := strings.Contains(source, "<!-- wp:")
	source, held := holdCode(source)
	source = embedBlock.ReplaceAllStringFunc(source, func(s string) string {
		m := embedAddress.FindStringSubmatch(s)
		if m == nil {
			return s
		}
		var address string
		if json.Unmarshal([]byte(`"`+m[1]+`"`), &address) != nil {
			return s
		}
		return t.EmbedLinkHTML(address) + caption.FindString(s)
	})
	source = markup.ReadMore.ReplaceAllString(translateBlocks(t, coverPictures(source)), "")
	source, err := translateShortcodes(t, source, post, files)
	if err != nil {
		return "", err
	}
	if !blocks {
		source = bareAddress.ReplaceAllString(source, `<p><a href="$1">$1</a></p>`)
		source = paragraphs(source)
	}
	return t.HTML(held.restore(source))
}

// translateShortcodes translates WordPress's own shortcodes and those of common plugins. The policy for template code
// applies to others.
func translateShortcodes(t *markup.Translator, source string, post int, files *attachments) (string, error) {
	if !strings.Contains(source, "[") {
		return source, nil
	}
	source = captionCode.ReplaceAllStringFunc(source, func(s string) string {
		m := captionCode.FindStringSubmatch(s)
		parts := captionImage.FindStringSubmatch(m[1])
		if parts == nil {
			return m[1]
		}
		caption := strings.TrimSpace(parts[2])
		if c := captionText.FindStringSubmatch(s); caption == "" && c != nil {
			caption = c[1]
		}
		return "<figure>" + parts[1] + "<figcaption>" + caption + "</figcaption></figure>"
	})
	galleries := 0 // the number of pictures looked at: a short shortcode can stand for many
	source = galleryCode.ReplaceAllStringFunc(source, func(s string) string {
		if galleries > portable.MaxText {
			return ""
		}
		gallery, looked := files.gallery(galleryCode.FindStringSubmatch(s)[1], post)
		if gallery == "" {
			t.RecordLoss(locale.M(
				"a gallery was left out, because the export does not list its pictures"))
		}
		galleries += len(gallery) + looked
		return gallery
	})
	if galleries > portable.MaxText {
		return "", portable.ErrTooLarge
	}
	return otherShortcodes(t, translateEmbeds(t, source)), nil
}

// translateEmbeds replaces the shortcodes of embedded content by links.
func translateEmbeds(t *markup.Translator, source string) string {
	var edits []markup.Edit
	tags := embedCode.FindAllStringSubmatchIndex(source, -1)
	for i := 0; i < len(tags); i++ {
		m := tags[i]
		name, attributes := source[m[2]:m[3]], source[m[4]:m[5]]
		if name[0] == '/' {
			continue
		}
		span := markup.Span{Start: m[0], End: m[1]}
		if i+1 < len(tags) && source[tags[i+1][2]:tags[i+1][3]] == "/"+name { // it has a closing tag
			i++
			span.End = tags[i][1]
		}
		address := httpAddress.FindString(source[span.Start:span.End])
		if address == "" {
			if id := strings.Fields(attributes); name == "gist" && len(id) > 0 && !strings.Contains(id[0], "=") {
				address = "https://gist.github.com/" + id[0]
			} else {
				address = markup.EmbedAddress(name, strings.Trim(strings.TrimSpace(attributes), `="' `), "")
			}
		}
		if address != "" {
			edits = append(edits, markup.Edit{Span: span, Text: t.EmbedLinkHTML(address)})
		}
	}
	return markup.Apply(source, edits)
}

// otherShortcodes applies the policy for template code to unknown shortcodes. It takes only words in brackets with
// parameters or a closing tag for shortcodes, and none in code.
func otherShortcodes(t *markup.Translator, source string) string {
	closed := make(map[string]bool)
	for _, m := range otherCode.FindAllStringSubmatch(source, -1) {
		if strings.HasPrefix(m[0], "[/") {
			closed[m[1]] = true
		}
	}
	var b strings.Builder
	at := 0
	code := htmlCode.FindAllStringIndex(source, -1)
	for _, m := range otherCode.FindAllStringSubmatchIndex(source, -1) {
		for len(code) > 0 && code[0][1] <= m[0] {
			code = code[1:]
		}
		typed, name := source[m[0]:m[1]], source[m[2]:m[3]]
		shown := m[0] > 0 && source[m[0]-1] == '[' || len(code) > 0 && code[0][0] <= m[0]
		if shown || !strings.Contains(typed, "=") && !closed[name] {
			continue
		}
		b.WriteString(source[at:m[0]])
		at = m[1]
		if !strings.HasPrefix(typed, "[/") {
			typed = t.Template(locale.M("the shortcode {name}", "name", "["+name+"]"), typed, "")
		} else if t.Templates == portable.RemoveTemplates {
			typed = ""
		}
		b.WriteString(typed)
	}
	return b.String() + source[at:]
}

var (
	preformatted = regexp.MustCompile(`(?is)<(?:script|style|textarea|table)\b.*?</(?:script|style|textarea|table)>`)
	emptyLines   = regexp.MustCompile(`\n[ \t]*\n\s*`)
	beforeBlock  = regexp.MustCompile(`(?i)\s*(</?(?:address|blockquote|center|div|dl|figure|form|h[1-6]|hr|ol|p|pre|` +
		`section|table|ul)\b[^>]*>)\s*`)
)

// linesOfCode matches a <code> element of several lines that stands alone.
var linesOfCode = regexp.MustCompile(`(?m)^[ \t]*<code>([^<]*\n[^<]*)</code>[ \t]*$`)

// paragraphs adds <p> elements to text that is separated by empty lines, as WordPress does when it shows a classic
// post.
func paragraphs(source string) string {
	var kept []string
	keep := func(s string) string {
		kept = append(kept, s)
		return "\n\n\x00" + strconv.Itoa(len(kept)-1) + "\x00\n\n"
	}
	source = preformatted.ReplaceAllStringFunc(source, keep)
	source = linesOfCode.ReplaceAllStringFunc(source, func(s string) string {
		return keep("<pre>" + strings.TrimSpace(s) + "</pre>")
	})
	source = beforeBlock.ReplaceAllString(source, "\n\n$1\n\n")
	var b strings.Builder
	for part := range strings.SplitSeq(emptyLines.ReplaceAllString(source, "\n\n"), "\n\n") {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
		case strings.HasPrefix(part, "\x00"):
			if i, err := strconv.Atoi(strings.Trim(part, "\x00")); err == nil && i < len(kept) {
				b.WriteString(kept[i])
			}
		case markup.BlockElement.MatchString(part), strings.HasPrefix(part, codeMark):
			b.WriteString(part + "\n")
		default:
			b.WriteString("<p>" + strings.ReplaceAll(part, "\n", "<br>\n") + "</p>\n")
		}
	}
	return b.String()
}
