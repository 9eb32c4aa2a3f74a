package portable

import (
	"html"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// construct is a use of a shortcode or tag: its name, its parameters and, if it has a
// closing tag, what it contains.
type construct struct {
	name   string            // in lower case
	args   map[string]string // by name, or by position
	paired bool
	inner  string // translated
	raw    string // as it was typed
	indent string // of the line that it begins on
}

// arg is the first of some parameters that has a value.
func (c construct) arg(keys ...string) string {
	for _, key := range keys {
		if c.args[key] != "" {
			return c.args[key]
		}
	}
	return ""
}

var constructParam = regexp.MustCompile(`(?:([\w-]+)\s*=\s*)?` +
	`(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|` + "`([^`]*)`" + `|([^\s"]+))`)

// parameters reads the parameters of a shortcode or tag.
func parameters(text string) map[string]string {
	args := make(map[string]string)
	for i, m := range constructParam.FindAllStringSubmatch(text, -1) {
		key := strings.ToLower(m[1])
		if key == "" {
			key = strconv.Itoa(i)
		}
		args[key] = strings.ReplaceAll(m[2]+m[3]+m[4]+m[5], `\"`, `"`)
	}
	return args
}

// block marks a text of several lines that is to stand apart: see setApart.
func block(text string) string {
	return figureBegin + figureMarks.Replace(setApart(text)) + figureMiddle + figureEnd
}

// construct translates the shortcodes and tags that most sites have. It is not ok for others.
func (t *translator) construct(c construct) (text string, ok bool) {
	switch c.name {
	case "figure", "img", "image", "imgcap", "lightbox", "picture", "photo":
		return c.picture()
	case "ref", "relref":
		return c.reference()
	case "highlight", "code", "codeblock":
		if !c.paired {
			return "", false
		}
		return c.code(c.language()), true
	case "mermaid":
		if !c.paired {
			return "", false
		}
		return c.code("mermaid"), true
	case "gist":
		switch user, id := c.arg("0"), c.arg("1"); {
		case user == "":
			return "", false
		case id == "" || strings.Contains(id, "."): // Jekyll's: an id, and a file
			return t.embedded("https://gist.github.com/" + user), true
		default:
			return t.embedded("https://gist.github.com/" + user + "/" + id), true
		}
	case "details", "collapse", "expand", "spoiler", "fold":
		if !c.paired {
			return "", false
		}
		summary := c.arg("summary", "title", "label")
		if summary == "" {
			summary = c.words()
		}
		if summary == "" {
			summary = "Details"
		}
		opening := "<details>\n<summary>" + html.EscapeString(summary) + "</summary>\n\n"
		return block(opening + c.dedented(c.inner) + "\n\n</details>"), true
	case "tab":
		label := c.arg("name", "title", "header", "label", "0")
		if !c.paired || label == "" {
			return c.inner, c.paired
		}
		return block("**" + label + "**\n\n" + c.dedented(c.inner)), true
	case "tabs", "tabpane", "tabgroup", "codetabs", "gallery", "center", "rawhtml", "html", "raw", "lead", "columns", "column",
		"katex", "math", "mathjax", "nohighlight", "badge", "keyword", "keywordlist", "typeit", "timeline":
		return c.inner, c.paired
	case "timelineitem":
		head := strings.TrimSpace(c.arg("header") + " " + c.arg("badge"))
		if !c.paired || head == "" {
			return c.inner, c.paired
		}
		return block("**" + head + "**\n\n" + strings.TrimLeft(c.arg("subheader")+"\n\n", "\n") + c.dedented(c.inner)), true
	case "article": // of the site, as a card
		if to := c.arg("link"); to != "" {
			return "[" + to + "](" + destination(to) + ")", true
		}
		return "", false
	case "github", "gitlab", "codeberg":
		host := map[string]string{"github": "github.com/", "gitlab": "gitlab.com/", "codeberg": "codeberg.org/"}[c.name]
		if repo := c.arg("repo"); strings.Contains(repo, "/") {
			return t.embedded("https://" + host + repo), true
		}
		return "", false
	case "button", "link", "btn":
		to := c.arg("href", "url", "link", "relref", "0")
		if label := strings.TrimSpace(c.inner); c.paired && to != "" && label != "" && !strings.Contains(label, "\n") {
			return "[" + label + "](" + destination(to) + ")", true
		}
		return "", false
	case "kbd":
		if key := c.arg("0", "text"); key != "" {
			return "`" + key + "`", true
		}
		return "", false
	case "qr", "swatches", "toc", "table-of-contents", "icon", "fontawesome", "load-photoswipe", "clear", "comment":
		t.lose("the shortcode " + c.name + " was left out")
		return "", true
	case "quote", "blockquote":
		if !c.paired {
			return "", false
		}
		text := c.dedented(c.inner)
		if author := c.arg("author", "cite", "source"); author != "" {
			text += "\n\n– " + author
		}
		return block(quoted(text)), true
	}
	if kind, isAside := asides[c.name]; isAside {
		return t.aside(c, kind)
	}
	if to := embedding(c.name, c.arg("id", "user", "0", "url", "src"), c.arg("id", "1")); to != "" {
		return t.embedded(to), true
	}
	return "", false
}

// words are the parameters without names, as Jekyll's tags have a text without quotes.
func (c construct) words() string {
	var words []string
	for i := 0; ; i++ {
		word := c.args[strconv.Itoa(i)]
		if word == "" || i > 0 && word == "open" {
			return strings.Join(words, " ")
		}
		words = append(words, word)
	}
}

// picture is a figure in a paragraph of its own, or a picture within a line.
func (c construct) picture() (string, bool) {
	src := c.arg("src", "link", "url", "0")
	if src == "" {
		return "", false
	}
	caption := c.caption()
	alt := c.arg("alt")
	if alt == "" {
		alt = withoutMarks.Replace(c.arg("caption", "title", "1"))
	}
	if c.name == "figure" || caption != "" {
		return figure(src, alt, caption), true
	}
	return picture(src, alt, ""), true
}

// withoutMarks makes plain text of a caption with emphasis.
var withoutMarks = strings.NewReplacer("*", "", "`", "")

// caption is what stands below the figure: its title, its caption and whom it is by.
func (c construct) caption() string {
	title, caption, by := c.arg("title"), c.arg("caption"), c.arg("attr")
	switch {
	case title == "" && caption == "" && by == "" && c.args["0"] != "":
		return c.args["1"]
	case caption == "":
		caption = title
	case title != "" && title != caption:
		caption = strings.TrimRight(title, ".: ") + ": " + caption
	}
	if to := c.arg("attrlink"); by != "" && to != "" {
		by = "[" + by + "](" + destination(to) + ")"
	}
	return strings.TrimSpace(caption + " " + by)
}

// reference is the destination of a link to another page of the site.
func (c construct) reference() (string, bool) {
	target, fragment, _ := strings.Cut(c.arg("path", "0"), "#")
	if target == "" && fragment == "" {
		return "", false
	}
	if target != "" && path.Ext(target) == "" {
		target += ".md"
	}
	if fragment != "" {
		target += "#" + fragment
	}
	return destination(target), true
}

var languageName = regexp.MustCompile(`^[\w+#.-]{1,40}$`)

// language is that of code, empty if it is not named.
func (c construct) language() string {
	name := strings.TrimPrefix(c.arg("lang", "language"), "lang:")
	if name == "" {
		name = strings.TrimPrefix(c.arg("0"), "lang:")
	}
	for _, arg := range c.args { // Octopress: a title, and lang:go
		if lang, ok := strings.CutPrefix(arg, "lang:"); ok {
			name = lang
		}
	}
	if !languageName.MatchString(name) {
		return ""
	}
	return name
}

// code is what the construct contains as a fenced block, or within a line if it is so there.
func (c construct) code(language string) string {
	if strings.Contains(c.arg("1")+c.arg("options"), "hl_inline=true") || c.arg("hl_inline") == "true" {
		return "`" + strings.TrimSpace(c.raw) + "`"
	}
	return block(fenced(language, c.dedented(c.raw)))
}

// dedented is a text without the indentation of the line that the construct begins on, and
// without empty lines around it.
func (c construct) dedented(text string) string {
	text = strings.Trim(strings.TrimLeft(strings.TrimRight(text, " \t"), " \t"), "\n")
	if c.indent == "" {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		n := 0
		for n < len(line) && n < len(c.indent) && (line[n] == c.indent[n] || line[n] == ' ' && c.indent[n] != '>') {
			n++
		}
		lines[i] = line[n:]
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// asides maps the names of shortcodes for asides to their labels. An empty label depends on the parameters.
var asides = map[string]string{
	"notice": "", "alert": "", "admonition": "", "callout": "", "hint": "",
	"note": "Note", "info": "Info", "information": "Info", "tip": "Tip", "important": "Important",
	"warning": "Warning", "warn": "Warning", "caution": "Caution", "danger": "Danger", "error": "Error",
	"success": "Success", "question": "Question", "example": "Example",
	"attention": "Attention", "abstract": "Abstract", "todo": "Todo",
}

// aside is a quote that begins with a label in bold.
func (t *translator) aside(c construct, label string) (string, bool) {
	text := c.inner
	if !c.paired {
		text = c.arg("text", "content", "message", "body")
	}
	if strings.TrimSpace(text) == "" {
		return "", false
	}
	for _, key := range []string{"type", "kind", "level", "class", "style", "color", "0", "1"} {
		if label == "" {
			label = asides[strings.ToLower(c.args[key])]
		}
	}
	if title := strings.TrimSpace(c.arg("title", "header", "heading")); title != "" {
		label = title
	} else if title = strings.TrimSpace(c.arg("1")); title != "" && asides[strings.ToLower(c.args["0"])] != "" {
		label = title
	}
	if label == "" {
		label = "Note"
	}
	first, size := utf8.DecodeRuneInString(label)
	t.lose("the shortcode " + c.name + " is a quote with a label now")
	return block(quoted("**" + string(unicode.ToUpper(first)) + label[size:] + "**\n\n" + c.dedented(text))), true
}

// quoted puts a text into a quote.
func quoted(text string) string {
	lines := strings.Split(setApart(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+line, " \t")
	}
	return strings.Join(lines, "\n")
}

// embedded returns a link to embedded content.
func (t *translator) embedded(to string) string {
	t.lose("embedded content is a link now: " + to)
	return "<" + strings.NewReplacer(" ", "%20", "<", "%3C", ">", "%3E").Replace(to) + ">"
}

// embedding returns the address of the content that a shortcode or tag embeds.
func embedding(name, id, second string) string {
	if id == "" {
		return ""
	}
	if strings.HasPrefix(id, "http://") || strings.HasPrefix(id, "https://") {
		switch name {
		case "youtube", "vimeo", "tweet", "twitter", "x", "instagram", "embed", "youtube.html", "soundcloud", "video", "wpvideo":
			return id
		}
		return ""
	}
	switch name {
	case "youtube", "youtubelite", "youtube-lite", "youtube.html", "video/youtube.html":
		return "https://www.youtube.com/watch?v=" + id
	case "vimeo", "vimeo.html":
		return "https://vimeo.com/" + id
	case "tweet", "x", "twitter":
		if second != "" && second != id {
			return "https://twitter.com/" + id + "/status/" + second
		}
		return "https://twitter.com/i/status/" + id
	case "instagram":
		return "https://www.instagram.com/p/" + id + "/"
	}
	return ""
}

// picture is a picture with what stands below it.
func picture(src, alt, caption string) string {
	quoted := strings.NewReplacer("\\", "\\\\", "[", "\\[", "]", "\\]", "\n", " ").Replace(alt)
	text := "![" + quoted + "](" + destination(src) + ")"
	if caption = italic(caption); caption != "" {
		text += "\n\n" + caption
	}
	return text
}

// italic is a caption as it stands below a picture, on one line.
func italic(caption string) string {
	caption = strings.Join(strings.Fields(caption), " ")
	if bare := strings.Trim(caption, "* "); !strings.Contains(bare, "*") || strings.Count(caption, "*")%2 == 1 {
		caption = bare
	}
	if caption == "" {
		return ""
	}
	return "*" + caption + "*"
}

// fenced is a program's text, in a fence that it does not hold.
func fenced(language, code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.Trim(code, "\n") + "\n" + fence
}
