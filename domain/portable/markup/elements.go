package markup

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	htmltree "golang.org/x/net/html"
)

// Captioned returns a caption as an HTML element of a figure, or an empty string if there is none.
func Captioned(caption string) string {
	if caption == "" {
		return ""
	}
	return "<figcaption>" + caption + "</figcaption>"
}

// LinkParagraph returns a paragraph of HTML with a link.
func LinkParagraph(address, text string) string {
	if address == "" || text == "" {
		return ""
	}
	return `<p><a href="` + html.EscapeString(address) + `">` + html.EscapeString(text) + `</a></p>`
}

// decorations are the classes of elements that repeat the text beside them: controls of players, icons, and second
// links to a file.
var decorations = map[string]bool{
	"kg-bookmark-metadata": true, "kg-bookmark-thumbnail": true, "kg-file-card-metadata": true,
	"kg-file-card-icon":   true,
	"kg-toggle-card-icon": true, "kg-video-overlay": true, "kg-video-player-container": true, "kg-audio-player": true,
	"kg-audio-thumbnail": true, "kg-product-card-rating": true, "wp-block-file__button": true,
}

func decorates(n *htmltree.Node) bool {
	for class := range strings.FieldsSeq(Attribute(n, "class")) {
		if decorations[class] {
			return true
		}
	}
	return false
}

// callout converts Ghost's callout card to a quote.
func callout(n *htmltree.Node) {
	switch classes := " " + Attribute(n, "class") + " "; {
	case strings.Contains(classes, " kg-callout-card "):
		Rename(n, "blockquote")
	case strings.Contains(classes, " kg-callout-emoji "):
		Rename(n, "span")
		n.AppendChild(&htmltree.Node{Type: htmltree.TextNode, Data: " "})
	case strings.Contains(classes, " kg-callout-text "):
		Rename(n, "span")
	}
}

// firstBlock returns the first block with text in a link that contains blocks. Its text becomes the text of the link.
// For a link that contains only words it returns nil.
func firstBlock(n *htmltree.Node) *htmltree.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != htmltree.ElementNode || !hasText(c) {
			continue
		}
		if found := firstBlock(c); found != nil {
			return found
		}
		switch c.Data {
		case "p", "div", "h1", "h2", "h3", "h4", "h5", "h6":
			return c
		}
	}
	return nil
}

var (
	emojiClass = regexp.MustCompile(`(?:^|\s)(?:emoji|wp-smiley|twemoji)(?:\s|$)`)
	// emojiFile matches the address of WordPress's picture of an emoji, which is named after the characters.
	emojiFile = regexp.MustCompile(`//(?:s\.w\.org|twemoji\.\S+?)/\S*/([0-9a-f]{2,5}(?:-[0-9a-f]{2,5}){0,` +
		`9})\.(?:png|svg)`)
)

// emoji returns the characters that a picture of an emoji stands for, or an empty string for other pictures.
func emoji(img *htmltree.Node) string {
	class, file := Attribute(img, "class"), emojiFile.FindStringSubmatch(Attribute(img, "src"))
	if file == nil && !emojiClass.MatchString(class) {
		return ""
	}
	alt := strings.TrimSpace(Attribute(img, "alt"))
	if isEmoji := func(r rune) bool { return r >= utf8.RuneSelf }; !strings.Contains(alt, " ") &&
		(strings.ContainsFunc(alt, isEmoji) || file == nil && strings.Contains(class, "wp-smiley")) {
		return alt
	}
	var b strings.Builder
	if file != nil {
		for digits := range strings.SplitSeq(file[1], "-") {
			if n, err := strconv.ParseUint(digits, 16, 32); err == nil && n > ' ' {
				b.WriteRune(rune(n))
			}
		}
	}
	return b.String()
}

var player = regexp.MustCompile(`^https?://(?:www\.)?` +
	`(?:youtube(?:-nocookie)?\.com/embed/([\w-]+)|player\.vimeo\.com/video/(\d+)).*$`)

// Watchable returns the address of the page for the content of a player.
func Watchable(src string) string {
	m := player.FindStringSubmatch(src)
	switch {
	case m == nil:
		return src
	case m[1] != "":
		return "https://www.youtube.com/watch?v=" + m[1]
	}
	return "https://vimeo.com/" + m[2]
}
