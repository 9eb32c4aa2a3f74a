package letters_test

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/domain/embed"
	"inkfeed/domain/markdown"
	"inkfeed/views/mails"
	"inkfeed/web/letters"
)

const base = "https://blog.example"

func name(ext string) domain.ImageName {
	return domain.NewImageName("ada", []byte("a picture"), 1600, 900, ext)
}

// write returns a Markdown text as a letter.
func write(t *testing.T, text string, s letters.Source) *goquery.Document {
	t.Helper()
	s.Base = base
	s.HTML, _ = markdown.New().FeedHTML(text, base+"/posts/1/title")
	written, _ := letters.Write(s, mails.NewLook("#8a2be2"))
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestMailProgramsGetWhatTheyShow(t *testing.T) {
	photo, drawing := name(domain.ExtJPEG), name(domain.ExtSVG)
	video := "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
	for outcome, one := range map[string]struct {
		text, selector, want string
		source               letters.Source
	}{
		"a picture has a width that fits": {text: "![A mill](" + photo.Path() + ")",
			selector: `img[width="560"][alt="A mill"]`},
		"a picture is no larger than that": {text: "![](" + photo.Path() + ")",
			selector: `img[src="` + base + photo.Small(1120) + `"]`},
		"a drawing becomes a link": {text: "![A plan](" + drawing.Path() + ")",
			selector: `a[href="` + base + drawing.Path() + `"]`, want: "A plan"},
		"a drawing in a link becomes its text": {text: "[![A plan](" + drawing.Path() + ")](/about)",
			selector: `a[href="` + base + `/about"]`, want: "A plan"},
		"the cover is left out": {text: "![A mill](" + photo.Path() + ")\n\nText", selector: "p:first-child",
			want: "Text", source: letters.Source{Cover: photo}},
		"a video becomes a link": {text: video, selector: `p a[href="` + video + `"]`, want: "A film",
			source: letters.Source{Cards: []embed.Card{{Address: video, Title: "A film", Picture: photo.String()}}}},
		"a video has its picture": {text: video, selector: `a img[src^="` + base + `/media/"]`,
			source: letters.Source{Cards: []embed.Card{{Address: video, Title: "A film", Picture: photo.String()}}}},
		"a formula is text": {text: "$x^2$", selector: "p", want: "$x^2$"},
		"a folded section is open": {text: "<details><summary>More</summary>\n\nText\n\n</details>",
			selector: "div > p + p", want: "Text"},
		"a wide table scrolls": {text: "| a | b |\n|---|--:|\n| 1 | 2 |",
			selector: `div[style*="overflow-x"] td[align=right]`, want: "2"},
		"footnotes follow a line": {text: "A[^1]\n\n[^1]: The note", selector: "hr + div li", want: "The note"},
		"tasks are characters":    {text: "- [x] done", selector: "li", want: "☑ done"},
		"links are absolute": {text: "[words](/about)",
			selector: `a[href="` + base + `/about"][style*="#8a2be2"]`, want: "words"},
		"text is escaped": {text: "`<b>` & \\<i>", selector: "p", want: "<b> & <i>"},
	} {
		t.Run(outcome, func(t *testing.T) {
			found := write(t, one.text, one.source).Find(one.selector)
			if found.Length() == 0 || one.want != "" && strings.TrimSpace(found.First().Text()) != one.want {
				all, _ := write(t, one.text, one.source).Find("body").Html()
				t.Errorf("%s is %q, want %q, in %s", one.selector, found.First().Text(), one.want, all)
			}
		})
	}
}
