package syndication_test

import (
	"context"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/picture"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
	"inkfeed/web/webtest"
)

// systems maps the systems of docs/import.md to the files of a blog with the post that the table there describes.
var systems = map[string]map[string]string{
	"WordPress": {"export.xml": `<rss xmlns:wp="w" xmlns:content="c" xmlns:dc="d"><channel><title>A</title>
		<link>https://old.example</link>
		<wp:author><wp:author_id>2</wp:author_id><wp:author_login>ann</wp:author_login></wp:author>
		<wp:category><wp:term_id>3</wp:term_id><wp:category_nicename>go</wp:category_nicename>
		<wp:cat_name>Go</wp:cat_name></wp:category>
		<item><title>Beans</title><link>https://old.example/2019/05/17/beans/</link><dc:creator>ann</dc:creator>
		<content:encoded>Text.</content:encoded><wp:post_id>12</wp:post_id>
		<wp:post_date>2019-05-17 10:00:00</wp:post_date><wp:post_date_gmt>2019-05-17 10:00:00</wp:post_date_gmt>
		<wp:post_name>beans</wp:post_name><wp:status>publish</wp:status><wp:post_type>post</wp:post_type>
		<category domain="category" nicename="go">Go</category><category domain="post_tag" nicename="go">Go</category>
		<wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value>bean</wp:meta_value></wp:postmeta>
		<wp:postmeta><wp:meta_key>_wp_old_date</wp:meta_key><wp:meta_value>2019-05-16</wp:meta_value></wp:postmeta>
		</item>
		<item><title>Photo</title><link>https://old.example/2019/05/17/beans/photo/</link><wp:post_id>15</wp:post_id>
		<wp:post_parent>12</wp:post_parent><wp:status>inherit</wp:status><wp:post_type>attachment</wp:post_type>
		<wp:attachment_url>https://old.example/wp-content/uploads/photo.png</wp:attachment_url></item>
		</channel></rss>`},
	"Ghost": {"ghost.json": `{"db":[{"data":{"posts":[{"id":"1","title":"Beans","slug":"beans","html":"<p>Text.</p>",
		"status":"published","visibility":"public","published_at":"2019-05-17T10:00:00Z"}],
		"users":[{"id":"1","name":"Ann","slug":"ann"}],"tags":[{"id":"1","name":"Go","slug":"go"}],
		"posts_tags":[{"post_id":"1","tag_id":"1"}]}}]}`},
	"Blogger": {"blog.xml": `<feed xmlns='http://www.w3.org/2005/Atom'><id>tag:blogger.com,1999:blog-7.archive</id>
		<entry><id>tag:blogger.com,1999:blog-7.post-12</id><published>2019-05-17T10:00:00Z</published>
		<category scheme='http://schemas.google.com/g/2005#kind'
		term='http://schemas.google.com/blogger/2008/kind#post'/>
		<category scheme='http://www.blogger.com/atom/ns#' term='Go'/><title type='text'>Beans</title>
		<content type='html'>Text.</content>
		<link rel='alternate' type='text/html' href='http://old.example/2019/05/beans.html'/></entry></feed>`},
	"Tumblr": {"posts/posts.xml": `<tumblr version="1.0"><posts><post id="12" url="https://old.example/post/12"
		url-with-slug="https://old.example/post/12/beans" type="regular" date-gmt="2019-05-17 10:00:00 GMT"
		format="html" slug="beans" state="published" tumblelog="ann"><regular-title>Beans</regular-title>
		<regular-body>Text.</regular-body><tag>Go</tag></post></posts></tumblr>`},
	"Medium": {"posts/2019-05-17_Beans-0123456789ab.html": `<html><head><title>Beans</title></head><body>
		<article class="h-entry"><header><h1 class="p-name">Beans</h1></header>
		<section data-field="body" class="e-content"><h3 class="graf graf--title">Beans</h3><p>Text.</p></section>
		<footer><a href="https://old.example/@ann/beans-0123456789ab" class="p-canonical">Canonical link</a>
		<time class="dt-published" datetime="2019-05-17T10:00:00.000Z">May 17, 2019</time></footer>
		</article></body></html>`},
	"Substack": {"posts.csv": "post_id,post_date,is_published,type,audience,title\n" +
		"12.beans,2019-05-17T10:00:00.000Z,true,newsletter,everyone,Beans\n", "posts/12.beans.html": "<p>Text.</p>"},
	"Hugo": {"hugo.toml": "", "content/posts/beans.md": matter},
	"Jekyll": {"_config.yml": "", "_posts/2019-05-17-beans.md": matter,
		"_posts/2019-05-17-other.md": "---\npermalink: /blog/other/\n---\nText.\n"},
	"Zola": {"config.toml": "base_url = 'https://old.example'\ntaxonomies = [{name = 'tags'}]\n",
		"content/posts/beans.md": "+++\ntitle = 'Beans'\ndate = 2019-05-17\n[taxonomies]\ntags = ['Go']\n+++\nText.\n"},
	"WriteFreely": {"blog.json": `{"username":"ann","collections":[{"alias":"ann","title":"A","public":true,
		"url":"https://old.example/ann/","posts":[{"id":"abcdefghijklmnop","slug":"beans","title":"Beans",
		"created":"2019-05-17T10:00:00Z","body":"Text.","tags":["go"]}]}],"posts":[]}`},
}

const matter = "---\ntitle: Beans\ndate: 2019-05-17\ntags: [Go]\n---\nText.\n"

// folders maps the systems whose blogs are folders like others to the address of the post.
var folders = map[string]string{"Hexo": "/2019/05/17/beans", "Eleventy": "/blog/beans", "Astro": "/blog/beans",
	"Pelican": "/beans"}

// systemRow matches a row of the table.
var systemRow = regexp.MustCompile("(?m)^\\| ([A-Z][A-Za-z]+) \\| ([^|]*`/[^|]*) \\| ([^|]+) \\|$")

// systemBlog reads or makes the blog of a system.
func systemBlog(t *testing.T, system string) *portable.Blog {
	t.Helper()
	now := time.Now()
	if address, ok := folders[system]; ok {
		return &portable.Blog{Format: system, Posts: []portable.Post{{Key: "a", Title: "Beans", Content: "Text.",
			Tags: []string{"Go"}, Author: "Ann", Created: time.Date(2019, 5, 17, 10, 0, 0, 0, time.UTC),
			Status: portable.Published, Paths: []string{address}}}}
	}
	root := fstest.MapFS{}
	for name, text := range systems[system] {
		root[name] = &fstest.MapFile{Data: []byte(text), ModTime: now}
	}
	blog, err := formats.Read([]fs.FS{root}, now)
	if err != nil {
		t.Fatal(err)
	}
	if blog.Format != system {
		t.Fatalf("it is read as an export of %s", blog.Format)
	}
	return blog
}

// importInto imports a blog for a visitor as the command does.
func importInto(s *webtest.Site, v *webtest.Visitor, blog *portable.Blog) {
	store := s.Data.Store
	importer := importing.Importer{User: v.User, Users: store.Users, Profiles: store.Profiles, Posts: store.Posts,
		Drafts: store.Drafts, Records: store.Imports, Redirects: store.Redirects, Images: store.Images,
		Files: s.Data.Files, Maker: picture.NewMaker(nil), Now: time.Now(), ClaimsAll: true, Progress: func() {},
		Try: func(_ context.Context, call func() error) error { return call() }}
	_, err := importer.Import(s.Data.Context(), blog)
	s.Data.Must(err)
}

func TestAddressesOfEachSystemLeadWhereTheDocumentSays(t *testing.T) {
	document, err := os.ReadFile("../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), "### Addresses of each system\n")
	section, _, _ = strings.Cut(section, "\n### ")
	rows := make(map[string][][]string)
	for _, row := range systemRow.FindAllStringSubmatch(section, -1) {
		rows[row[1]] = append(rows[row[1]], row)
	}
	if want := len(systems) + len(folders); len(rows) != want {
		t.Errorf("the table has %d systems, want %d", len(rows), want)
	}
	for system, rows := range rows {
		t.Run(system, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			importInto(s, ada, systemBlog(t, system))
			post := s.Anonymous().Get("/@ada").Want(http.StatusOK).Page().Find(`main article a[href$="/beans"]`).
				AttrOr("href", "")
			for _, row := range rows {
				for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[2], -1) {
					before := s.Data.Calls("Redirects.Find")
					got := s.Anonymous().Get(m[1])
					checkOldAddress(t, got, m[1], strings.Trim(row[3], "`"), post)
					if n := s.Data.Calls("Redirects.Find") - before; n > 3 {
						t.Errorf("%s costs %d reads of redirects", m[1], n)
					}
				}
			}
		})
	}
}

// checkOldAddress checks the answer at an old address. Where is the last cell of the row.
func checkOldAddress(t *testing.T, got *webtest.Response, address, where, post string) {
	t.Helper()
	switch where {
	case "*Gone*":
		got.Want(http.StatusGone)
	case "the front page":
		got.Want(http.StatusOK)
	case "the post":
		where = post
		fallthrough
	default:
		if to := got.Header.Get("Location"); got.StatusCode != http.StatusMovedPermanently || to != where || to == "" {
			t.Errorf("%s is answered with %d and leads to %q, want %s", address, got.StatusCode, to, where)
		}
	}
}

// unknownAddresses maps addresses that no import claimed to the largest number of redirects that may be read for them.
var unknownAddresses = map[string]int{"/nothing/here": 1, "/nothing/feed/": 2, "/nothing/amp": 2, "/nothing/2": 2,
	"/nothing/?p=12&cat=3&tag=x&m=2019&author=4&feed=rss2": 3, "/404": 1, "/?cat=3&p=4": 1, "/?m=1": 0, "/?tag=": 0,
	"/?cat=x": 0, "/?feed=rss3": 0, "/wp-admin/?p=12": 0}

func TestUnknownOldAddressesCostFewReads(t *testing.T) {
	s := webtest.NewSite(t)
	for address, most := range unknownAddresses {
		before := s.Data.Calls("Redirects.Find")
		if got := s.Anonymous().Get(address); got.StatusCode == http.StatusMovedPermanently {
			t.Errorf("%s leads to %s", address, got.Header.Get("Location"))
		}
		if n := s.Data.Calls("Redirects.Find") - before; n > most {
			t.Errorf("%s costs %d reads, want at most %d", address, n, most)
		}
	}
}

func TestAnEndingLeadsToAListOnlyIfListsHaveIt(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	addRedirect(s.Data, domain.Redirect{Path: "/", OwnerID: ada.User.ID, To: "/@"})
	addRedirect(s.Data, domain.Redirect{Path: "/blog", OwnerID: ada.User.ID, To: "/@"})
	for _, address := range []string{"/404", "/amp", "/embed", "/blog/amp", "/blog/comments", "/blog/1234"} {
		s.Anonymous().Get(address).Want(http.StatusNotFound)
	}
	s.Anonymous().Get("/blog/feed/rdf/").WantRedirect(http.StatusMovedPermanently, "/@ada/feed.rss")
}

func TestNoQueryOfAnOldAddressIsCached(t *testing.T) {
	s := webtest.NewCachedSite(t, "")
	ada := s.SignUp("ada")
	s.Anonymous().Get("/").Want(http.StatusOK) // fills the cache with the front page
	for _, address := range []string{"/?feed=rss2", "/?cat=3", "/?tag=go", "/?m=1", "/blog/?p=12"} {
		for range 2 {
			got := s.Anonymous().Get(address).Header.Get("Cache-Status")
			if strings.Contains(got, "stored") || strings.Contains(got, "hit") {
				t.Errorf("%s: Cache-Status is %q", address, got)
			}
		}
	}
	addRedirect(s.Data, domain.Redirect{Path: "/", OwnerID: ada.User.ID, To: "/@"})
	s.Anonymous().Get("/?feed=rss2").WantRedirect(http.StatusMovedPermanently, "/@ada/feed.rss")
	s.Anonymous().Get("/").Want(http.StatusOK)
}
