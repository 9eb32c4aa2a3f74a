package markdown_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

func TestNamesThatATextMentions(t *testing.T) {
	m := markdown.New()
	for text, want := range map[string]string{
		"@ada":                                                 "ada",
		"Thanks, @ada, @ben-c and @carl_d!":                    "ada ben-c carl_d",
		"@ada. @ben- @carl_ (@dora) \"@eve\":":                 "ada ben carl dora eve",
		"@ada's and @ben’s and @carl?":                         "ada ben carl",
		"@ada @Ada @ADA, @ben":                                 "ada ben",
		"**@ada** _@ben_ __@carl__ ~~@dora~~":                  "ada ben carl dora",
		"# @ada\n\n- @ben\n\n> @carl\n> — @dora":               "ada ben carl dora",
		"|@ada|\n|-|\n|@ben|\n\na[^1]\n\n[^1]: @carl":          "ada ben carl",
		"<details>\n<summary>@ada</summary>\n@ben\n</details>": "ada ben",
		"<b>@ada</b>":                                          "ada",
		"@ada--ben @ben__c @carl-_d":                           "ada ben carl",
		"@иван и @мария, @علي و @שלום, @ada1":                  "иван мария علي שלום ada1",
		"@ada\u0301 @e\u0301va":                                "ada\u0301 e\u0301va",
		"@İpek @ıpek":                                          "İpek",
		"@王小明，@山田太郎さん、こんにちは":                                   "王小明 山田太郎さん 山田太郎",
		"@adaさん、@иванさん、ありがとう@ben":                             "adaさん ada иван ben",
		"@ada님 @김철수":                                           "ada님 ada 김철수",
		"@山田さん" + strings.Repeat("あ", 30):                      "山田",

		"a@b ada@example.org é@ada 1@ada":                                      "",
		"x/@ada x.@ada @@ada @ada@example.org @ada@ben":                        "",
		"@ada/core @ada.bsky.social @ada:example.org":                          "",
		"https://example.org/@ada www.example.org/@ada":                        "",
		"<https://example.org/?@ada> <ada@example.org>":                        "",
		"[@ada](/x) [a @ada b][x] ![@ada](https://x.org/)\n\n[x]: /y":          "",
		"`@ada` ``@ada`` $@ada$\n\n    @ada\n\n```\n@ada\n```\n\n$$\n@ada\n$$": "",
		"<a href=\"@ada\">x</a>\n\n<div>\n@ada\n</div>":                        "",
		`\@ada`:            "",
		"@a @_ada @-ada @": "",
		"@adaиван @" + strings.Repeat("a", 31): "",
		"no name": "",
	} {
		if got := strings.Join(m.Mentioned(text), " "); got != want {
			t.Errorf("%q mentions %q, want %q", text, got, want)
		}
	}
	t.Run("at most twenty", func(t *testing.T) {
		var text strings.Builder
		for i := range domain.MaxMentions + 5 {
			fmt.Fprintf(&text, "@user%d ", i)
		}
		if got := m.Mentioned(text.String()); len(got) != domain.MaxMentions || got[19] != "user19" {
			t.Errorf("the text mentions %q", got)
		}
	})
	t.Run("none in a text that is shown as typed", func(t *testing.T) {
		if got := m.Mentioned(strings.Repeat(">", 600) + " @ada"); len(got) > 0 {
			t.Errorf("the text mentions %q", got)
		}
	})
}

// mentioning returns a renderer that links @ada to ada-lovelace and @בן to שלום.
func mentioning() *markdown.Renderer {
	return markdown.New().Mentioning(domain.MentionsOf([]domain.Mention{{Name: "Ada", UserID: "1"},
		{Name: "gone", UserID: "2"}, {Name: "בן", UserID: "3"}}),
		map[string]string{"1": "ada-lovelace", "3": "שלום"})
}

func TestMentionsAreLinksUnderThePresentName(t *testing.T) {
	const ada = `<a class="mention" dir="auto" href="/@ada-lovelace">@ada-lovelace</a>`
	m := mentioning()
	for text, want := range map[string]string{
		"@ada, @ADA_ and @adaさん":  "<p>" + ada + ", " + ada + "_ and " + ada + "さん</p>\n",
		"@gone and @nobody":       "<p>@gone and @nobody</p>\n",
		"*@ada*'s \"@ada\"":       "<p><em>" + ada + "</em>’s &#34;" + ada + "&#34;</p>\n",
		"[x @ada](/y)":            `<p><a href="/y">x @ada</a></p>` + "\n",
		"![@ada](https://x.org/)": `<p><a href="https://x.org/" rel="nofollow ugc noopener">@ada</a></p>` + "\n",
		"`@ada` x@ada.org":        `<p><code dir="ltr">@ada</code> <a href="mailto:x@ada.org">x@ada.org</a></p>` + "\n",
		"@בן": `<p dir="rtl"><a class="mention" dir="auto" href="/@%D7%A9%D7%9C%D7%95%D7%9D">` +
			"@שלום</a></p>\n",
	} {
		for name, got := range map[string]string{"comment": m.CommentHTML(text), "post": m.HTML(text),
			"preview": m.Preview(text).HTML} {
			if got != want {
				t.Errorf("the %s %q has %s, want %s", name, text, got, want)
			}
		}
	}
	t.Run("headings keep their addresses and names", func(t *testing.T) {
		const text = "# Hello, @ada\n\n# For @gone"
		linked, plain := m.Post(text).HTML, markdown.New().HTML(text)
		if strings.Replace(linked, ada, "@ada", 1) != plain || strings.Count(linked, ada) != 1 {
			t.Errorf("with links %s\nwithout %s", linked, plain)
		}
	})
	t.Run("a name does not decide the direction of a paragraph", func(t *testing.T) {
		if got := m.HTML("@ada مرحبا"); !strings.HasPrefix(got, `<p dir="rtl">`) {
			t.Errorf("the HTML is %s", got)
		}
	})
	t.Run("they are words of the text", func(t *testing.T) {
		if got := m.Post("Hello @ada, hello").Excerpt(100); got != "Hello @ada-lovelace, hello" {
			t.Errorf("the excerpt is %q", got)
		}
	})
	t.Run("other renderers have the text as typed", func(t *testing.T) {
		plain, p := markdown.New(), domain.Post{Content: "@ada"}
		feed, _ := plain.FeedHTML(p.Content, "https://example.org/")
		for _, got := range []string{feed, plain.BioHTML(p.Content)} {
			if got != "<p>@ada</p>\n" {
				t.Errorf("the HTML is %q", got)
			}
		}
		short, whole := plain.SummarizeWhole(p)
		for _, got := range []string{plain.Summarize(p).Text, short.Text, whole} {
			if got != "@ada" {
				t.Errorf("the text is %q", got)
			}
		}
	})
}

func TestMentionsTakeLinearTime(t *testing.T) {
	const n = 20_000
	for _, unit := range []string{"@", "@a", "@ada", "@ada ", "@a@a ", "@ada-", "@é ", "@ада ", "@あさん", "@ada.b "} {
		for name, m := range map[string]*markdown.Renderer{"linked": mentioning(), "collected": markdown.New()} {
			once, twice := markdown.Steps(m, strings.Repeat(unit, n)), markdown.Steps(m, strings.Repeat(unit, 2*n))
			if per := float64(once) / float64(n*len(unit)); per > 25 || float64(twice) > 2.1*float64(once) {
				t.Errorf("%q, %s: %d steps, or %d for twice the text", unit, name, once, twice)
			}
		}
	}
	t.Run("a text of many brackets and mentions is too complex", func(t *testing.T) {
		for _, unit := range []string{"[@ada ", "*@ada "} {
			text := strings.Repeat(unit, 100_000)
			if html, typed := mentioning().CommentHTML(text), markdown.New().Mentioned(text); len(typed) > 0 ||
				strings.Contains(html, "<a ") {
				t.Errorf("%q mentions %q", unit, typed)
			}
		}
	})
	t.Run("at most a thousand are links", func(t *testing.T) {
		if html := mentioning().HTML(strings.Repeat("@ada ", 2000)); strings.Count(html, "<a ") != 1000 {
			t.Errorf("%d of 2,000 mentions are links", strings.Count(html, "<a "))
		}
	})
}

func TestMarkdownWithoutMentionsStaysAsItWas(t *testing.T) {
	// The parser of mentions must not count steps for what other parsers read as plain text.
	if markdown.TooComplex(strings.Repeat("@", 500_000)) || markdown.TooComplex(strings.Repeat("a@b,", 100_000)) {
		t.Error("a text of many @ is too complex")
	}
	if got := markdown.New().Mentioned(strings.Repeat("@", 500_000) + " @ada"); !slices.Equal(got, []string{"ada"}) {
		t.Errorf("the text mentions %q", got)
	}
}
