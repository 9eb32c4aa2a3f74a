package formats_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"strings"
	"testing"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

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
