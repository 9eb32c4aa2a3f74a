package formats_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// zolaConfig is the configuration of the tests' site.
const zolaConfig = `base_url = "https://ada.example/blog"
title = "Ada's garden"
default_language = "en"
generate_feeds = true
taxonomies = [{name = "tags", feed = true}, {name = "places"}]

[languages.fr]
title = "Le jardin"

[extra]
menu = ["x"]
`

func TestZolaPagesAreRead(t *testing.T) {
	b := read(t, map[string]string{
		"config.toml":         zolaConfig,
		"templates/page.html": "{{ page.content }}",
		"content/_index.md":   "+++\nsort_by = \"date\"\n+++\n",
		"content/posts/_index.md": "+++\ntitle = \"Posts\"\ntransparent = true\nrender = false\npage_template = " +
			"\"post.html\"\n+++\nAll of them.\n",
		"content/posts/first.md": "+++\ntitle = \"The first\"\ndate = 2020-02-03\nupdated = " +
			"2021-01-02T03:04:05Z\nweight = 3\naliases = [\"old/first\", \"/older.html\"]\n" +
			"authors = [\"Ada\"]\nin_search_index = false\n[taxonomies]\nplaces = [\"Kew\"]\ntags = [\"Go\", " +
			"\"Beans\"]\ncategories = [\"go\"]\n[extra]\ncover = \"cover.png\"\n+++\nHello.\n\n<!-- more " +
			"-->\n\nMore.\n",
		"content/posts/2020-03-04_By name.md": "+++\ntitle = \"Dated\"\n+++\nText\n",
		"content/posts/2020-03-05-bundle/index.md": "+++\ntitle = \"A bundle\"\n+++\n![Bean](bean.png) and " +
			"[first](@/posts/first.md#Über-uns), [all](@/posts/_index.md), [gone](@/posts/gone.md)\n",
		"content/posts/2020-03-05-bundle/bean.png":    "png",
		"content/posts/2020-03-05-bundle/index.fr.md": "+++\ntitle = \"Un dossier\"\n+++\nTexte\n",
		"content/posts/first.fr.md": "+++\ntitle = \"Le " +
			"premier\"\n+++\n[lien](@/posts/first.fr.md)\n",
		"content/posts/path.md": "+++\ntitle = \"Own path\"\npath = \"/else/where\"\nslug " +
			"= \"unused\"\n+++\nText\n",
		"content/posts/slug.md": "+++\ntitle = \"Own slug\"\nslug = \"Grüße & " +
			"Co\"\n+++\nText\n",
		"content/posts/draft.md":                          "+++\ntitle = \"Not yet\"\ndraft = true\n+++\nText\n",
		"content/posts/unrendered.md":                     "+++\ntitle = \"Unrendered\"\nrender = false\n+++\nText\n",
		"content/posts/future.md":                         "+++\ntitle = \"Later\"\ndate = 2027-01-01\n+++\nText\n",
		"content/secret/_index.md":                        "+++\ndraft = true\n+++\n",
		"content/secret/below/a.md":                       "+++\ntitle = \"In a draft section\"\n+++\nText\n",
		"content/about.md":                                "+++\ntitle = \"About\"\n+++\nText\n",
		"content/posts/2021-05-06T07:08:09Z-with time.md": "+++\ntitle = \"Timed\"\n+++\nText\n",
	})
	if b.Format != "Zola" || b.Title != "Ada's garden" {
		t.Fatalf("format %s, title %s", b.Format, b.Title)
	}
	t.Run("with their former addresses", func(t *testing.T) {
		for title, want := range map[string]string{
			"The first": "/blog/posts/first /blog/old/first /blog/older", "Dated": "/blog/posts/by-name",
			"A bundle":   "/blog/posts/bundle",
			"Un dossier": "/blog/fr/posts/bundle", "Le premier": "/blog/fr/posts/first", "Own path": "/blog/else/where",
			"Own slug": "/blog/posts/grusse-co", "About": "/blog/about", "Timed": "/blog/posts/with-time",
			"Unrendered": "/blog/posts/unrendered",
		} {
			if got := strings.Join(find(t, b, title).Paths, " "); got != want {
				t.Errorf("%s was at %s, want %s", title, got, want)
			}
		}
	})
	t.Run("with dates, tags and the cover", func(t *testing.T) {
		p := find(t, b, "The first")
		if p.Created.Format(time.DateOnly) != "2020-02-03" || p.Edited.Format(time.DateOnly) != "2021-01-02" {
			t.Errorf("created %s, edited %s", p.Created, p.Edited)
		}
		if got := strings.Join(p.Tags, "|"); got != "Go|Beans|Kew" {
			t.Errorf("tags %s", got)
		}
		if want := "![The first](cover.png)\n\nHello.\n\nMore."; strings.ReplaceAll(p.Content, "\n\n\n", "\n") != want {
			t.Errorf("content %q", p.Content)
		}
		for title, want := range map[string]string{"Dated": "2020-03-04T00:00:00Z", "A bundle": "2020-03-05T00:00:00Z",
			"Timed": "2021-05-06T07:08:09Z"} {
			if got := find(t, b, title).Created.Format(time.RFC3339); got != want {
				t.Errorf("%s is dated %s, want %s", title, got, want)
			}
		}
	})
	t.Run("with the visibility that they had", func(t *testing.T) {
		for title, want := range map[string]portable.Status{
			"The first": portable.Published, "Later": portable.Published, "Not yet": portable.Draft,
			"Unrendered":         portable.Draft,
			"In a draft section": portable.Draft,
		} {
			if got := find(t, b, title).Status; got != want {
				t.Errorf("%s is %s, want %s", title, got, want)
			}
		}
	})
	t.Run("with internal links and pictures resolved", func(t *testing.T) {
		d := portable.NewDirectory(b)
		for i, p := range b.Posts {
			switch p.Title {
			case "A bundle":
				got := map[string]string{}
				markup.Rewrite(p.Content, func(l markup.Link) (string, bool) {
					if to, fragment, ok := d.Post(i, l.Destination); ok {
						got[b.Posts[to].Title] = fragment
					} else if name, ok := d.File(i, l.Destination); ok {
						got["file"] = name
					} else {
						got[l.Destination] = ""
					}
					return "", false
				})
				want := map[string]string{"The first": "Über-uns", "file": "content/posts/2020-03-05-bundle/bean.png",
					"/blog/posts/": "", "@/posts/gone.md": ""}
				if len(got) != len(want) {
					t.Errorf("links %q", got)
				}
				for k, v := range want {
					if had, ok := got[k]; !ok || had != v {
						t.Errorf("%s: %q in %q", k, had, got)
					}
				}
			case "Le premier":
				if to, _, ok := d.Post(i, "/content/posts/first.fr.md"); !ok || b.Posts[to].Title != "Le premier" {
					t.Error("the page in French is not found")
				}
			}
		}
	})
	if got := problems(b,
		"left out: pages of sections, which are lists (1, such as content/posts/_index.md)"); len(got) != 1 {
		t.Errorf("problems %v", b.Problems)
	}
}

func TestZolaSettingsDetermineAddresses(t *testing.T) {
	for name, c := range map[string]struct{ config, file, want string }{
		"names in ASCII by default":  {"", "content/Über uns.md", "/uber-uns"},
		"other scripts in ASCII too": {"", "content/日本.md", "/ri-ben"},
		"safe names":                 {"[slugify]\npaths = \"safe\"", "content/Über uns?.md", "/Über uns"},
		"names as they are":          {"[slugify]\npaths = \"off\"", "content/Über uns.md", "/Über uns"},
		"dates in names": {"[slugify]\npaths_keep_dates = true", "content/2020-01-02-a.md",
			"/2020-01-02-a"},
		"a language that is the default":   {"default_language = \"de\"\n[languages.en]", "content/a.en.md", "/en/a"},
		"an ending that is not a language": {"", "content/a.b.md", "/a-b"},
		"folders keep their names":         {"", "content/Über uns/a b.md", "/Über uns/a-b"},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, map[string]string{"zola.toml": "base_url = \"https://ada.example\"\n" + c.config,
				c.file: "+++\n+++\nText\n"})
			if b.Format != "Zola" || len(b.Posts) != 1 || strings.Join(b.Posts[0].Paths, " ") != c.want {
				t.Errorf("%s, %+v, want %s", b.Format, b.Posts, c.want)
			}
		})
	}
}

func TestZolaIsDistinguishedFromHugo(t *testing.T) {
	post := "+++\ntitle = \"A\"\n+++\nText\n"
	for name, c := range map[string]struct {
		want  string
		files map[string]string
	}{
		"by base_url": {"Zola", map[string]string{"config.toml": "base_url = '/'",
			"content/a.md": post}},
		"by base_url in a folder": {"Zola", map[string]string{"site/config.toml": "base_url = '/'",
			"site/content/a.md": post, "site/README.md": "x"}},
		"by base_url in invalid TOML": {"Zola", map[string]string{"config.toml": "base_url = '/'\n[[[",
			"content/a.md": post}},
		"by zola.toml": {"Zola", map[string]string{"zola.toml": "base_url = '/'",
			"content/a.md": post}},
		"by sections without a configuration": {"Zola",
			map[string]string{"content/_index.md": "+++\nsort_by = 'date'\n+++\n", "content/a.md": post}},
		"Hugo by baseURL": {"Hugo", map[string]string{"config.toml": "baseURL = '/'",
			"content/a.md": post}},
		"Hugo, with base_url among parameters": {"Hugo",
			map[string]string{"config.toml": "baseURL = '/'\n[params]\nbase_url = '/'", "content/a.md": post}},
		"Hugo by its sections": {"Hugo",
			map[string]string{"content/_index.md": "---\ncascade: {}\n---\n", "content/a.md": post}},
		"Hugo, with an example site of Zola": {"Hugo", map[string]string{"hugo.toml": "", "content/a.md": post,
			"examples/zola/config.toml": "base_url = '/'"}},
		"Hugo, with a split configuration and an unusual section": {"Hugo", map[string]string{
			"config/_default/languages.en.yaml": "title: A\n", "content/a.md": post,
			"content/_index.md": "+++\nsort_by = 'x'\n+++\n"}},
		"Hugo, with an unusual section": {"Hugo", map[string]string{"hugo.toml": "",
			"content/_index.md": "+++\nsort_by = 'x'\n+++\n", "content/a.md": post}},
	} {
		t.Run(name, func(t *testing.T) {
			if b := read(t, c.files); b.Format != c.want || len(b.Posts) != 1 {
				t.Errorf("%d posts of %s, want %s", len(b.Posts), b.Format, c.want)
			}
		})
	}
}

func TestZolaShortcodeIsTranslated(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a video": {`{{ youtube(id="w7Ft2ymGmfc", autoplay=true) }}`,
			"<https://www.youtube.com/watch?v=w7Ft2ymGmfc>"},
		"another video": {`{{ vimeo(id='123') }}`, "<https://vimeo.com/123>"},
		"a gist": {`{{ gist(url="https://gist.github.com/ada/1") }}`,
			"<https://gist.github.com/ada/1>"},
		"a picture": {`An {{ img(src="/a.png", alt="An a") }} here`, "An ![An a](/a.png) here"},
		"a figure": {`{{ figure(src="a.png", alt="An a", caption="The letter") }}`,
			"![An a](a.png)\n\n*The letter*"},
		"a resized picture": {`{{ resize_image(path="a.png", width=5, op="fit") }}`, "![](a.png)"},
		"a quotation": {"{% quote(author=\"Ada\") %}\nBeans **grow**.\n{% end %}",
			"> Beans **grow**.\n>\n> — Ada"},
		"a quotation with code": {"{% quote() %}\nSee {{ img(src=\"a.png\") }}\n{% end %}",
			"> See ![](a.png)"},
		"a quotation in a text": {"Before\n{% quote() %}beans{% end %}\nafter",
			"Before\n\n> beans\n\nafter"},
		"a note":                           {"{% note(title=\"Mind\") %}\nthis\n{% end %}", "> **Mind**\n>\n> this"},
		"a diagram":                        {"{% mermaid() %}\ngraph TD\n{% end %}", "```mermaid\ngraph TD\n```"},
		"a formula":                        {"{% katex(block=true) %}\na_1 * b_1\n{% end %}", "$$\na_1 * b_1\n$$"},
		"an escaped shortcode":             {"`{{/* youtube(id=\"x\") */}}`", "`{{ youtube(id=\"x\") }}`"},
		"the body of an escaped shortcode": {"{%/* quote() */%}\nx\n{%/* end */%}", "{% quote() %}\nx\n{% end %}"},
		"a shortcode in code":              {"```\n{{ youtube(id=\"x\") }}\n```", "```\n{{ youtube(id=\"x\") }}\n```"},
		"text that looks like a shortcode": {"{{ page.title }} and {{ x", "{{ page.title }} and {{ x"},
		"an unclosed shortcode":            {"{% quote() %}\nx", "{% quote() %}\nx"},
		"a table of contents":              {"{{ toc() }}\n\nText", "Text"},
		"an alert":                         {"> [!WARNING]\n> Hot.", "> [!WARNING]\n> Hot."},
		"options of a code block": {"```rust,linenos,hl_lines=2-3\nlet x = 1;\n```\n\n```rust, name=x\n```\n\n~~~ " +
			"linenos\nx\n~~~", "```rust\nlet x = 1;\n```\n\n```rust\n```\n\n~~~\nx\n~~~"},
		"code in a list":              {"- ```toml,copy\n  a = 1\n  ```", "- ```toml\n  a = 1\n  ```"},
		"a fence in code":             {"````md\n```rust,linenos\n```\n````", "````md\n```rust,linenos\n```\n````"},
		"an explicit id of a heading": {"## Sow {#sowing}", "## Sow {#sowing}"},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, map[string]string{"config.toml": "base_url = '/'",
				"content/a.md": "+++\ntitle = \"A\"\n+++\n" + c.text + "\n"})
			if got := strings.TrimSpace(b.Posts[0].Content); got != c.want || b.Posts[0].Status != portable.Published {
				t.Errorf("%s, content\n%s\nwant\n%s", b.Posts[0].Status, got, c.want)
			}
		})
	}
	t.Run("and an unknown one makes a draft", func(t *testing.T) {
		text := "{{ mystery(a=1) }} and {% puzzle(b=[1, 2]) %}\nthis **too**\n{% end %}"
		b := read(t, map[string]string{"config.toml": "base_url = '/'", "content/a.md": "+++\ntitle = \"A\"\n+++\n" +
			text + "\n"})
		if p := b.Posts[0]; p.Content != text || p.Status != portable.Draft {
			t.Errorf("%s: %q", p.Status, p.Content)
		}
		if len(problems(b, "mystery")) != 1 || len(problems(b, "puzzle")) != 1 {
			t.Errorf("problems %v", b.Problems)
		}
	})
}

func TestZolaPageIsDatedByItsPath(t *testing.T) {
	b := read(t, map[string]string{"config.toml": zolaConfig,
		"content/a.md": "+++\ntitle = \"A\"\npath = \"2014/12/12/1.0-Timeline\"\n+++\nText\n",
		"content/b.md": "+++\ntitle = \"B\"\npath = \"releases/1.94.1\"\n+++\nText\n",
		"content/c.md": "+++\ntitle = \"C\"\ndate = 2020-01-02\npath = \"2014/12/12/c\"\n+++\nText\n"})
	for title, want := range map[string]string{"A": "2014-12-12", "B": "0001-01-01", "C": "2020-01-02"} {
		if got := find(t, b, title).Created.Format("2006-01-02"); got != want {
			t.Errorf("%s: %s, want %s", title, got, want)
		}
	}
	paths(t, b, map[string]string{"A": "/blog/2014/12/12/1.0-Timeline"})
}
