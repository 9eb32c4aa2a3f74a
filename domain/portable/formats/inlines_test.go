package formats_test

import (
	"testing"

	"inkfeed/domain/portable"
)

// site returns the files of a site with a post.
func site(generator, config, text string) map[string]string {
	switch generator {
	case "Jekyll":
		return map[string]string{"_config.yml": config, "_posts/2020-01-02-a.md": "---\ntitle: A\n---\n" + text + "\n"}
	case "Zola":
		return map[string]string{"config.toml": "base_url = 'https://a.example'\n" + config,
			"content/a.md": "+++\ntitle = \"A\"\ndate = 2020-01-02\n+++\n" + text + "\n"}
	}
	return map[string]string{"hugo.toml": config,
		"content/posts/a.md": "---\ntitle: A\ndate: 2020-01-02\n---\n" + text + "\n"}
}

// contentOf returns the translated text of a site's only post.
func contentOf(t *testing.T, files map[string]string) (string, *portable.Blog) {
	t.Helper()
	b := read(t, files)
	p := find(t, b, "A")
	if p.Status != portable.Published {
		t.Errorf("%s: %v", p.Status, b.Problems)
	}
	return p.Content, b
}

func TestNamesOfEmojiAreShownAsEmoji(t *testing.T) {
	for _, c := range [][3]string{
		{"Hugo", "enableEmoji = true", ""}, {"Jekyll", "plugins: [jemoji]", ""}, {"Jekyll", "gems:\n  - jemoji\n", ""},
		{"Zola", "[markdown]\nrender_emoji = true", ""},
	} {
		t.Run(c[0]+" with "+c[1], func(t *testing.T) {
			got, _ := contentOf(t, site(c[0], c[1], "I :heart: it:+1::tada:, *:smile:* :100:"))
			equal(t, "text", got, "I ❤️ it👍🎉, *😄* 💯")
		})
	}
	t.Run("but not where they are code, an address, or other words", func(t *testing.T) {
		text := "`:heart:` https://a.example/:heart: [x](/a:heart:) 10:30:40 a :nosuch: b\n\n" +
			"    :heart:\n\n```\n:heart:\n```"
		got, _ := contentOf(t, site("Hugo", "enableEmoji = true", text))
		equal(t, "text", got, text)
	})
	t.Run("also in HTML, except its code", func(t *testing.T) {
		got, _ := contentOf(t, site("Jekyll", "plugins: [jemoji]",
			"<p title=\":heart:\">:heart: <code>:heart:</code> :tada:</p>"))
		equal(t, "text", got, "❤️ `:heart:` 🎉")
	})
	t.Run("and those that GitHub shows as pictures are reported", func(t *testing.T) {
		got, b := contentOf(t, site("Jekyll", "plugins: [jemoji]", "An :octocat:"))
		equal(t, "text", got, "An :octocat:")
		reports(t, b, "the picture of the emoji :octocat: is text now")
	})
	t.Run("unless the site does not", func(t *testing.T) {
		for _, generator := range []string{"Hugo", "Jekyll", "Zola"} {
			got, _ := contentOf(t, site(generator, "", "I :heart: it"))
			equal(t, "text", got, "I :heart: it")
		}
	})
	t.Run("in titles", func(t *testing.T) {
		b := read(t, map[string]string{"_config.yml": "plugins: [jemoji]",
			"_posts/2020-01-02-a.md": "---\ntitle: \"Launch :rocket:\"\n---\nText\n"})
		find(t, b, "Launch 🚀")
	})
}

func TestAttributesAreNotShown(t *testing.T) {
	for text, want := range map[string]string{
		"## A {#own .big}\n\nText":           "## A {#own}\n\nText",
		"## A {.big data-x=\"1 2\"}\n\nText": "## A\n\nText",
		"## A {id=own class=x}":              "## A {#own}",
		"## A { #own .big } ##":              "## A {#own} ##",
		"A {#own .big}\n---\n\nText":         "A<a id=\"own\"></a>\n---\n\nText",
		"> ## A {#own .big}":                 "> ## A<a id=\"own\"></a>",
		"`## A {.big}` {x} {1, 2}":           "`## A {.big}` {x} {1, 2}",
		"```\n## A {.big}\n```":              "```\n## A {.big}\n```",
		"## A {set of things}":               "## A {set of things}",
		"Text {.big}":                        "Text {.big}",
		"## A `{.big}`":                      "## A `{.big}`",
	} {
		t.Run(text, func(t *testing.T) {
			for _, generator := range []string{"Hugo", "Zola"} {
				got, _ := contentOf(t, site(generator, "", text))
				equal(t, generator, got, want)
			}
		})
	}
	const blocks = "[markup.goldmark.parser.attribute]\nblock = true\n"
	for text, want := range map[string]string{
		"Text\n{.big}\n\nMore":           "Text\n\n\nMore",
		"Text\n{#own .big}\n\nMore":      "Text\n<a id=\"own\"></a>\n\nMore",
		"- a\n- b\n{.list}\n\nMore":      "- a\n- b\n\n\nMore",
		"```\n{.big}\n```\n{.big}\n":     "```\n{.big}\n```",
		"| a |\n|---|\n| b |\n{.wide}\n": "| a |\n|---|\n| b |",
	} {
		t.Run("of blocks: "+text, func(t *testing.T) {
			got, _ := contentOf(t, site("Hugo", blocks, text))
			equal(t, "text", got, want)
			got, _ = contentOf(t, site("Hugo", "", text))
			contains(t, got, "{")
		})
	}
	t.Run("unless the site turns them off", func(t *testing.T) {
		got, _ := contentOf(t, site("Hugo", "[markup.goldmark.parser.attribute]\ntitle = false\n", "## A {.big}"))
		equal(t, "text", got, "## A {.big}")
	})
}

func TestMeaningOfAnAbbreviationFollowsIt(t *testing.T) {
	const defined = "\n\n*[HTML]: Hyper *Text*\n*[W3C]:  World Wide Web Consortium\n"
	for text, want := range map[string]string{
		"The W3C and HTML, HTML5, HTML." + defined: "The W3C (World Wide Web Consortium) and " +
			"HTML (Hyper \\*Text\\*), HTML5, HTML.",
		"# HTML\n\n`HTML` [HTML](x) HTML W3C" + defined: "# HTML\n\n`HTML` [HTML](x) HTML (Hyper \\*Text\\*) W3C " +
			"(World Wide Web Consortium)",
		"```\n*[HTML]: x\n```": "```\n*[HTML]: x\n```",
	} {
		t.Run(text, func(t *testing.T) {
			got, b := contentOf(t, site("Jekyll", "", text))
			equal(t, "text", got, want)
			if len(problems(b, "abbreviation")) > 0 {
				t.Error(b.Problems)
			}
		})
	}
	t.Run("and is reported where it cannot", func(t *testing.T) {
		got, b := contentOf(t, site("Jekyll", "",
			"# HTML\n\nA long name\n\n*[HTML]: x\n*[long name]: y\n*[unused]: z\n"))
		if len(problems(b, "unused")) > 0 {
			t.Error(b.Problems)
		}
		equal(t, "text", got, "# HTML\n\nA long name")
		reports(t, b, "the meaning of the abbreviation HTML was left out", "the abbreviation long name was left out")
	})
}
