package markup

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"inkfeed/domain"
	"inkfeed/domain/locale"
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

// SetSubtitle takes a description of a post as its subtitle, unless its title or the beginning of its text says the
// same. A description that is too long is cut.
func (t *Translator) SetSubtitle(p *portable.Post, description, content string) {
	description = PlainText(description)
	said := letters(strings.TrimRight(description, "….[] "))
	start := content[:min(len(content), 2*len(description)+maxBefore)]
	if said == letters(p.Title) || strings.HasPrefix(letters(Plain(shownPictures.ReplaceAllString(start, ""))), said) {
		return
	}
	if p.Subtitle = description; plaintext.Exceeds(description, domain.MaxSubtitle) {
		p.Subtitle = plaintext.Truncate(description, domain.MaxSubtitle)
		t.RecordLoss(locale.M("its description was cut: a subtitle has at most {1} characters", "1",
			domain.MaxSubtitle))
	}
}

// maxBefore is the length of the pictures and addresses before and within the beginning of a text, in bytes.
const maxBefore = 4 << 10

// shownPictures matches the pictures of a text in Markdown.
var shownPictures = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)

// letters returns the letters and digits of a text.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
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
