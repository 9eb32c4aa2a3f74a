package markdown_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

func TestFirstImageIsTheFirstOfTheRenderedPost(t *testing.T) {
	name := func(letter string) string {
		return domain.ImageName{Hash: strings.Repeat(letter, 26), Width: 640, Height: 480, Ext: domain.ExtPNG}.Path()
	}
	a, b := name("a"), name("b")
	if _, ok := domain.ParseImagePath(a); !ok {
		t.Fatalf("%s is not the address of a picture", a)
	}
	renderer := markdown.New()
	for what, source := range map[string]string{
		"none":                          "Text [with a link](https://example.org).",
		"one":                           "Text\n\n![A cat](" + a + ")\n",
		"two":                           "![A cat](" + a + ") and ![a dog](" + b + ")",
		"a title":                       `![A cat](` + a + ` "Its title")`,
		"angle brackets":                "![A cat](<" + a + ">)",
		"after another site's":          "![x](https://example.org/x.png) ![A cat](" + a + ")",
		"within a link":                 "[![A cat](" + a + ")](https://example.org)",
		"a link and no picture":         "[A cat](" + a + ") ![a dog](" + b + ")",
		"a picture after a link":        "[a](https://example.org) ![a dog](" + b + ")",
		"in a list":                     "- one\n- ![A cat](" + a + ")\n",
		"in a quotation":                "> ![A cat](" + a + ")",
		"after a fence":                 "```\n![A cat](" + a + ")\n```\n\n![a dog](" + b + ")",
		"after a fence of tildes":       "~~~~ go\n![A cat](" + a + ")\n~~~\n~~~~\n![a dog](" + b + ")",
		"in a fence that is not closed": "```\n![A cat](" + a + ")",
		"after indented code":           "Text\n\n    ![A cat](" + a + ")\n\n![a dog](" + b + ")",
		"indented within a paragraph":   "Text\n    ![A cat](" + a + ")",
		"escaped":                       `\![A cat](` + a + `) ![a dog](` + b + `)`,
		"an address without a picture":  "![A cat](/media/cat.png) ![a dog](" + b + ")",
		"an address without an end":     "![A cat](" + a,
		"empty brackets":                "![](" + a + ")",
	} {
		t.Run(what, func(t *testing.T) {
			got, want := "", ""
			if pictures := renderer.Post(source).Pictures; len(pictures) > 0 {
				want = pictures[0].Image.Path()
			}
			if image, ok := markdown.FirstImage(source); ok {
				got = image.Path()
			}
			if got != want {
				t.Errorf("got %q, want %q of\n%s", got, want, source)
			}
		})
	}
}

func TestFirstImageAllocatesNothingForALongText(t *testing.T) {
	for what, piece := range map[string]string{"brackets": "](", "pictures": "![](", "spaces": "](    ",
		"backticks": "`", "words": "word "} {
		source := strings.Repeat(piece, domain.MaxContent/len(piece))
		const runs = 20 // the average of a single run would contain allocations of other goroutines
		if n := testing.AllocsPerRun(runs, func() { markdown.FirstImage(source) }); n > 0 {
			t.Errorf("%s: got %.0f allocations, want none", what, n)
		}
	}
}

func TestAuthorsChooseTheWidthsOfPictures(t *testing.T) {
	m := markdown.New()
	small := strings.Replace(picture, "1200x800", "900x600", 1)
	for fragment, want := range map[string]string{"": `<figure><img`, "#wide": `<figure class="wide-picture"><img`,
		"#full": `<figure class="full-picture"><img`, "#normal": `<figure><img`} {
		r := m.Post("![a](" + small + fragment + " \"b\")")
		if !strings.HasPrefix(r.HTML, want) || strings.Contains(r.HTML, "#") || len(r.Pictures) != 1 ||
			strings.Contains(r.HTML, `sizes="100vw"`) != (fragment == "#full") {
			t.Errorf("a picture with %q is %s", fragment, r.HTML)
		}
		if first, ok := markdown.FirstImage("![a](" + small + fragment + ")"); !ok || first.Path() != small {
			t.Errorf("the first picture with %q is %v", fragment, first)
		}
	}
	if html := m.HTML("![a](" + small + "#other)"); strings.Contains(html, "<img") {
		t.Errorf("a picture with another fragment is %s", html)
	}
}
