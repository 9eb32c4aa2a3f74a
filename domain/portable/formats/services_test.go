package formats_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// equal compares two texts.
func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s is\n%s\nwant\n%s", what, got, want)
	}
}

// reports checks that the report contains each of some texts exactly once.
func reports(t *testing.T, b *portable.Blog, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if n := len(problems(b, text)); n != 1 {
			t.Errorf("the report contains %d times %q: %v", n, text, b.Problems)
		}
	}
}

func TestSubstackExportIsRead(t *testing.T) {
	b := open(t, "substack", portable.Options{})
	equal(t, "the format", b.Format+" "+b.Title, "Substack keeper")
	t.Run("publishes only public posts", func(t *testing.T) {
		statuses(t, b, map[string]portable.Status{"The lighthouse": portable.Published, "Keepers only": portable.Draft,
			"Not yet":  portable.Draft,
			"Fog horn": portable.Published, "Half open": portable.Draft, "About us": portable.Unlisted,
			"Mailed":  portable.Draft,
			"Friends": portable.Draft, "Stray": portable.Draft})
		reports(t, b, "Keepers only: imported as a draft: only subscribers could read it (only_paid)",
			"Half open: imported as a draft: only paying subscribers",
			`Friends: imported as a draft: its audience "close_friends" is not known`,
			"About us: imported as an unlisted post: it was a page",
			`Mailed: imported as a draft: its kind "adhoc_email" is not known`,
			"1009.stray.html: imported as a draft: posts.csv does not list it", "Lost: not imported")
	})
	lighthouse := find(t, b, "The lighthouse")
	t.Run("keeps dates, slugs and addresses", func(t *testing.T) {
		if !lighthouse.Created.Equal(time.Date(2023, 5, 6, 7, 8, 9, 0, time.UTC)) ||
			lighthouse.Slug != "the-lighthouse" {
			t.Errorf("created %s, slug %s", lighthouse.Created, lighthouse.Slug)
		}
		equal(t, "the address", strings.Join(lighthouse.Paths, " "), "/p/the-lighthouse")
	})
	t.Run("translates pictures, embeds, footnotes and formulas, and removes widgets", func(t *testing.T) {
		equal(t, "the text", lighthouse.Content, `*A * in the night*

It stands *alone*[^1], see [the horn](https://keeper.substack.com/p/fog-horn?utm_source=x).

![A tower](https://substack-post-media.s3.amazonaws.com/public/images/tower_800x600.png)

*At dusk*

[Buy lamps](https://shop.example/lamps)

[https://www.youtube.com/watch?v=dQw4](https://www.youtube.com/watch?v=dQw4)

> Lights out
> 
> — [Ann](https://twitter.com/ann/status/9)

![Lamps](https://media.example/one.png)

![Lamps](https://media.example/two.png)

*Two lamps*

> Keep the light.

$$
E = m_c * c^2
$$

`+"```go\nif a < b {\n}\n```"+`

[^1]: So **they** say.

    Twice.`)
		reports(t, b, "The lighthouse: a poll was left out")
		contains(t, find(t, b, "Fog horn").Content, "https://api.example/fog.mp3")
	})
	t.Run("finds posts by address", func(t *testing.T) {
		for address, want := range map[string]string{"https://keeper.substack.com/p/fog-horn?utm_source=x": "Fog horn",
			"/p/keepers-only":                       "Keepers only",
			"https://other.substack.com/p/fog-horn": ""} {
			if post, _ := leads(t, b, "The lighthouse", address); post != want {
				t.Errorf("%s leads to %q, want %q", address, post, want)
			}
		}
	})
	t.Run("never reads lists of subscribers", func(t *testing.T) {
		for _, p := range b.Posts {
			if strings.Contains(p.Content, "private.example") {
				t.Errorf("%s contains a subscriber's address", p.Title)
			}
		}
	})
}

func TestMediumExportIsRead(t *testing.T) {
	b := open(t, "medium", portable.Options{})
	equal(t, "the format", b.Format, "Medium")
	statuses(t, b, map[string]portable.Status{"Bread, slowly": portable.Published, "Rye": portable.Published,
		"Yeast":                            portable.Draft,
		"I agree with every word of this…": portable.Draft})
	reports(t, b, "may be a response")
	bread := find(t, b, "Bread, slowly")
	equal(t, "the addresses", strings.Join(bread.Paths, " "),
		"/@ada/bread-slowly-abcdef123456 /bread-slowly-abcdef123456 /p/abcdef123456")
	if !bread.Created.Equal(time.Date(2019, 1, 2, 3, 4, 5, 678e6, time.UTC)) || bread.Slug != "bread-slowly" {
		t.Errorf("created %s, slug %s", bread.Created, bread.Slug)
	}
	equal(t, "the text", bread.Content, `*Flour and time*

Mix **well**, see [rye](/p/0123456789ab) and [oats](https://medium.com/@eve/oats-ffffff000000).

### Oven

![](https://cdn-images-1.medium.com/max/800/1*loaf.jpeg)

*A loaf*

`+"```sh\nbake <dough>\n  --slowly\n```"+`

[The mill](https://mill.example/flour)

[https://gist.github.com/ada/77](https://gist.github.com/ada/77)

* * *

The end.

> Wait longer`)
	for address, want := range map[string]string{"/p/0123456789ab": "Rye", "/the-oven/rye-0123456789ab": "Rye",
		"https://medium.com/@eve/oats-ffffff000000": ""} {
		if post, _ := leads(t, b, "Bread, slowly", address); post != want {
			t.Errorf("%s leads to %q, want %q", address, post, want)
		}
	}
}

func TestBloggerExportIsRead(t *testing.T) {
	b := open(t, "blogger.xml", portable.Options{})
	equal(t, "the format", b.Format+" "+b.Title, "Blogger Hill walks")
	statuses(t, b, map[string]portable.Status{"Up & down": portable.Published, "The moor": portable.Published,
		"Unwalked": portable.Draft, "About": portable.Unlisted})
	reports(t, b, "Up & down: its readers' comments were left out: 1",
		"About: imported as an unlisted post: it was a page")
	walk := find(t, b, "Up & down")
	if walk.Created.Format(time.DateOnly) != "2011-03-04" || walk.Edited.Format(time.DateOnly) != "2011-03-05" ||
		walk.Slug != "up-down" {
		t.Errorf("%+v", walk)
	}
	equal(t, "the addresses and tags", strings.Join(walk.Paths, " ")+" "+strings.Join(walk.Tags, "|"),
		"/2011/03/up-down ridges|Long walks")
	equal(t, "the text", walk.Content, `We went up.

Then **down**,  
see [the moor](http://hills.blogspot.com/2011/04/the-moor.html?m=1).

![The ridge](http://1.bp.blogspot.com/-x/T/s1600/ridge.jpg)

![](http://2.bp.blogspot.com/-y/T/s1600/cairn.jpg)

*The cairn*`)
	if post, _ := leads(t, b, "Up & down", "http://hills.blogspot.com/2011/04/the-moor.html?m=1"); post != "The moor" {
		t.Errorf("the link leads to %q", post)
	}
}

// takeout returns the feed of a blog in Google Takeout, with entries.
func takeout(entries ...string) string {
	return `<?xml version='1.0' encoding='utf-8'?><feed xmlns='http://www.w3.org/2005/Atom' ` +
		`xmlns:blogger='http://schemas.google.com/blogger/2018'>
<id>tag:blogger.com,1999:blog-9</id><title>Brooks</title>` + strings.Join(entries, "") + `</feed>`
}

func takeoutEntry(id, kind, status, published, more string) string {
	return `<entry><id>tag:blogger.com,1999:blog-9.post-` + id + `</id><blogger:type>` + kind +
		`</blogger:type><blogger:status>` + status +
		`</blogger:status><author><name>Ann</name><blogger:type>BLOGGER</blogger:type></author><published>` +
		published + `</published>` + more + `</entry>`
}

func TestBloggerInTakeoutIsRead(t *testing.T) {
	b := read(t, map[string]string{
		"Takeout/Blogger/Blogs/Brooks/theme-classic.html": "<html></html>",
		"Takeout/Blogger/Blogs/Brooks/feed.atom": takeout(
			takeoutEntry("1", "POST", "LIVE", "2019-01-02T03:04:05Z", `<title>A spring</title>`+
				`<content type='html'>&lt;p&gt;To &lt;a href="https://brooks.example/2019/02/a-ford.html"&gt;the `+
				`ford&lt;/a&gt;&lt;/p&gt;</content>
				<category scheme='tag:blogger.com,1999:blog-9' term='water'/><blogger:filename>`+
				`/2019/01/a-spring.html</blogger:filename><blogger:trashed/>`),
			takeoutEntry("2", "POST", "LIVE", "2019-02-02T03:04:05Z",
				`<title>A ford</title><content type='html'>Wet.</content><blogger:filename>`+
					`/2019/02/a-ford.html</blogger:filename>`),
			takeoutEntry("3", "POST", "DRAFT", "2019-02-02T03:04:05Z",
				`<title>A draft</title><content type='html'>x</content>`),
			takeoutEntry("4", "POST", "SCHEDULED", "2036-02-02T03:04:05Z",
				`<title>To come</title><content type='html'>x</content><blogger:filename>`+
					`/2036/02/to-come.html</blogger:filename>`),
			takeoutEntry("5", "POST", "SOFT_TRASHED", "2019-02-02T03:04:05Z",
				`<title>Gone</title><content type='html'>x</content>`),
			takeoutEntry("6", "PAGE", "LIVE", "2019-02-02T03:04:05Z",
				`<title>About</title><content type='html'>x</content><blogger:filename>`+
					`/p/about.html</blogger:filename>`),
			takeoutEntry("7", "COMMENT", "LIVE", "2019-02-02T03:04:05Z",
				`<content type='html'>x</content><blogger:parent>tag:blogger.com,1999:blog-9.post-1</blogger:parent>`),
			takeoutEntry("8", "COMMENT", "SPAM_COMMENT", "2019-02-02T03:04:05Z",
				`<content type='html'>x</content><blogger:parent>tag:blogger.com,1999:blog-9.post-1</blogger:parent>`),
			takeoutEntry("9", "POST", "SOMETHING_NEW", "2019-02-02T03:04:05Z",
				`<title>Unknown</title><content type='html'>x</content>`)),
	})
	statuses(t, b, map[string]portable.Status{"A spring": portable.Published, "A ford": portable.Published,
		"A draft": portable.Draft,
		"To come": portable.Scheduled, "About": portable.Unlisted, "Unknown": portable.Draft})
	reports(t, b, "Gone: left out: it is in the trash", "its readers' comments were left out: 1",
		"its status SOMETHING_NEW is not known")
	if spring := find(t, b, "A spring"); strings.Join(spring.Paths, " ") != "/2019/01/a-spring" ||
		strings.Join(spring.Tags, " ") != "water" {
		t.Errorf("%+v", spring)
	}
	if post, _ := leads(t, b, "A spring", "https://brooks.example/2019/02/a-ford.html"); post != "A ford" {
		t.Errorf("without the blog's address, the link leads to %q", post)
	}
	if publish := find(t, b, "To come").Publish; publish.Year() != 2036 {
		t.Errorf("the post is scheduled for %s", publish)
	}
}

func TestPicturesInTakeoutAlbumsAreFound(t *testing.T) {
	picture := func(address string) string {
		return `&lt;img src="https://blogger.googleusercontent.com/img/` + address + `"/&gt;`
	}
	b := read(t, map[string]string{
		"Takeout/Blogger/Albums/Brooks/a spring.jpg": "x", "Takeout/Blogger/Albums/Brooks/image.png": "y",
		"Takeout/Blogger/Blogs/Brooks/feed.atom": takeout(
			takeoutEntry("1", "POST", "LIVE", "2019-01-02T03:04:05Z",
				`<title>A</title><content>`+picture("a/s320/a%20spring.jpg")+picture("b/s320/image.png")+`</content>`),
			takeoutEntry("2", "POST", "LIVE", "2019-01-02T03:04:05Z",
				`<title>B</title><content>`+picture("a/w640-h480/a%20spring.jpg")+picture("c/s320/image.png")+
					`</content>`)),
	})
	for _, title := range []string{"A", "B"} {
		contains(t, find(t, b, title).Content, "![](/Takeout/Blogger/Albums/Brooks/a%20spring.jpg)",
			"/s320/image.png") // ambiguous: two files have this name
	}
	if _, file := leads(t, b, "A",
		"/Takeout/Blogger/Albums/Brooks/a%20spring.jpg"); file != "Takeout/Blogger/Albums/Brooks/a spring.jpg" {
		t.Errorf("the picture is %q", file)
	}
}

func TestPrivateBloggerBlogBecomesDrafts(t *testing.T) {
	kind := `<category scheme='http://schemas.google.com/g/2005#kind' ` +
		`term='http://schemas.google.com/blogger/2008/kind#`
	b := read(t, map[string]string{"blog.xml": `<feed xmlns='http://www.w3.org/2005/Atom'>
<entry><id>x.post-1</id>` + kind + `post'/><title>A</title><content>x</content></entry>
<entry><id>x.settings.BLOG_READ_ACCESS_MODE</id>` + kind + `settings'/><content>READERS</content></entry></feed>`})
	statuses(t, b, map[string]portable.Status{"A": portable.Draft})
	reports(t, b, "all posts are imported as drafts: the blog was not public")
}

func TestTumblrExportIsRead(t *testing.T) {
	b := open(t, "tumblr", portable.Options{})
	equal(t, "the format", b.Format+" "+b.Title, "Tumblr tea")
	statuses(t, b, map[string]portable.Status{"First flush": portable.Published, "A pot": portable.Published,
		"Tea first.": portable.Published,
		"The shop":   portable.Published, "Overheard": portable.Published,
		"Notes": portable.Draft, "Secret": portable.Draft,
		"How long": portable.Published})
	reports(t, b, "Secret: imported as a draft: it was private")
	flush := find(t, b, "First flush")
	equal(t, "the addresses and tags", strings.Join(flush.Paths, " ")+" "+strings.Join(flush.Tags, "|"),
		"/post/180894436671/first-flush /post/180894436671 green tea|spring")
	if !flush.Created.Equal(time.Date(2018, 12, 7, 16, 48, 43, 0, time.UTC)) {
		t.Errorf("created %s", flush.Created)
	}
	for title, want := range map[string]string{
		"First flush": "Light, see [the pot](/post/180784644740).\n\n[leaf](https://leaf.tumblr.com/post/1):\n\n> " +
			"Boil it.",
		"A pot":      "![](/media/180784644740.png)\n\nGrandmother's pot",
		"Tea first.": "> Tea first.\n\n— [A book](https://book.example)",
		"The shop":   "[The shop](https://shop.example/)\n\nGood leaves",
		"Overheard":  "**A:** Milk?\n\n**B:** Never &lt;b&gt;",
		"How long":   "> How long?\n\nThree minutes.",
	} {
		equal(t, title, find(t, b, title).Content, want)
	}
	if post, _ := leads(t, b, "First flush", "/post/180784644740"); post != "A pot" {
		t.Errorf("the link leads to %q", post)
	}
	if _, file := leads(t, b, "A pot", "/media/180784644740.png"); file != "media/180784644740.png" {
		t.Errorf("the picture is %q", file)
	}
}

// tumblrPage returns the page of a post as Tumblr exports it.
func tumblrPage(title, body, footer string) string {
	return `<!DOCTYPE HTML><html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"/></head>` +
		`<body><h1>` + title + `</h1>` + body +
		`<div id="footer"><span id="timestamp"> ` + footer + `</div></body></html>`
}

func TestTumblrPagesAreRead(t *testing.T) {
	pages := map[string]string{
		"html/190376479142.html": tumblrPage("",
			`<div class="npf_row"><figure><img src="https://64.media.tumblr.com/x/s640x960/y.png"></figure></div>`+
				`<p>A cup</p>`,
			`January 20th, 2020 10:23pm </span> <span class="tag">cups</span>`),
		"html/190376479143.html": tumblrPage("A saucer",
			`<p>For <a href="https://tea.tumblr.com/post/190376479142/a-cup">the cup</a></p><img `+
				`src="../../media/190376479142.png">`,
			`May 1st, 2019 4:54am </span>`),
		"drafts/html/190376479144.html": tumblrPage("A lid", "<p>x</p>", `May 1st, 2019 4:54am </span>`),
		"posts_index.html":              "<html></html>",
	}
	var inner bytes.Buffer
	z := zip.NewWriter(&inner)
	for name, text := range pages {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for form, files := range map[string]map[string]string{
		"in a zip within the export": {"posts/posts.zip": inner.String(), "media/190376479142.png": "x",
			"media/190376479143.png": "y"},
		"in folders": {"posts/html/190376479142.html": pages["html/190376479142.html"],
			"posts/html/190376479143.html":        pages["html/190376479143.html"],
			"posts/drafts/html/190376479144.html": pages["drafts/html/190376479144.html"],
			"media/190376479142.png":              "x",
			"media/190376479143.png":              "y"},
	} {
		t.Run(form, func(t *testing.T) {
			b := read(t, files)
			statuses(t, b, map[string]portable.Status{"A cup": portable.Published, "A saucer": portable.Published,
				"A lid": portable.Draft})
			cup, saucer := find(t, b, "A cup"), find(t, b, "A saucer")
			equal(t, "the picture post", cup.Content, "![](/media/190376479142.png)\n\nA cup")
			equal(t, "the text post", saucer.Content,
				"For [the cup](/post/190376479142)\n\n![](/media/190376479143.png)")
			if !cup.Created.Equal(time.Date(2020, 1, 20, 22, 23, 0, 0, time.UTC)) ||
				strings.Join(cup.Tags, " ") != "cups" {
				t.Errorf("created %s, tags %v", cup.Created, cup.Tags)
			}
			equal(t, "the addresses", strings.Join(saucer.Paths, " "), "/post/190376479143 /post/190376479143/a-saucer")
			if _, file := leads(t, b, "A cup", "/media/190376479142.png"); file != "media/190376479142.png" {
				t.Errorf("the picture is %q", file)
			}
		})
	}
}

func TestOtherFilesAreNotReadAsAnExportOfAService(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"a table": {"posts.csv": "a,b\n1,2\n"},
		"pages of a site": {"posts/2019-01-02_x-abcdef123456.html": "<p>x</p>",
			"posts/html/123.html": "<p>y</p>"},
		"another feed":    {"feed.atom": "<feed><entry><id>x</id><title>t</title></entry></feed>"},
		"a truncated zip": {"posts/posts.zip": "PK\x03\x04"},
		"a feed in XML": {
			"a.xml": "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>x</id></entry></feed>"},
		"other XML named posts.xml": {"posts.xml": "<urlset></urlset>"},
	} {
		t.Run(name, func(t *testing.T) {
			if b, err := formats.Read([]fs.FS{folder(files)}, now); err == nil {
				t.Errorf("read as %s with %d posts", b.Format, len(b.Posts))
			}
		})
	}
	t.Run("a folder of Markdown with a table, a feed and a zip", func(t *testing.T) {
		b := read(t, map[string]string{"posts.csv": "a,b\n", "a.md": "# A\n\nx",
			"feed.atom": "<feed><title>x</title></feed>", "posts.zip": "x"})
		equal(t, "the format", b.Format, "Markdown")
	})
}

func FuzzSubstack(f *testing.F) {
	f.Add("1.a,2020-01-01,true,newsletter,everyone,T,S",
		`<p>x<a class="footnote-anchor" href="#footnote-1">1</a></p><div class="footnote"><a id="footnote-1" `+
			`class="footnote-number">1</a><div class="footnote-content"><p>y</p></div></div>`)
	f.Add(`2.b,,false,page,only_paid,"T""",`,
		`<div class="captioned-image-container"><figure><a class="image-link" href="x"><img `+
			`data-attrs="{&quot;src&quot;:&quot;https://x/image/fetch/a/https%3A%2F%2Fy&quot;}"></a><figcaption>`+
			`z</figcaption></figure></div>`)
	f.Add("3,x,true,thread,,,",
		`<div class="tweet" data-attrs="{}"><a href="https://t.example">x</a></div><div class="latex-rendered" `+
			`data-attrs="{&quot;persistentExpression&quot;:&quot;x&quot;}"></div><div class="youtube-wrap" `+
			`data-attrs="["></div>`)
	f.Fuzz(func(t *testing.T, row, text string) {
		b, err := formats.Read([]fs.FS{folder(map[string]string{
			"posts.csv":      "post_id,post_date,is_published,type,audience,title,subtitle\n" + row + "\n",
			"posts/1.a.html": text, "posts/2.b.html": text, "posts/3.html": text})}, now)
		sound(t, b, err)
	})
}

func FuzzMedium(f *testing.F) {
	f.Add("<h3 class=graf--title>x</h3><pre>a<br>b</pre><div class=graf--mixtapeEmbed><a "+
		"class=markup--mixtapeEmbed-anchor href=https://a.example><strong>x</strong></a></div>",
		"https://medium.com/@a/x-abcdef123456")
	f.Add("<p><a href='/x-abcdef123456#y'>x</a></p><script src=https://gist.github.com/a.js></script>", "%zz")
	f.Fuzz(func(t *testing.T, text, canonical string) {
		b, err := formats.Read([]fs.FS{folder(map[string]string{
			"posts/2019-01-02_x-abcdef123456.html": `<article class="h-entry"><h1 class="p-name">x</h1><section ` +
				`class="e-content">` +
				text + `</section><footer><time class="dt-published" datetime="2020-01-01"></time><a ` +
				`class="p-canonical" href="` + canonical + `">x</a></footer></article>`})}, now)
		if err == nil { // a text can close its own section
			sound(t, b, err)
		}
	})
}

func FuzzBlogger(f *testing.F) {
	f.Add("a<br/><br/>b<div class=separator><a href=http://1.bp.blogspot.com/s1600-h/x.jpg><img src=y></a></div>",
		"POST", "LIVE", "/2011/01/x.html")
	f.Add("<table class=tr-caption-container><tr><td><img src=x></td></tr><tr><td class=tr-caption>y</td></tr></table>",
		"PAGE", "SCHEDULED", "x y")
	f.Fuzz(func(t *testing.T, text, kind, status, filename string) {
		b, err := formats.Read([]fs.FS{folder(map[string]string{"feed.atom": takeout(takeoutEntry("1", "POST", "LIVE",
			"2020-01-01", "<content>x</content>"),
			takeoutEntry("2", kind, status, "2030-01-01T00:00:00Z",
				"<content type='html'><![CDATA["+text+"]]></content><filename>"+filename+"</filename>"))})}, now)
		sound(t, b, err)
	})
}

func FuzzTumblr(f *testing.F) {
	f.Add("regular", "<p>x <a href='https://www.tumblr.com/a/123456/x'>y</a></p>", "May 1st, 2019 4:54am")
	f.Add("photo", "</photo-url><photo-url max-width='9'>https://64.media.tumblr.com/x.png", "x")
	f.Add("regular", "<p><a href='https:/www.tumblr.example/a/123456/x'>an address without a host</a></p>", "")
	f.Add("conversation", "</a><conversation><line label='x'>y</line></conversation><a>", "")
	f.Fuzz(func(t *testing.T, kind, text, when string) {
		b, err := formats.Read([]fs.FS{folder(map[string]string{
			"posts/posts.xml": `<tumblr><posts>` +
				`<post id="123456" url="https://a.tumblr.com/post/123456/x" type="` + kind +
				`"><photo-url>` + text + `</photo-url><regular-body><![CDATA[` + text +
				`]]></regular-body></post></posts></tumblr>`, "media/123456.png": ""})}, now)
		sound(t, b, err)
		b, err = formats.Read([]fs.FS{folder(map[string]string{"posts/html/123456.html": tumblrPage(kind, text, when),
			"posts/html/1.html":  tumblrPage("", "", ""),
			"media/123456_0.png": "", "media/123456_10.png": ""})}, now)
		sound(t, b, err)
	})
}

func TestAuthorOfAPostIsRead(t *testing.T) {
	item := func(n, by string) string {
		return `<item><title>P` + n + `</title><dc:creator><![CDATA[` + by +
			`]]></dc:creator><content:encoded>x</content:encoded><wp:post_id>` + n +
			`</wp:post_id><wp:status>publish</wp:status><wp:post_type>post</wp:post_type></item>`
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"WordPress": {map[string]string{
			"a.xml": `<rss><channel><wp:author><wp:author_login><![CDATA[ann]]></wp:author_login><wp:author_email>` +
				`ann@example.org</wp:author_email>` +
				`<wp:author_display_name><![CDATA[Ann Hill]]></wp:author_display_name></wp:author>` + item("1", "bob") +
				item("2", "ann") + item("3", "ann") + `</channel></rss>`},
			"ann (Ann Hill, ann@example.org) 2, bob () 1"},
		"Ghost": {map[string]string{"a.json": `{"data":{"posts":[{"id":"1","title":"A","html":"x"},{"id":"2",` +
			`"title":"B","html":"x"},{"id":"3","title":"C","html":"x","author_id":"8"}],
			"users":[{"id":"8","name":"Ann","slug":"ann-1","email":"ann@example.org"},{"id":"9","name":"Ann",` +
			`"slug":"ann-2"}],
			"posts_authors":[{"post_id":"1","author_id":"9","sort_order":1},{"post_id":"1","author_id":"8",` +
			`"sort_order":0},{"post_id":"2","author_id":"9"}]}}`},
			"Ann (ann-1, ann@example.org) 2, ann-2 (Ann) 1"},
		"front matter": {map[string]string{"hugo.toml": "", "content/a.md": "---\nauthor: Ann  Hill\n---\nx",
			"content/b.md": "---\nauthors: [bob, Ann Hill]\n---\nx",
			"content/c.md": "+++\n[author]\nname = 'bob'\n+++\nx", "content/d.md": "# none"},
			"bob () 2, Ann Hill () 1,  () 1"},
		"Medium": {map[string]string{
			"posts/2019-01-02_x-abcdef123456.html": `<article class="h-entry"><h1 class="p-name">x</h1><section ` +
				`class="e-content"><h3>x</h3></section>` +
				`<a class="p-author h-card" href="https://medium.com/@ada">Ada L.</a></article>`}, "Ada L. (ada) 1"},
	} {
		t.Run(name, func(t *testing.T) {
			b := read(t, c.files)
			var got []string
			for _, a := range b.Authors() {
				got = append(got, fmt.Sprintf("%s (%s) %d", a.ID, strings.Join(a.Names, ", "), a.Posts))
			}
			equal(t, "the authors", strings.Join(got, ", "), c.want)
		})
	}
	for name, want := range map[string]string{"tumblr": "tea", "blogger.xml": "Ann Hill", "substack": ""} {
		if a := open(t, name, portable.Options{}).Authors()[0]; a.ID != want {
			t.Errorf("%s is by %q, want %q", name, a.ID, want)
		}
	}
	t.Run("and several authors are reported unless each has a user", func(t *testing.T) {
		reports(t, open(t, "blogger.xml", portable.Options{}),
			"the posts of 2 authors, Ann Hill and Bob Dale, all go to one user")
		b, closeBlog, err := formats.Open("../testdata/blogger.xml", portable.Options{Authors: true}, now)
		if err != nil {
			t.Fatal(err)
		}
		defer closeBlog()
		if found := problems(b, "authors"); len(found) > 0 {
			t.Errorf("the report says %v", found)
		}
	})
}
