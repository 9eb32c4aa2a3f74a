package markup

import (
	"html"
	"path"
	"regexp"
	"strconv"
	"strings"

	"inkfeed/domain/locale"
)

// Construct is a use of a shortcode or tag: its name, its parameters and, if it has a closing tag, its content.
type Construct struct {
	Name   string            // in lower case
	Args   map[string]string // by name, or by position
	Paired bool
	Inner  string // translated
	Raw    string // as it was typed
	Indent string // of the line that it begins on
}

// Arg returns the first of some parameters that has a value.
func (c Construct) Arg(keys ...string) string {
	for _, key := range keys {
		if c.Args[key] != "" {
			return c.Args[key]
		}
	}
	return ""
}

// Block marks a text of several lines that gets paragraphs of its own: see SetApart.
func Block(text string) string {
	return FigureBegin + FigureMarks.Replace(SetApart(text)) + FigureMiddle + FigureEnd
}

func (t *Translator) construct(c Construct) (text string, ok bool) {
	switch c.Name {
	case "figure", "img", "image", "imgcap", "lightbox", "picture", "photo":
		return c.picture()
	case "ref", "relref":
		return c.reference()
	case "highlight", "code", "codeblock":
		if !c.Paired {
			return "", false
		}
		return c.code(c.language()), true
	case "mermaid":
		if !c.Paired {
			return "", false
		}
		return c.code("mermaid"), true
	case "gist":
		switch user, id := c.Arg("0"), c.Arg("1"); {
		case user == "":
			return "", false
		case id == "" || strings.Contains(id, "."): // in Jekyll an id and a file
			return c.withContent(t.EmbedLink("https://gist.github.com/"+user), true)
		default:
			return c.withContent(t.EmbedLink("https://gist.github.com/"+user+"/"+id), true)
		}
	case "details", "collapse", "expand", "spoiler", "fold":
		if !c.Paired {
			return "", false
		}
		summary := c.Arg("summary", "title", "label")
		if summary == "" {
			summary = c.words()
		}
		if summary == "" {
			summary = "Details"
		}
		opening := "<details>\n<summary>" + html.EscapeString(summary) + "</summary>\n\n"
		return Block(opening + c.Dedented(c.Inner) + "\n\n</details>"), true
	case "tab":
		label := c.Arg("name", "title", "header", "label", "0")
		if !c.Paired || label == "" {
			return c.Inner, c.Paired
		}
		return Block("**" + label + "**\n\n" + c.Dedented(c.Inner)), true
	case "tabs", "tabpane", "tabgroup", "codetabs", "gallery", "center", "rawhtml", "html", "raw", "lead", "columns",
		"column",
		"katex", "math", "mathjax", "nohighlight", "badge", "keyword", "keywordlist", "typeit", "timeline":
		return c.Inner, c.Paired
	case "timelineitem":
		head := strings.TrimSpace(c.Arg("header") + " " + c.Arg("badge"))
		if !c.Paired || head == "" {
			return c.Inner, c.Paired
		}
		subheader := strings.TrimLeft(c.Arg("subheader")+"\n\n", "\n")
		return Block("**" + head + "**\n\n" + subheader + c.Dedented(c.Inner)), true
	case "article": // an article of the site, shown as a card
		if to := c.Arg("link"); to != "" {
			return "[" + to + "](" + Destination(to) + ")", true
		}
		return "", false
	case "github", "gitlab", "codeberg":
		host := map[string]string{"github": "github.com/", "gitlab": "gitlab.com/", "codeberg": "codeberg.org/"}[c.Name]
		if repo := c.Arg("repo"); strings.Contains(repo, "/") {
			return t.EmbedLink("https://" + host + repo), true
		}
		return "", false
	case "button", "link", "btn":
		to := c.Arg("href", "url", "link", "relref", "0")
		if label := strings.TrimSpace(c.Inner); c.Paired && to != "" && label != "" && !strings.Contains(label, "\n") {
			return "[" + label + "](" + Destination(to) + ")", true
		}
		return "", false
	case "kbd":
		if key := c.Arg("0", "text"); key != "" {
			return "`" + key + "`", true
		}
		return "", false
	case "qr", "swatches", "toc", "table-of-contents", "icon", "fontawesome", "load-photoswipe", "clear", "comment":
		t.RecordLoss(locale.M("the shortcode {name} was left out", "name", c.Name))
		return "", true
	case "quote", "blockquote":
		if !c.Paired {
			return "", false
		}
		text := c.Dedented(c.Inner)
		if author := c.Arg("author", "cite", "source"); author != "" {
			text += "\n\n– " + author
		}
		return Block(quoted(text)), true
	}
	if kind, isAside := asides[c.Name]; isAside {
		return t.aside(c, kind)
	}
	if to := EmbedAddress(c.Name, c.Arg("id", "user", "0", "url", "src"), c.Arg("id", "1")); to != "" {
		return c.withContent(t.EmbedLink(to), true)
	}
	return "", false
}

// words returns the parameters without names as one text. Jekyll's tags take text without quotes.
func (c Construct) words() string {
	var words []string
	for i := 0; ; i++ {
		word := c.Args[strconv.Itoa(i)]
		if word == "" || i > 0 && word == "open" {
			return strings.Join(words, " ")
		}
		words = append(words, word)
	}
}

// withContent adds the content of a construct to its translation, so that it is not lost.
func (c Construct) withContent(text string, ok bool) (string, bool) {
	if !ok || strings.TrimSpace(c.Inner) == "" {
		return text, ok
	}
	return text + Block(c.Dedented(c.Inner)), true
}

// picture returns a figure in a paragraph of its own, or a picture within a line. A figure without an address shows its
// content above the caption.
func (c Construct) picture() (string, bool) {
	src, to, caption := c.Arg("src", "url"), c.Args["link"], c.caption()
	if src == "" && !c.Paired {
		src, to = c.Arg("link", "0"), ""
	} else if src == "" {
		src = c.Args["0"]
	}
	switch {
	case src == "" && c.Paired && strings.TrimSpace(c.Inner) != "":
		return Block(strings.TrimSpace(c.Dedented(c.Inner) + "\n\n" + Italic(caption))), true
	case src == "":
		return "", false
	}
	alt := c.Arg("alt")
	if alt == "" {
		alt = withoutMarks.Replace(c.Arg("caption", "title", "1"))
	}
	image := Picture(src, alt, "")
	if to != "" && to != src && to != "#" {
		image = "[" + image + "](" + Destination(to) + ")"
	}
	if c.Name == "figure" || caption != "" {
		image = figure(image, caption)
	}
	return c.withContent(image, true)
}

// withoutMarks removes emphasis from a caption.
var withoutMarks = strings.NewReplacer("*", "", "`", "")

// caption returns the text below the figure: its title, its caption and its author.
func (c Construct) caption() string {
	title, caption, by := c.Arg("title"), c.Arg("caption"), c.Arg("attr")
	switch {
	case title == "" && caption == "" && by == "" && c.Args["0"] != "":
		return c.Args["1"]
	case caption == "":
		caption = title
	case title != "" && title != caption:
		caption = strings.TrimRight(title, ".: ") + ": " + caption
	}
	if to := c.Arg("attrlink"); by != "" && to != "" {
		by = "[" + by + "](" + Destination(to) + ")"
	}
	return strings.TrimSpace(caption + " " + by)
}

// reference returns the destination of a link to another page of the site.
func (c Construct) reference() (string, bool) {
	target, fragment, _ := strings.Cut(c.Arg("path", "0"), "#")
	if target == "" && fragment == "" {
		return "", false
	}
	if target != "" && path.Ext(target) == "" {
		target += ".md"
	}
	if fragment != "" {
		target += "#" + fragment
	}
	return Destination(target), true
}

var languageName = regexp.MustCompile(`^[\w+#.-]{1,40}$`)

// language returns the language of code, or empty if it is not named.
func (c Construct) language() string {
	name := strings.TrimPrefix(c.Arg("lang", "language"), "lang:")
	if name == "" {
		name = strings.TrimPrefix(c.Arg("0"), "lang:")
	}
	for _, arg := range c.Args { // Octopress: a title, and lang:go
		if lang, ok := strings.CutPrefix(arg, "lang:"); ok {
			name = lang
		}
	}
	if !languageName.MatchString(name) {
		return ""
	}
	return name
}

// code returns the content as a fenced code block, or as a code span if it is within a line.
func (c Construct) code(language string) string {
	if strings.Contains(c.Arg("1")+c.Arg("options"), "hl_inline=true") || c.Arg("hl_inline") == "true" {
		return "`" + strings.TrimSpace(c.Raw) + "`"
	}
	return Block(Fenced(language, c.Dedented(c.Raw)))
}

// Unindented removes the indentation that all lines of a text share.
func Unindented(text string) string { return dedented(text) }

// Dedented removes the indentation of the line on which the construct begins, and surrounding empty lines, from a text.
func (c Construct) Dedented(text string) string {
	text = strings.Trim(strings.TrimLeft(strings.TrimRight(text, " \t"), " \t"), "\n")
	if c.Indent == "" {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		n := 0
		for n < len(line) && n < len(c.Indent) && (line[n] == c.Indent[n] || line[n] == ' ' && c.Indent[n] != '>') {
			n++
		}
		lines[i] = line[n:]
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
