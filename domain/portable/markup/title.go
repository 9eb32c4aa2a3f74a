package markup

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
)

// TitleFrom finds a title for a text without one: its first heading, which it removes from the text, the words of its
// slug, or its first words.
func TitleFrom(content, slug string) (title, rest string) {
	if m := firstHeading.FindStringSubmatch(content); m != nil {
		return Plain(m[1]), strings.TrimLeft(content[len(m[0]):], "\n")
	}
	if words := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return ' '
		}
		return r
	}, slug)); words != "" && strings.Trim(words, "0123456789 ") != "" {
		first, size := utf8.DecodeRuneInString(words)
		return string(unicode.ToUpper(first)) + words[size:], content
	}
	return Plain(firstWords(content)), content
}

// Plain returns a piece of Markdown without its marks, in one line.
func Plain(s string) string {
	return strings.Join(strings.Fields(markdownMarks.ReplaceAllString(s, "$1")), " ")
}

// firstWords returns the first line with words of a text, cut to the length of a title.
func firstWords(content string) string {
	for line := range strings.SplitSeq(content, "\n") {
		if words := Plain(line); words != "" {
			return plaintext.Truncate(words, 80)
		}
	}
	return ""
}

var markdownMarks = regexp.MustCompile("!?\\[([^\\]]*)\\]\\([^)]*\\)|[*_`~#>]+")

// AddPost adds a post with its translated content to a blog, and reports the losses of the translation. A post without
// a title gets one: see TitleFrom.
func (t *Translator) AddPost(b *portable.Blog, p portable.Post, content string) {
	if p.Title == "" {
		p.Title, content = TitleFrom(content, p.Slug)
	}
	p.Content = content
	t.ReportLosses(b, p.Where)
	b.Posts = append(b.Posts, p)
}

// WithCover puts the cover of a post with its caption before the text, unless the text shows the picture already.
func WithCover(p *portable.Post, content, src, alt, caption string) string {
	if src == "" || strings.Contains(content, src) {
		return content
	}
	p.Lead = Picture(src, alt, caption) + "\n\n"
	return p.Lead + content
}

var firstHeading = regexp.MustCompile(`^\s*#{1,2}[ \t]+(.+?)[ \t]*#*[ \t]*(?:\n|$)`)
