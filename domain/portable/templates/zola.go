package templates

import (
	"cmp"
	"path"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable/markup"
)

// zolaCode is a shortcode of Zola in a text: {{ name(key="value") }}, or {% name(key="value") %} with a body up to {%
// end %}. Either may be escaped.
type zolaCode struct {
	markup.Span
	markup.Construct
	opens  bool // whether it has a body
	ends   bool // whether it is {% end %}
	shown  bool // whether it is escaped and therefore text
	closed int  // index of the {% end %} that closes it, or 0
}

// maxZolaDepth is the maximum nesting depth of shortcodes with bodies.
const maxZolaDepth = 20

// TranslateZola translates Zola's shortcodes.
func TranslateZola(t *markup.Translator, source string) string {
	if !strings.Contains(source, "{{") && !strings.Contains(source, "{%") {
		return source
	}
	codes := zolaCodes(source, markup.CodeIn(source))
	return markup.SetApart(zolaPart(t, source, codes, 0, len(codes), 0, len(source)))
}

// zolaPart translates the part of a text between two positions, which contains the shortcodes between two indexes.
func zolaPart(t *markup.Translator, source string, codes []zolaCode, first, last, start, end int) string {
	var b strings.Builder
	for i := first; i < last; i++ {
		c := codes[i]
		switch {
		case c.shown:
			b.WriteString(source[start:c.Start])
			raw := source[c.Start:c.End]
			b.WriteString(raw[:2] + raw[4:len(raw)-4] + raw[len(raw)-2:])
			start = c.End
		case c.opens && c.closed > 0:
			b.WriteString(source[start:c.Start])
			closing := codes[c.closed]
			body := zolaPart(t, source, codes, i+1, c.closed, c.End, closing.Start)
			b.WriteString(zolaBlock(t, source[c.Start:closing.End], c, body))
			start, i = closing.End, c.closed
		case !c.opens && !c.ends:
			b.WriteString(source[start:c.Start])
			b.WriteString(zolaInline(t, source[c.Start:c.End], c))
			start = c.End
		}
	}
	b.WriteString(source[start:end])
	return b.String()
}

// zolaCodes returns the shortcodes of a text outside of code, and escaped shortcodes everywhere.
func zolaCodes(source string, code []markup.Span) []zolaCode {
	var found []zolaCode
	var open []int
	for at := 0; at < len(source)-1; {
		i := strings.IndexByte(source[at:], '{')
		if i < 0 {
			break
		}
		at += i
		c, ok := zolaCodeAt(source, at)
		if !ok || !c.shown && markup.Within(code, at) {
			at++
			continue
		}
		at = c.End
		switch {
		case c.opens && len(open) == maxZolaDepth:
			continue
		case c.opens:
			open = append(open, len(found))
		case c.ends && len(open) > 0:
			found[open[len(open)-1]].closed = len(found)
			open = open[:len(open)-1]
		}
		found = append(found, c)
	}
	return found
}

// maxZolaCode is the maximum length of a shortcode without its body, in bytes.
const maxZolaCode = 4000

// zolaCodeAt parses the shortcode that begins at a position.
func zolaCodeAt(source string, at int) (zolaCode, bool) {
	rest := source[at:min(len(source), at+maxZolaCode)]
	if len(rest) < 4 || rest[1] != '{' && rest[1] != '%' {
		return zolaCode{}, false
	}
	closing := "}}"
	if rest[1] == '%' {
		closing = "%}"
	}
	if strings.HasPrefix(rest[2:], "/*") {
		i := strings.Index(rest[4:], "*/"+closing)
		return zolaCode{Span: markup.Span{Start: at, End: at + 4 + i + 4}, shown: true}, i >= 0
	}
	s := strings.TrimPrefix(rest[2:], "-")
	name, s := zolaName(strings.TrimLeft(s, zolaSpace))
	if name == "" {
		return zolaCode{}, false
	}
	c := zolaCode{Construct: markup.Construct{Name: strings.ToLower(name)}, opens: closing == "%}"}
	s = strings.TrimLeft(s, zolaSpace)
	if c.opens && name == "end" {
		c.opens, c.ends = false, true
	} else {
		var ok bool
		if c.Args, s, ok = zolaArguments(s); !ok {
			return zolaCode{}, false
		}
	}
	s, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimLeft(s, zolaSpace), "-"), closing)
	c.Span = markup.Span{Start: at, End: at + len(rest) - len(s)}
	return c, ok
}

const zolaSpace = " \t\r\n"

// zolaName parses a name, which may follow a path of names.
func zolaName(s string) (name, rest string) {
	i := 0
	for i < len(s) && (s[i] == '_' || s[i] == ':' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' ||
		i > 0 && s[i] >= '0' && s[i] <= '9') {
		i++
	}
	return s[:i], s[i:]
}

// zolaArguments parses named arguments in parentheses. The value of a list is its source text.
func zolaArguments(s string) (args map[string]string, rest string, ok bool) {
	s, ok = strings.CutPrefix(s, "(")
	args = make(map[string]string)
	for ok {
		s = strings.TrimLeft(s, zolaSpace+",")
		if rest, ok := strings.CutPrefix(s, ")"); ok {
			return args, rest, true
		}
		var name, value string
		name, s = zolaName(s)
		s, ok = strings.CutPrefix(strings.TrimLeft(s, zolaSpace), "=")
		if !ok || name == "" {
			break
		}
		if value, s, ok = zolaValue(strings.TrimLeft(s, zolaSpace)); ok {
			args[strings.ToLower(name)] = value
		}
	}
	return nil, "", false
}

func zolaValue(s string) (value, rest string, ok bool) {
	if s == "" {
		return "", "", false
	}
	switch s[0] {
	case '"', '\'', '`':
		i := strings.IndexByte(s[1:], s[0])
		if i < 0 {
			return "", "", false
		}
		return s[1 : 1+i], s[2+i:], true
	case '[':
		i := strings.IndexByte(s, ']')
		return s[:i+1], s[i+1:], i > 0
	}
	i := strings.IndexAny(s, ",) \t\r\n")
	if i <= 0 {
		return "", "", false
	}
	return s[:i], s[i:], true
}

// zolaInline translates a shortcode without a body. Its source is raw.
func zolaInline(t *markup.Translator, raw string, c zolaCode) string {
	name := path.Base(strings.ReplaceAll(c.Name, "::", "/"))
	switch name {
	case "figure", "image", "img", "picture", "photo", "resize_image", "imgh", "fit_image", "responsive_image",
		"lightbox":
		src := c.Arg("src", "path", "url", "file", "href", "image")
		if src == "" {
			break
		}
		caption := c.Arg("caption", "title")
		alt := cmp.Or(c.Arg("alt", "description"), caption)
		if name == "figure" || caption != "" {
			return markup.Figure(src, alt, caption)
		}
		return markup.Picture(src, alt, "")
	case "gist":
		if to := c.Arg("url"); to != "" {
			return t.EmbedLink(to)
		}
		if user, id := c.Arg("user", "username"), c.Arg("id", "gist"); id != "" {
			return t.EmbedLink("https://gist.github.com/" + strings.TrimPrefix(user+"/"+id, "/"))
		}
	case "youtube":
		if list := c.Arg("playlist"); list != "" && c.Arg("id") == "" {
			return t.EmbedLink("https://www.youtube.com/playlist?list=" + list)
		}
	case "streamable":
		if id := c.Arg("id"); id != "" {
			return t.EmbedLink("https://streamable.com/" + id)
		}
	case "audio", "video", "mp4", "webm":
		if src := c.Arg("src", "path", "url", "file"); src != "" {
			return "[" + cmp.Or(c.Arg("title", "caption", "alt"), path.Base(src)) + "](" + markup.Destination(src) + ")"
		}
	case "toc": // the page of a post has its own table of contents
		return ""
	case "katex", "math", "latex":
		if body := c.Arg("body", "formula", "tex"); body != "" {
			return "$" + body + "$"
		}
	}
	if to := markup.EmbedAddress(name, c.Arg("url", "id", "user"), c.Arg("id")); to != "" {
		return t.EmbedLink(to)
	}
	return t.Template(locale.M("the shortcode {name}", "name", name), raw, "")
}

// zolaBlock translates a shortcode with its translated body. The source of both is raw.
func zolaBlock(t *markup.Translator, raw string, c zolaCode, body string) string {
	name := path.Base(strings.ReplaceAll(c.Name, "::", "/"))
	body = strings.Trim(markup.SetApart(body), "\r\n")
	switch name {
	case "quote", "blockquote":
		if by := c.Arg("author", "cite", "by", "source", "from"); by != "" {
			body += "\n\n— " + by
		}
		return markup.Block(markup.BlockQuote(body))
	case "note", "tip", "hint", "info", "important", "warning", "caution", "danger", "alert", "admonition", "callout",
		"aside", "notice":
		title := c.Arg("title", "header", "summary")
		if title == "" && name != "aside" {
			title = markup.Capitalised(cmp.Or(c.Arg("type", "kind", "level"), name))
		}
		if title != "" {
			body = "**" + strings.ReplaceAll(title, "*", "") + "**\n\n" + body
		}
		return markup.Block(markup.BlockQuote(body))
	case "details", "collapse", "collapsible", "spoiler":
		c.Name, c.Paired, c.Inner = "details", true, body
		text, _ := t.Construct(c.Construct)
		return text
	case "mermaid":
		return markup.Block(markup.Fenced("mermaid", body))
	case "code", "highlight":
		return markup.Block(markup.Fenced(c.Arg("lang", "language"), body))
	case "katex", "math", "latex":
		if body = strings.TrimSpace(body); c.Arg("block") == "true" || strings.Contains(body, "\n") {
			return markup.Block("$$\n" + body + "\n$$")
		}
		return "$" + body + "$"
	case "figure":
		if src := c.Arg("src", "path", "url"); src != "" {
			return markup.Figure(src, c.Arg("alt"), cmp.Or(c.Arg("caption"), body))
		}
	}
	return t.Template(locale.M("the shortcode {name}", "name", name), raw, body)
}
