package portable

import (
	"cmp"
	"html"
	"path"
	"strings"
)

// zolaCode is a shortcode of Zola in a text: {{ name(key="value") }}, or
// {% name(key="value") %} with a body up to {% end %}, or either one escaped.
type zolaCode struct {
	span
	name   string
	args   map[string]string
	opens  bool // it has a body
	ends   bool // it is {% end %}
	shown  bool // escaped: it is text
	closed int  // index of what ends it, 0: nothing does
}

// maxZolaDepth bounds how deep shortcodes with bodies may nest.
const maxZolaDepth = 20

// zola translates Zola's shortcodes.
func translateZola(t *translator, source string) string {
	if !strings.Contains(source, "{{") && !strings.Contains(source, "{%") {
		return source
	}
	codes := zolaCodes(source, codeIn(source))
	return setApart(zolaPart(t, source, codes, 0, len(codes), 0, len(source)))
}

// zolaPart translates the part of a text that lies between two positions, and in it the
// shortcodes between two indexes.
func zolaPart(t *translator, source string, codes []zolaCode, first, last, start, end int) string {
	var b strings.Builder
	for i := first; i < last; i++ {
		c := codes[i]
		switch {
		case c.shown:
			b.WriteString(source[start:c.start])
			raw := source[c.start:c.end]
			b.WriteString(raw[:2] + raw[4:len(raw)-4] + raw[len(raw)-2:])
			start = c.end
		case c.opens && c.closed > 0:
			b.WriteString(source[start:c.start])
			closing := codes[c.closed]
			body := zolaPart(t, source, codes, i+1, c.closed, c.end, closing.start)
			b.WriteString(zolaBlock(t, source[c.start:closing.end], c, body))
			start, i = closing.end, c.closed
		case !c.opens && !c.ends:
			b.WriteString(source[start:c.start])
			b.WriteString(zolaInline(t, source[c.start:c.end], c))
			start = c.end
		}
	}
	b.WriteString(source[start:end])
	return b.String()
}

// zolaCodes finds the shortcodes of a text outside of programs, and escaped ones everywhere.
func zolaCodes(source string, code []span) []zolaCode {
	var found []zolaCode
	var open []int
	for at := 0; at < len(source)-1; {
		i := strings.IndexByte(source[at:], '{')
		if i < 0 {
			break
		}
		at += i
		c, ok := zolaCodeAt(source, at)
		if !ok || !c.shown && within(code, at) {
			at++
			continue
		}
		at = c.end
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

// maxZolaCode is longer, in bytes, than shortcodes are without their bodies.
const maxZolaCode = 4000

// zolaCodeAt reads the shortcode that begins at a position.
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
		return zolaCode{span: span{at, at + 4 + i + 4}, shown: true}, i >= 0
	}
	s := strings.TrimPrefix(rest[2:], "-")
	name, s := zolaName(strings.TrimLeft(s, zolaSpace))
	if name == "" {
		return zolaCode{}, false
	}
	c := zolaCode{name: strings.ToLower(name), opens: closing == "%}"}
	s = strings.TrimLeft(s, zolaSpace)
	if c.opens && name == "end" {
		c.opens, c.ends = false, true
	} else {
		var ok bool
		if c.args, s, ok = zolaArguments(s); !ok {
			return zolaCode{}, false
		}
	}
	s, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimLeft(s, zolaSpace), "-"), closing)
	c.span = span{at, at + len(rest) - len(s)}
	return c, ok
}

const zolaSpace = " \t\r\n"

// zolaName reads a name, which may have a path of names before it.
func zolaName(s string) (name, rest string) {
	i := 0
	for i < len(s) && (s[i] == '_' || s[i] == ':' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || i > 0 && s[i] >= '0' && s[i] <= '9') {
		i++
	}
	return s[:i], s[i:]
}

// zolaArguments reads what stands in parentheses: names with values. Of a list of values
// the source is kept.
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

func (c zolaCode) arg(keys ...string) string {
	for _, key := range keys {
		if c.args[key] != "" {
			return c.args[key]
		}
	}
	return ""
}

// zolaInline translates a shortcode without a body; raw is what it stands as.
func zolaInline(t *translator, raw string, c zolaCode) string {
	name := path.Base(strings.ReplaceAll(c.name, "::", "/"))
	switch name {
	case "figure", "image", "img", "picture", "photo", "resize_image", "imgh", "fit_image", "responsive_image", "lightbox":
		src := c.arg("src", "path", "url", "file", "href", "image")
		if src == "" {
			break
		}
		caption := c.arg("caption", "title")
		alt := cmp.Or(c.arg("alt", "description"), caption)
		if name == "figure" || caption != "" {
			return figure(src, alt, caption)
		}
		return picture(src, alt, "")
	case "gist":
		if to := c.arg("url"); to != "" {
			return t.embedded(to)
		}
		if user, id := c.arg("user", "username"), c.arg("id", "gist"); id != "" {
			return t.embedded("https://gist.github.com/" + strings.TrimPrefix(user+"/"+id, "/"))
		}
	case "youtube":
		if list := c.arg("playlist"); list != "" && c.arg("id") == "" {
			return t.embedded("https://www.youtube.com/playlist?list=" + list)
		}
	case "streamable":
		if id := c.arg("id"); id != "" {
			return t.embedded("https://streamable.com/" + id)
		}
	case "audio", "video", "mp4", "webm":
		if src := c.arg("src", "path", "url", "file"); src != "" {
			return "[" + cmp.Or(c.arg("title", "caption", "alt"), path.Base(src)) + "](" + destination(src) + ")"
		}
	case "toc": // a post's page has its own
		return ""
	case "katex", "math", "latex":
		if body := c.arg("body", "formula", "tex"); body != "" {
			return "$" + body + "$"
		}
	}
	if to := embedding(name, c.arg("url", "id", "user"), c.arg("id")); to != "" {
		return t.embedded(to)
	}
	return t.template("the shortcode "+name, raw, "")
}

// zolaBlock translates a shortcode with its body, which is translated; raw is what both
// stand as.
func zolaBlock(t *translator, raw string, c zolaCode, body string) string {
	name := path.Base(strings.ReplaceAll(c.name, "::", "/"))
	body = strings.Trim(setApart(body), "\r\n")
	switch name {
	case "quote", "blockquote":
		if by := c.arg("author", "cite", "by", "source", "from"); by != "" {
			body += "\n\n— " + by
		}
		return apart(blockQuote(body))
	case "note", "tip", "hint", "info", "important", "warning", "caution", "danger", "alert", "admonition", "callout", "aside", "notice":
		title := c.arg("title", "header", "summary")
		if title == "" && name != "aside" {
			title = capitalised(cmp.Or(c.arg("type", "kind", "level"), name))
		}
		if title != "" {
			body = "**" + strings.ReplaceAll(title, "*", "") + "**\n\n" + body
		}
		return apart(blockQuote(body))
	case "details", "collapse", "collapsible", "spoiler":
		return apart("<details>\n<summary>" + html.EscapeString(cmp.Or(c.arg("summary", "title", "label"), "Details")) + "</summary>\n\n" + body + "\n\n</details>")
	case "mermaid":
		return apart(fenced("mermaid", body))
	case "code", "highlight":
		return apart(fenced(c.arg("lang", "language"), body))
	case "katex", "math", "latex":
		if body = strings.TrimSpace(body); c.arg("block") == "true" || strings.Contains(body, "\n") {
			return apart("$$\n" + body + "\n$$")
		}
		return "$" + body + "$"
	case "figure":
		if src := c.arg("src", "path", "url"); src != "" {
			return figure(src, c.arg("alt"), cmp.Or(c.arg("caption"), body))
		}
	}
	return t.template("the shortcode "+name, raw, body)
}

// apart marks a text of several lines that is to stand in paragraphs of its own, see
// setApart.
func apart(text string) string {
	return figureBegin + figureMarks.Replace(text) + figureMiddle + figureEnd
}
