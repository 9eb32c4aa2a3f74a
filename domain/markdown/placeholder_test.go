package markdown_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// otherImages maps images that no text shows to what a page says in their place.
var otherImages = map[string]struct{ source, want string }{
	"a missing picture has its description": {"See ![a *grey* cat](img/cat.png).",
		`<p>See <span class="missing-picture"><span class="picture-note">Missing picture:</span> a grey cat</span>.`},
	"a missing picture without description has a note": {"![](/content/images/cat.png)",
		`<figure><span class="missing-picture"><span class="picture-note">Missing picture</span></span></figure>`},
	"a caption stays": {`![a cat](cat.png "Grey")`, `<figure><span class="missing-picture">` +
		`<span class="picture-note">Missing picture:</span> a cat</span><figcaption>Grey</figcaption></figure>`},
	"a missing picture at an address of the web is linked": {"![a cat](https://old.example/cat.png#missing)",
		`<figure><span class="missing-picture"><span class="picture-note">Missing picture:</span> ` +
			`<a href="https://old.example/cat.png" rel="nofollow ugc noopener">a cat</a></span></figure>`},
	"a missing picture in a link has no link of its own": {"[![cat](https://old.example/cat.png#missing)](/@ada)",
		`<p><a href="/@ada"><span class="missing-picture"><span class="picture-note">Missing picture:</span> cat` +
			`</span></a></p>`},
	"a script is no link": {"![cat](javascript:alert(1)#missing)", `<figure><span class="missing-picture">` +
		`<span class="picture-note">Missing picture:</span> cat</span></figure>`},
	"an address is no description": {"![https://old.example/cat.png](https://old.example/cat.png)",
		`<p><a href="https://old.example/cat.png" rel="nofollow ugc noopener">` +
			`<span class="picture-note">Picture</span></a></p>`},
	"the note is in the language of the text": {"Včera jsme s přáteli dlouho mluvili o tom, že je každý den " +
		"krásnější než ten předchozí.\n\n![kočka](cat.png)",
		`<span class="picture-note">Chybějící obrázek:</span> kočka`},
	"markup in a description is text": {"![1 < 2](cat.png)", `</span> 1 &lt; 2</span>`},
}

func TestPictureThatIsNotHereIsNamed(t *testing.T) {
	m := markdown.New()
	for name, c := range otherImages {
		t.Run(name, func(t *testing.T) {
			if got := m.HTML(c.source); !strings.Contains(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestNoteOfAPictureIsInNoSummary(t *testing.T) {
	m := markdown.New()
	for source, want := range map[string]string{
		"![](/content/images/cat.png)\n\nThe text.":                   "The text.",
		"![a cat](cat.png)\n\nThe text.":                              "The text.",
		"![https://old.example/cat.png](cat.png)\n\nThe text.":        "The text.",
		"![](https://cdn.example/1*x.png)\n\nThe text.":               "The text.",
		"![](https://cdn.example/1*x.png)":                            "",
		"![a cat](https://cdn.example/1*x.png#missing)":               "a cat",
		"See ![a cat](cat.png) and ![](https://cdn.example/x.png).":   "See a cat and .",
		"[![](https://cdn.example/x.png)](https://x.example) A text.": "A text.",
	} {
		post := domain.Post{ID: "p", Title: "T", Content: source}
		for kind, got := range map[string]string{"summary": m.Summarize(post).Text,
			"excerpt": m.Post(source).Excerpt(200)} {
			if got != want {
				t.Errorf("the %s of %q is %q, want %q", kind, source, got, want)
			}
		}
		if got := m.PlainText(source); strings.Contains(got, "issing") || strings.Contains(got, "://") ||
			strings.Contains(got, "Picture") {
			t.Errorf("the plain text of %q is %q", source, got)
		}
	}
}

func TestPlaceholderInAFeedNeedsNoStyleSheet(t *testing.T) {
	got, _ := markdown.New().FeedHTML("![a cat](cat.png)", "https://blog.example/posts/x")
	if want := "<figure><span><span>Missing picture:</span> a cat</span></figure>\n"; got != want {
		t.Errorf("got %q", got)
	}
}

func TestCommentLinksToAPictureByItsDescription(t *testing.T) {
	for source, want := range map[string]string{
		"![a cat](https://x.example/c.png)": ">a cat</a>", "![](https://x.example/c.png)": ">Picture</span></a>",
		"![a cat](https://x.example/c.png#missing)": ">a cat</a>",
	} {
		got := markdown.New().CommentHTML(source)
		if !strings.Contains(got, want) || strings.Contains(got, "missing-picture") {
			t.Errorf("%s becomes %s", source, got)
		}
	}
}
