package formats_test

import (
	"io/fs"
	"strings"
	"testing"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

func TestBloggerExportIsRead(t *testing.T) {
	b := open(t, "blogger.xml", portable.Options{})
	equal(t, "the format", b.Format+" "+b.Title, "Blogger Hill walks")
	statuses(t, b, map[string]portable.Status{"Up & down": portable.Published, "The moor": portable.Published,
		"Unwalked": portable.Draft, "About": portable.Unlisted})
	reports(t, b, "Up & down: comments by readers were left out: 1",
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
	reports(t, b, "Gone: left out: it is in the trash", "comments by readers were left out: 1",
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
