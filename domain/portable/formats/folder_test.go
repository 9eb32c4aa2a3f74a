package formats_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// now is the time of all imports in these tests.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// folder returns a folder with files, by their names.
func folder(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func read(t *testing.T, files map[string]string) *portable.Blog {
	t.Helper()
	blog, err := formats.Read([]fs.FS{folder(files)}, now)
	if err != nil {
		t.Fatal(err)
	}
	return blog
}

// find returns the post whose key or title ends with a text.
func find(t *testing.T, b *portable.Blog, end string) portable.Post {
	t.Helper()
	for _, p := range b.Posts {
		if strings.HasSuffix(p.Key, end) || p.Title == end {
			return p
		}
	}
	t.Fatalf("no post %q among %d", end, len(b.Posts))
	return portable.Post{}
}

// problems returns the problems that contain a text.
func problems(b *portable.Blog, about string) (found []string) {
	for _, p := range b.Problems {
		if strings.Contains(p.String(), about) {
			found = append(found, p.String())
		}
	}
	return found
}

func TestHugoSiteIsRead(t *testing.T) {
	b := read(t, map[string]string{
		"hugo.toml": "baseURL = 'https://ada.example/blog/'\ntitle = 'Notes'\n[permalinks]\nnotes = " +
			"'/:year/:month/:slug/'\n",
		"content/posts/first.md": "+++\ntitle = 'The first'\ndate = 2020-02-03T04:05:06+01:00\nlastmod = 2021-01-01\n" +
			"tags = ['Go', 'databases']\ncategories = ['go', 'Life']\naliases = ['/old/first', " +
			"'older.html']\n+++\nHello.\n",
		"content/posts/bundle/index.md": "---\ntitle: A bundle\ndate: 2020-05-01\nslug: other-name\nimage: " +
			"photo.jpg\n---\n![x](photo.jpg) and [first]({{< ref \"first.md\" >}})\n",
		"content/posts/bundle/photo.jpg": "jpeg",
		"content/notes/dated.md":         "---\ntitle: Dated\ndate: 2019-07-08\n---\nText\n",
		"content/posts/draft.md":         "---\ntitle: Not yet\ndraft: true\n---\nText\n",
		"content/posts/future.md":        "---\ntitle: Later\ndate: 2027-01-01T10:00:00Z\n---\nText\n",
		"content/posts/address.md":       "---\ntitle: Own address\nurl: /somewhere/else/\n---\nText\n",
		"content/posts/hidden.md":        "---\ntitle: Hidden\nbuild:\n  list: never\n---\nText\n",
		"content/posts/gone.md":          "---\ntitle: Gone\nexpiryDate: 2020-01-01\n---\nText\n",
		"content/posts/broken.md":        "---\ntitle: [\n---\nText\n",
		"content/_index.md":              "---\ntitle: Home\n---\n",
		"themes/x/content/demo.md":       "---\ntitle: Demo\n---\nno\n",
		"content/posts/codes.md": "---\ntitle: Codes\n---\n{{< figure src=\"/img/a.png\" alt=\"An a\" caption=\"The " +
			"letter\" >}}\n\n{{< youtube w7Ft2ymGmfc >}}\n\n" +
			"{{< highlight go \"linenos=table\" >}}\nfmt.Println(\"<b>\")\n{{< /highlight >}}\n\n{{< notice >}}Mind " +
			"**this**{{< /notice >}}\n\n{{< mystery a=\"b\" >}}\n\n`{{</* shown */>}}`\n",
		"static/img/a.png": "png",
	})
	if b.Format != "Hugo" || b.Title != "Notes" {
		t.Errorf("format %s, title %s", b.Format, b.Title)
	}
	t.Run("keeps dates, tags and addresses", func(t *testing.T) {
		p := find(t, b, "posts/first.md")
		if !p.Created.Equal(time.Date(2020, 2, 3, 3, 5, 6, 0, time.UTC)) || p.Edited.Year() != 2021 ||
			p.Status != portable.Published {
			t.Errorf("created %s, edited %s, %s", p.Created, p.Edited, p.Status)
		}
		if got := strings.Join(p.Tags, "|"); got != "Go|databases|Life" {
			t.Errorf("tags %s", got)
		}
		if got := strings.Join(p.Paths, " "); got != "/blog/posts/first /blog/old/first /blog/posts/older" {
			t.Errorf("paths %s", got)
		}
		if p.Slug != "first" || p.Content != "Hello." {
			t.Errorf("slug %q, content %q", p.Slug, p.Content)
		}
	})
	t.Run("knows permalinks, slugs and explicit addresses", func(t *testing.T) {
		for title, want := range map[string]string{"Dated": "/blog/2019/07/dated", "A bundle": "/blog/posts/other-name",
			"Own address": "/blog/somewhere/else"} {
			if p := find(t, b, title); p.Paths[0] != want {
				t.Errorf("%s was at %v", title, p.Paths)
			}
		}
	})
	t.Run("distinguishes drafts and hidden posts", func(t *testing.T) {
		for title, want := range map[string]portable.Status{"Not yet": portable.Draft, "Later": portable.Scheduled,
			"Hidden": portable.Unlisted, "Gone": portable.Draft} {
			if p := find(t, b, title); p.Status != want {
				t.Errorf("%s is %s", title, p.Status)
			}
		}
		if p := find(t, b, "Later"); p.Publish.Year() != 2027 {
			t.Errorf("the post is scheduled for %s", p.Publish)
		}
	})
	t.Run("finds pictures and posts by their addresses", func(t *testing.T) {
		d := portable.NewDirectory(b)
		for i, p := range b.Posts {
			if p.Title != "A bundle" {
				continue
			}
			if name, ok := d.File(i, "photo.jpg"); !ok || name != "content/posts/bundle/photo.jpg" {
				t.Errorf("the photo is %q, %v", name, ok)
			}
			if name, ok := d.File(i, "/img/a.png"); !ok || name != "static/img/a.png" {
				t.Errorf("the picture is %q, %v", name, ok)
			}
			for _, address := range []string{"first.md", "../first.md", "/blog/posts/first/", "/posts/first/",
				"https://ada.example/blog/posts/first/#x", "/blog/old/first"} {
				if to, _, ok := d.Post(i, address); !ok || b.Posts[to].Title != "The first" {
					t.Errorf("%s leads to no post", address)
				}
			}
			for _, address := range []string{"https://elsewhere.example/posts/first", "mailto:a@b.example", "/unknown",
				"#x", "%zz"} {
				if to, _, ok := d.Post(i, address); ok {
					t.Errorf("%s leads to %s", address, b.Posts[to].Title)
				}
			}
			if !strings.Contains(p.Content, "[first](first.md)") {
				t.Errorf("content %q", p.Content)
			}
		}
	})
	t.Run("translates shortcodes and reports unknown ones", func(t *testing.T) {
		text := find(t, b, "Codes").Content
		for _, want := range []string{"![An a](/img/a.png)\n\n*The letter*",
			"<https://www.youtube.com/watch?v=w7Ft2ymGmfc>",
			"```go\nfmt.Println(\"<b>\")\n```", "Mind **this**", "{{< mystery a=\"b\" >}}", "`{{< shown >}}`"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in %q", want, text)
			}
		}
		if len(problems(b, "mystery")) != 1 || len(problems(b, "notice")) != 1 {
			t.Errorf("problems %v", b.Problems)
		}
	})
	t.Run("reports what it cannot read", func(t *testing.T) {
		if got := problems(b, "broken.md"); len(got) != 1 || !strings.Contains(got[0], "YAML") {
			t.Errorf("problems %v", got)
		}
		for _, p := range b.Posts {
			if p.Title == "Demo" || p.Title == "Home" {
				t.Errorf("%s was read as a post", p.Title)
			}
		}
	})
}

func TestFigureGetsAParagraphOfItsOwn(t *testing.T) {
	const figure, plain = `{{< figure src="/p.png" caption="A cap" alt="alt" >}}`,
		`{{< figure src="/p.png" alt="alt" >}}`
	const image, cap = "![alt](/p.png)", "*A cap*"
	for name, c := range map[string]struct{ text, want string }{
		"at the end of a paragraph": {"Hello. " + figure, "Hello.\n\n" + image + "\n\n" + cap},
		"within a paragraph": {"Hello. " + figure + " Bye.", "Hello.\n\n" + image + "\n\n" + cap +
			"\n\nBye."},
		"without a caption": {"Hello. " + plain + " Bye.", "Hello.\n\n" + image + "\n\nBye."},
		"on a line of a paragraph": {"Hello.\n" + figure + "\nBye.", "Hello.\n\n" + image + "\n\n" + cap +
			"\n\nBye."},
		"on a line of its own": {"Hello.\n\n" + figure + "\n\nBye.", "Hello.\n\n" + image + "\n\n" + cap +
			"\n\nBye."},
		"beside another": {figure + " " + plain, image + "\n\n" + cap + "\n\n" + image},
		"below another":  {plain + "\n" + plain, image + "\n\n" + image},
		"in a list": {"- One " + figure + " more\n- Two", "- One\n\n  " + image + "\n\n  " +
			cap + "\n\n  more\n- Two"},
		"in a list, at the item's end": {"10. One " + plain + "\n11. Two", "10. One\n\n    " + image + "\n11. Two"},
		"as an item of a list":         {"- " + figure + "\n- Two", "- " + image + "\n\n  " + cap + "\n- Two"},
		"in a quote": {"> One " + figure + "\n> two", "> One\n>\n> " + image + "\n>\n> " + cap +
			"\n>\n> two"},
		"in a quote, on a line of its own": {"> One\n> " + plain + "\n> two", "> One\n>\n> " + image + "\n>\n> two"},
		"in a table": {"| a | b |\n|---|---|\n| " + figure + " | c |",
			"| a | b |\n|---|---|\n| " + image + " " + cap + " | c |"},
		"in a link": {"See [" + figure + "](/x).", "See [" + image + "](/x)."},
		"except of another shortcode within a line": {`An {{< img src="/p.png" alt="alt" >}} icon`, "An " + image +
			" icon"},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, map[string]string{"hugo.toml": "", "content/a.md": "---\ntitle: A\n---\n" + c.text + "\n"})
			if got := strings.TrimSpace(b.Posts[0].Content); got != c.want {
				t.Errorf("content\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	t.Run("of Jekyll", func(t *testing.T) {
		b := read(t, map[string]string{"_config.yml": "",
			"_posts/2018-04-05-a.md": "---\ntitle: A\n---\nHello. {% include figure.html src=\"/p.png\" alt=\"alt\" " +
				"caption=\"A cap\" %} Bye.\n"})
		if got, want := strings.TrimSpace(b.Posts[0].Content), "Hello.\n\n"+image+"\n\n"+cap+"\n\nBye."; got != want {
			t.Errorf("content\n%s\nwant\n%s", got, want)
		}
	})
}

func TestJekyllSiteIsRead(t *testing.T) {
	b := read(t, map[string]string{
		"_config.yml": "title: Bob\nurl: https://bob.example\nbaseurl: /b\n",
		"_posts/2018-04-05-hello-world.md": "---\ntitle: Hello\ncategories: news stuff\ntags: [a, " +
			"b]\nredirect_from:\n  - /older/\n---\n{% post_url 2018-04-06-next %}\n\n![p]({{ site.baseurl " +
			"}}/assets/p.png){: .wide}\n\n{% highlight ruby %}\nputs 1\n{% endhighlight %}\n",
		"_posts/2018-04-06-next.markdown": "---\ntitle: Next\npermalink: /n/:year/:title/\ndate: 2018-04-06 " +
			"10:11:12 +0200\n---\nLink [back]({% post_url 2018-04-05-hello-world %}) {% raw %}{{ x }}{% endraw %} {{ " +
			"page.odd }}\n",
		"_posts/2018-04-07-off.md": "---\ntitle: Off\npublished: false\n---\nText\n",
		"_drafts/idea.md":          "An idea without a head.\n",
		"about.md":                 "---\ntitle: About\n---\nA page.\n",
		"assets/p.png":             "png",
	})
	if b.Format != "Jekyll" || len(b.Posts) != 5 {
		t.Fatalf("%d posts of %s", len(b.Posts), b.Format)
	}
	hello := find(t, b, "Hello")
	if got := strings.Join(hello.Paths, " "); got != "/b/news/stuff/2018/04/05/hello-world /b/older" {
		t.Errorf("paths %s", got)
	}
	if hello.Created.Format(time.DateOnly) != "2018-04-05" || strings.Join(hello.Tags, "|") != "a|b|news|stuff" {
		t.Errorf("created %s, tags %q", hello.Created, hello.Tags)
	}
	for _, want := range []string{"/_posts/2018-04-06-next.md", "![p](/assets/p.png)\n", "```ruby\nputs 1\n```"} {
		if !strings.Contains(hello.Content, want) {
			t.Errorf("%q is missing in %q", want, hello.Content)
		}
	}
	next := find(t, b, "Next")
	if next.Paths[0] != "/b/n/2018/next" || next.Created.Format(time.RFC3339) != "2018-04-06T10:11:12+02:00" {
		t.Errorf("paths %v, created %s", next.Paths, next.Created)
	}
	if !strings.Contains(next.Content, "{{ x }}") || len(problems(b, "page.odd")) != 1 ||
		len(problems(b, "{{ x }}")) != 0 {
		t.Errorf("%q, problems %v", next.Content, b.Problems)
	}
	d := portable.NewDirectory(b)
	for i, p := range b.Posts {
		if p.Title == "Next" {
			if to, _, ok := d.Post(i, "/_posts/2018-04-05-hello-world.md"); !ok || b.Posts[to].Title != "Hello" {
				t.Error("post_url leads to no post")
			}
		}
	}
	if about := find(t, b, "About"); about.Status != portable.Unlisted || strings.Join(about.Paths, " ") != "/b/about" {
		t.Errorf("the page is %+v", about)
	}
	if find(t, b, "Off").Status != portable.Draft {
		t.Error("an unpublished post is not a draft")
	}
	if idea := find(t, b, "idea.md"); idea.Status != portable.Draft || idea.Title != "Idea" || len(idea.Paths) != 0 {
		t.Errorf("%+v", idea)
	}
}

func TestJekyllPagesBecomeUnlistedPosts(t *testing.T) {
	b := read(t, map[string]string{"_config.yml": "title: Bob\nexclude: [notes/]\n",
		"_posts/2018-04-05-a.md": "---\ntitle: A\n---\ntext\n", "README.md": "x\n",
		"_includes/part.md": "x\n", "about.md": "---\ntitle: About\n---\na page\n", "index.markdown": "---\n---\nhome",
		"sub/page.md":        "---\n---\nx\n",
		"contact/index.html": "---\ntitle: Contact\npermalink: /write-me/\n---\n<p>Here.</p>\n",
		"404.html":           "---\n---\nnot there",
		"tags.html":          "---\ntitle: Tags\n---\n{% for tag in site.tags %}{{ tag }}{% endfor %}\n",
		"plain.md":           "no front matter\n",
		"notes/private.md":   "---\n---\nexcluded\n", "archive.md": "---\nlayout: archive\n---\n",
		"gone.md": "---\nredirect_to: /about\n---\n"})
	statuses(t, b, map[string]portable.Status{"A": portable.Published, "About": portable.Unlisted,
		"Page": portable.Unlisted, "Contact": portable.Unlisted})
	for title, want := range map[string]string{"About": "/about", "Page": "/sub/page", "Contact": "/write-me"} {
		if got := strings.Join(find(t, b, title).Paths, " "); got != want {
			t.Errorf("%s was at %s, want %s", title, got, want)
		}
	}
	for _, about := range []string{"left out: pages that list posts (1, such as tags.html)",
		"left out: files without front matter, from which Jekyll makes no pages (1, such as plain.md)",
		"left out: pages without a text of their own (2, such as archive.md, gone.md)"} {
		if len(problems(b, about)) != 1 {
			t.Errorf("%q is not reported exactly once: %v", about, b.Problems)
		}
	}
}

func TestEscapedHugoShortcodesAreShown(t *testing.T) {
	b := read(t, map[string]string{"hugo.toml": "",
		"content/a.md": "---\ntitle: A\n---\n```\n{{</* x `a\nb` */>}}\n```\n"})
	if got := strings.TrimSpace(b.Posts[0].Content); got != "```\n{{< x `a\nb` >}}\n```" {
		t.Errorf("content %q", got)
	}
}
