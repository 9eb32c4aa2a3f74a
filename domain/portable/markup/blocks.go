package markup

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"inkfeed/domain/locale"
)

// quoted returns a text as a block quote.
func quoted(text string) string {
	lines := strings.Split(SetApart(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+line, " \t")
	}
	return strings.Join(lines, "\n")
}

// EmbedLink returns a link to embedded content.
func (t *Translator) EmbedLink(to string) string {
	t.recordEmbed(to)
	return "<" + strings.NewReplacer(" ", "%20", "<", "%3C", ">", "%3E").Replace(to) + ">"
}

// EmbedAddress returns the address of the content that a shortcode or tag embeds.
func EmbedAddress(name, id, second string) string {
	if id == "" {
		return ""
	}
	if strings.HasPrefix(id, "http://") || strings.HasPrefix(id, "https://") {
		switch name {
		case "youtube", "vimeo", "tweet", "twitter", "x", "instagram", "embed", "youtube.html", "soundcloud", "video",
			"wpvideo":
			return id
		}
		return ""
	}
	switch name {
	case "youtube", "youtubelite", "youtube-lite", "youtube.html", "video/youtube.html":
		id = strings.TrimRight(html.UnescapeString(id), "&")
		if list, isList := strings.CutPrefix(id, "videoseries?"); isList {
			return "https://www.youtube.com/playlist?" + list
		}
		return "https://www.youtube.com/watch?v=" + strings.Replace(id, "?", "&", 1)
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

// Picture returns a picture with its caption below it. The description is text as in HTML: templates insert it there.
func Picture(src, alt, caption string) string {
	text := picture(src, html.UnescapeString(alt))
	if caption = Italic(caption); caption != "" {
		text += "\n\n" + caption
	}
	return text
}

func picture(src, alt string) string { return "![" + Words(alt) + "](" + Destination(src) + ")" }

// Italic returns a caption in italics on a single line.
func Italic(caption string) string {
	caption = strings.Join(strings.Fields(caption), " ")
	if bare := strings.Trim(caption, "* "); !strings.Contains(bare, "*") || strings.Count(caption, "*")%2 == 1 {
		caption = bare
	}
	if caption == "" {
		return ""
	}
	return "*" + caption + "*"
}

// Fenced returns a program in a fence that does not occur in it.
func Fenced(language, code string) string {
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.Trim(code, "\n") + "\n" + fence
}

// asides maps the names of shortcodes for asides to their labels. An empty label depends on the parameters.
var asides = map[string]string{
	"notice": "", "alert": "", "admonition": "", "callout": "", "hint": "",
	"note": "Note", "info": "Info", "information": "Info", "tip": "Tip", "important": "Important",
	"warning": "Warning", "warn": "Warning", "caution": "Caution", "danger": "Danger", "error": "Error",
	"success": "Success", "question": "Question", "example": "Example",
	"attention": "Attention", "abstract": "Abstract", "todo": "Todo",
}

// aside returns a quote that begins with a bold label.
func (t *Translator) aside(c Construct, label string) (string, bool) {
	text := c.Inner
	if !c.Paired {
		text = c.Arg("text", "content", "message", "body")
	}
	if strings.TrimSpace(text) == "" {
		return "", false
	}
	for _, key := range []string{"type", "kind", "level", "class", "style", "color", "0", "1"} {
		if label == "" {
			label = asides[strings.ToLower(c.Args[key])]
		}
	}
	if title := strings.TrimSpace(c.Arg("title", "header", "heading")); title != "" {
		label = title
	} else if title = strings.TrimSpace(c.Arg("1")); title != "" && asides[strings.ToLower(c.Args["0"])] != "" {
		label = title
	}
	if label == "" {
		label = "Note"
	}
	first, size := utf8.DecodeRuneInString(label)
	t.RecordLoss(locale.M("the shortcode {name} is a quote with a label now", "name", c.Name))
	return Block(quoted("**" + string(unicode.ToUpper(first)) + label[size:] + "**\n\n" + c.Dedented(text))), true
}
