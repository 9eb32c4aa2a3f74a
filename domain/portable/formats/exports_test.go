package formats_test

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// open reads an export of the test data.
func open(t *testing.T, name string, o portable.Options) *portable.Blog {
	t.Helper()
	blog, closeBlog, err := formats.Open("../testdata/"+name, o, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeBlog)
	return blog
}

// contains checks that a text contains all of some parts.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

// statuses compares the statuses of all posts, by their titles.
func statuses(t *testing.T, b *portable.Blog, want map[string]portable.Status) {
	t.Helper()
	got := map[string]portable.Status{}
	for _, p := range b.Posts {
		got[p.Title] = p.Status
	}
	for title, status := range want {
		if got[title] != status {
			t.Errorf("%s is %q, want %q", title, got[title], status)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
}

// leads returns the post or file to which an address in a post leads.
func leads(t *testing.T, b *portable.Blog, from, address string) (post, file string) {
	t.Helper()
	d := portable.NewDirectory(b)
	for i, p := range b.Posts {
		if p.Title != from {
			continue
		}
		if to, _, ok := d.Post(i, address); ok {
			post = b.Posts[to].Title
		}
		file, _ = d.File(i, address)
		return post, file
	}
	t.Fatalf("there is no post %q", from)
	return "", ""
}

func TestWordPressExportIsRead(t *testing.T) {
	b := open(t, "wordpress.xml", portable.Options{Uploads: "../testdata", Templates: portable.KeepTemplates})
	if b.Format != "WordPress" || b.Title != "The allotment" {
		t.Errorf("%s of %s", b.Title, b.Format)
	}
	statuses(t, b, map[string]portable.Status{"Beans & peas": portable.Published, "The frost": portable.Published,
		"About":     portable.Unlisted,
		"Half done": portable.Draft, "Mine alone": portable.Draft,
		"With a password": portable.Draft, "Next year": portable.Scheduled})
	beans, frost := find(t, b, "Beans & peas"), find(t, b, "The frost")
	t.Run("keeps dates, tags and addresses", func(t *testing.T) {
		if !beans.Created.Equal(time.Date(2015, 4, 4, 8, 0, 0, 0, time.UTC)) || beans.Edited.Year() != 2016 {
			t.Errorf("created %s, edited %s", beans.Created, beans.Edited)
		}
		if got := strings.Join(beans.Tags, "|"); got != "Beds & borders|beans" {
			t.Errorf("tags %s", got)
		}
		if got := strings.Join(beans.Paths, " "); got != "/2015/04/beans-and-peas /?p=7" ||
			beans.Slug != "beans-and-peas" {
			t.Errorf("paths %s, slug %s", got, beans.Slug)
		}
		if frost.Slug != "холод" || frost.Paths[0] != "/2014/12/холод" {
			t.Errorf("paths %s, slug %s", frost.Paths, frost.Slug)
		}
		if half := find(t, b, "Half done"); half.Created.Year() != 2018 || len(half.Paths) != 0 {
			t.Errorf("created %s, paths %v", half.Created, half.Paths)
		}
	})
	t.Run("translates blocks", func(t *testing.T) {
		contains(t, beans.Content, "Sow in **April**, after [the frost](https://allotment.example/?p=9).",
			"![A bean](https://allotment.example/wp-content/uploads/2015/04/photo.png)", "*Day one*",
			"[https://www.youtube.com/watch?v=w7Ft2ymGmfc]", "```\nif a < b { sow() }\n```")
		if strings.Contains(beans.Content, "wp:") || strings.Contains(beans.Content, "Not this") {
			t.Errorf("content %s", beans.Content)
		}
	})
	t.Run("translates classic texts with shortcodes", func(t *testing.T) {
		contains(t, frost.Content, "First line  \nsecond line",
			"![Ice](https://allotment.example/wp-content/uploads/2015/04/photo.png)",
			"*On the pond*", "- one\n- two", "```go\nx := a[0] < 1\n```", "contact-form")
	})
	t.Run("finds posts by number and pictures in the folder of uploads", func(t *testing.T) {
		if post, _ := leads(t, b, "Beans & peas", "https://allotment.example/?p=9"); post != "The frost" {
			t.Errorf("the link leads to %q", post)
		}
		for _, address := range []string{"https://allotment.example/wp-content/uploads/2015/04/photo.png",
			"http://www.allotment.example/wp-content/uploads/2015/04/photo-300x300.png"} {
			if _, file := leads(t, b, "Beans & peas", address); file != "photo.png" {
				t.Errorf("%s is %q", address, file)
			}
		}
	})
	t.Run("reports what it leaves out", func(t *testing.T) {
		for _, about := range []string{"comments by readers were left out: 1", "was private", "had a password",
			"was a page", "status is trash", "type product", "contact-form"} {
			if len(problems(b, about)) != 1 {
				t.Errorf("%q is not reported exactly once: %v", about, b.Problems)
			}
		}
	})
}

func TestGhostExportIsRead(t *testing.T) {
	b := open(t, "ghost.json", portable.Options{Uploads: "../testdata", Templates: portable.KeepTemplates})
	if b.Format != "Ghost" || b.Title != "A Ghost" {
		t.Errorf("%s of %s", b.Title, b.Format)
	}
	statuses(t, b, map[string]portable.Status{"Cards": portable.Published, "Plain": portable.Published,
		"New editor": portable.Draft,
		"About us":   portable.Unlisted, "For members": portable.Draft,
		"Soon": portable.Scheduled, "Untitled": portable.Draft})
	cards := find(t, b, "Cards")
	if !cards.Created.Equal(time.Date(2021, 2, 1, 10, 0, 0, 0, time.UTC)) || cards.Edited.Month() != time.March ||
		strings.Join(cards.Tags, "|") != "Getting started" || strings.Join(cards.Paths, "|") != "/cards-on-the-table" {
		t.Errorf("%+v", cards)
	}
	contains(t, cards.Content, "and *more*", "https://www.youtube.com/watch?v=w7Ft2ymGmfc", "*Below*")
	if post, _ := leads(t, b, "Cards", "/plain/"); post != "Plain" {
		t.Errorf("the link leads to %q", post)
	}
	if _, file := leads(t, b, "Cards", "/content/images/2021/photo.png"); file != "photo.png" {
		t.Errorf("the picture is %q", file)
	}
	if plain := find(t, b, "Plain"); plain.Content != "# One\n\n* typed *by hand*\n" || plain.Created.Year() != 2021 {
		t.Errorf("%+v", plain)
	}
	contains(t, find(t, b, "New editor").Content, "## Head", "**bold** a < b [link](https://elsewhere.example)",
		"1. first", "```go\nx := 1\n```", "* * *")
	contains(t, find(t, b, "Untitled").Content, "**Loud** and [linked](https://elsewhere.example)", "- item")
	for _, about := range []string{"#hidden", "paywall", "only paid could read it", "was a page"} {
		if len(problems(b, about)) != 1 {
			t.Errorf("%q is not reported exactly once: %v", about, b.Problems)
		}
	}
}

func TestWriteFreelyExportIsRead(t *testing.T) {
	b := open(t, "writefreely.json", portable.Options{})
	if b.Format != "WriteFreely" || b.Title != "Ada writes" {
		t.Errorf("%s of %s", b.Title, b.Format)
	}
	statuses(t, b, map[string]portable.Status{"Cool post!": portable.Published, "Second": portable.Published,
		"Just a thought.": portable.Draft})
	cool := find(t, b, "Cool post!")
	if got := strings.Join(cool.Paths, " "); got != "/ada/cool-post /cool-post /7xe2dbojynjs1dkk" {
		t.Errorf("paths %s", got)
	}
	if cool.Created.Year() != 2017 || cool.Edited.Year() != 2018 || strings.Join(cool.Tags, "|") != "tag" ||
		cool.Slug != "cool-post" {
		t.Errorf("%+v", cool)
	}
	contains(t, cool.Content, "With a #tag and [another](https://write.example/ada/second).", "Rest.")
	if post, _ := leads(t, b, "Cool post!", "https://write.example/ada/second"); post != "Second" {
		t.Errorf("the link leads to %q", post)
	}
	contains(t, find(t, b, "Second").Content, "```\nx := 1\n```")
}

func TestZolaSiteIsRead(t *testing.T) {
	b := open(t, "zola", portable.Options{})
	if b.Format != "Zola" || b.Title != "The allotment" {
		t.Errorf("%s of %s", b.Title, b.Format)
	}
	statuses(t, b, map[string]portable.Status{"First beans": portable.Published, "The pond": portable.Published,
		"Der Teich": portable.Published,
		"About":     portable.Published, "The plan": portable.Draft, "The chart": portable.Draft})
	beans := find(t, b, "First beans")
	if got := strings.Join(beans.Paths, " "); got != "/blog/posts/first-beans /blog/beans" ||
		strings.Join(beans.Tags, "|") != "Early beans|Spring|Café" ||
		beans.Created.Format(time.DateOnly) != "2019-04-05" || beans.Edited.Format(time.DateOnly) != "2019-05-01" {
		t.Errorf("%+v", beans)
	}
	contains(t, beans.Content, "<https://www.youtube.com/watch?v=w7Ft2ymGmfc>",
		"> Water them in the morning.\n>\n> — A neighbour\n", "```rust\nlet beans")
	if strings.Contains(beans.Content, "more -->") {
		t.Errorf("content %s", beans.Content)
	}
	for _, address := range []string{"/content/posts/bundle/index.md#the-frogs", "/blog/posts/our-pond/"} {
		if post, _ := leads(t, b, "First beans", address); post != "The pond" {
			t.Errorf("%s leads to %q", address, post)
		}
	}
	contains(t, find(t, b, "The pond").Content, "![Frogs at the edge](pond.png)",
		"![A wave](/images/wave.png)\n\n*After a stone*", "> [!TIP]\n> Do not feed them.")
	for address, want := range map[string]string{"pond.png": "content/posts/bundle/pond.png",
		"/images/wave.png": "static/images/wave.png"} {
		if _, file := leads(t, b, "The pond", address); file != want {
			t.Errorf("%s is %q", address, file)
		}
	}
	if len(problems(b, "harvest_chart")) != 1 {
		t.Errorf("problems %v", b.Problems)
	}
}

func TestObsidianVaultIsRead(t *testing.T) {
	b := open(t, "obsidian", portable.Options{})
	if b.Format != "Obsidian" {
		t.Errorf("format %s", b.Format)
	}
	statuses(t, b, map[string]portable.Status{"Growing iOS Beans": portable.Published,
		"All about soil": portable.Published,
		"Diary":          portable.Draft})
	beans := find(t, b, "Growing iOS Beans")
	want := "Sow them  in **May**. See [the soil](/Garden/Soil.md#what-to-add), Diary and Slugs. #climbing\n\n" +
		"![](</attachments/Pasted image 1.png>)\n\n" +
		"> **Frost**\n>\n> Not before [soil](/Garden/Soil.md) is warm: $T > 10$.\n\n$$\nw_{day} = 2 \\cdot n\n$$"
	if got := strings.ReplaceAll(beans.Content, "(/attachments/Pasted%20image%201.png)",
		"(</attachments/Pasted image 1.png>)"); got != want {
		t.Errorf("content\n%s\nwant\n%s", got, want)
	}
	if strings.Join(beans.Tags, "|") != "beans|garden/spring|climbing" || beans.Created.Format(time.DateOnly) !=
		"2020-04-05" {
		t.Errorf("%+v", beans)
	}
	if post, _ := leads(t, b, "All about soil", "/Garden/Growing%20iOS%20Beans.md"); post != "Growing iOS Beans" {
		t.Errorf("the link leads to %q", post)
	}
	if _, file := leads(t, b, "Growing iOS Beans", "/attachments/Pasted%20image%201.png"); file !=
		"attachments/Pasted image 1.png" {
		t.Errorf("the picture is %q", file)
	}
}

func TestUnknownFilesAreRejected(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"nothing":            {},
		"another file type":  {"a.pdf": "%PDF"},
		"other JSON":         {"a.json": `{"a": 1}`},
		"invalid JSON":       {"a.json": `{"db": `},
		"a feed":             {"a.xml": `<rss><channel><item><title>x</title></item></channel></rss>`},
		"other XML":          {"a.xml": `<html></html>`},
		"truncated XML":      {"a.xml": `<rss><channel><item><title>x</ti`},
		"another encoding":   {"a.xml": `<?xml version="1.0" encoding="utf-16"?><rss/>`},
		"a later version":    {"inkfeed.json": `{"format": "inkfeed", "version": 99}`},
		"a truncated export": {"inkfeed.json": `{"format": "inkfeed", "ver`},
		"Ghost without data": {"a.json": `{"db": [], "data": null}`},
	} {
		t.Run(name, func(t *testing.T) {
			if b, err := formats.Read([]fs.FS{folder(files)}, now); err == nil {
				t.Errorf("read as %s with %d posts", b.Format, len(b.Posts))
			}
		})
	}
	t.Run("a missing file", func(t *testing.T) {
		if _, _, err := formats.Open("../testdata/nowhere", portable.Options{}, now); !os.IsNotExist(err) {
			t.Errorf("error %v", err)
		}
	})
}
