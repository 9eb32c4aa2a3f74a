package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web"
)

func TestWhatMachinesAreToldOfAPost(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("Katzen </script> & \"Hunde\"", "Der Hund und die Katze sind nicht mit dem Fuchs im Wald.\n\n![Katze](/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg)")
	s.change(p.ID, func(p *domain.Post) {
		p.Tags, p.Edited, p.LikeCount, p.CommentCount = "Katzen,Hunde", p.Created.Add(time.Hour), 3, 2
	})
	address := "http://example.com/posts/" + p.ID + "/katzen-script-hunde"
	a := s.stranger().get(p.Path()).want(200)
	t.Run("Open Graph and Twitter cards", func(t *testing.T) {
		for property, want := range map[string]string{"og:site_name": "Inkfeed", "og:type": "article", "og:title": "Katzen </script> & \"Hunde\"",
			"og:url": address, "og:locale": "de_DE", "og:image": "http://example.com/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg",
			"og:image:width": "1200", "og:image:height": "800", "article:published_time": "2026-05-01T12:00:00Z",
			"article:modified_time": "2026-05-01T13:00:00Z", "article:author": "http://example.com/@ada"} {
			if got := a.page().Find(`meta[property="`+property+`"]`).AttrOr("content", ""); got != want {
				t.Errorf("%s is %q, want %q", property, got, want)
			}
		}
		a.has(`meta[name="twitter:card"][content="summary_large_image"]`, "")
		if n := a.page().Find(`meta[property="article:tag"]`).Length(); n != 2 {
			t.Errorf("%d tags", n)
		}
		if got := a.page().Find(`meta[property="og:description"]`).AttrOr("content", ""); !strings.HasPrefix(got, "Der Hund") {
			t.Errorf("description %q", got)
		}
	})
	t.Run("JSON-LD", func(t *testing.T) {
		var posting struct {
			Context       string `json:"@context"`
			Type          string `json:"@type"`
			Headline      string
			URL           string
			DatePublished time.Time
			DateModified  time.Time
			Author        struct{ Name, URL string }
			Image         struct{ URL string }
			Keywords      []string
			InLanguage    string
			WordCount     int
			CommentCount  int
			Statistic     struct{ UserInteractionCount int } `json:"interactionStatistic"`
		}
		if err := json.Unmarshal([]byte(a.page().Find(`script[type="application/ld+json"]`).Text()), &posting); err != nil {
			t.Fatal(err)
		}
		if posting.Context != "https://schema.org" || posting.Type != "BlogPosting" || posting.Headline != "Katzen </script> & \"Hunde\"" || posting.URL != address ||
			!posting.DatePublished.Equal(p.Created) || !posting.DateModified.Equal(p.Created.Add(time.Hour)) || posting.Author.URL != "http://example.com/@ada" ||
			posting.Image.URL == "" || fmt.Sprint(posting.Keywords) != "[Katzen Hunde]" || posting.InLanguage != "de" || posting.WordCount != 12 ||
			posting.CommentCount != 2 || posting.Statistic.UserInteractionCount != 3 {
			t.Errorf("%+v", posting)
		}
	})
	t.Run("its feeds and its oEmbed answers, which are there", func(t *testing.T) {
		links := a.page().Find(`link[rel="alternate"]`)
		if links.Length() != 8 {
			t.Errorf("%d links", links.Length())
		}
		links.Each(func(_ int, l *goquery.Selection) {
			b := s.stranger().get(strings.TrimPrefix(l.AttrOr("href", ""), "http://example.com")).want(200)
			got, _, _ := strings.Cut(b.Header.Get("Content-Type"), ";")
			if want := strings.ReplaceAll(l.AttrOr("type", ""), "+oembed", ""); got != want || l.AttrOr("title", "") == "" {
				t.Errorf("%s: %s, not %s", b.what, got, want)
			}
		})
	})
	t.Run("an unlisted post is not to be indexed", func(t *testing.T) {
		q := ada.aPost("Hidden", "text")
		s.change(q.ID, func(p *domain.Post) { p.Status = domain.Unlisted })
		for _, path := range []string{q.Path(), "/posts/" + q.ID + "/comments", "/posts/" + q.ID + "/likes"} {
			s.stranger().get(path).want(200).has(`meta[name="robots"][content="noindex"]`, "")
		}
		a.hasNo(`meta[name="robots"]`)
	})
	t.Run("without a picture the site's own stands for it", func(t *testing.T) {
		b := s.stranger().get(ada.aPost("Plain", "text").Path()).want(200).has(`meta[name="twitter:card"][content="summary"]`, "")
		src := b.page().Find(`meta[property="og:image"]`).AttrOr("content", "")
		s.stranger().get(strings.TrimPrefix(src, "http://example.com")).want(200)
	})
}

func TestEveryPageForReadersSaysWhatItIs(t *testing.T) {
	s := newSite(t)
	p := s.member("ada").aPost("A title", "Some text.")
	titles := map[string]bool{}
	for _, path := range []string{"/", "/@ada", p.Path(), "/posts/" + p.ID + "/comments", "/posts/" + p.ID + "/likes"} {
		a := s.stranger().get(path).want(200).has(`link[rel="canonical"][href="http://example.com`+path+`"]`, "")
		page := a.page()
		title := page.Find("title").Text()
		if description := page.Find(`meta[name="description"]`).AttrOr("content", ""); len(description) < 10 || titles[title] {
			t.Errorf("%s: title %q, description %q", path, title, description)
		}
		titles[title] = true
		if og := page.Find(`meta[property="og:title"]`).AttrOr("content", ""); og+" · Inkfeed" != title {
			t.Errorf("%s: %q is shared as %q", path, title, og)
		}
	}
	for _, path := range []string{"/login", "/signup", "/nothing"} {
		s.stranger().get(path).has(`meta[name="robots"][content="noindex"]`, "").hasNo(`link[rel="canonical"]`).hasNo(`meta[property]`)
	}
}

func TestOEmbed(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A <title>", "![a](/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg)")
	ask := func(address string, more ...string) *answer {
		q := url.Values{"url": {address}}
		for i := 0; i < len(more); i += 2 {
			q.Set(more[i], more[i+1])
		}
		return s.stranger().get("/oembed?" + q.Encode())
	}
	page := "http://example.com" + p.Path()
	t.Run("describes a post as a link", func(t *testing.T) {
		for _, address := range []string{page, "https://EXAMPLE.com/posts/" + p.ID, page + "?x=y#comments"} {
			a := ask(address, "maxwidth", "1000").want(200)
			var got map[string]any
			if err := json.Unmarshal([]byte(a.body), &got); err != nil {
				t.Fatal(err)
			}
			for key, want := range map[string]any{"version": "1.0", "type": "link", "title": "A <title>", "author_name": "@ada", "author_url": "http://example.com/@ada",
				"provider_name": "Inkfeed", "provider_url": "http://example.com/", "cache_age": 3600.0,
				"thumbnail_url": "http://example.com/media/abcdefghijkmnpqrstuvwxyz23-1200x800.960.jpg", "thumbnail_width": 960.0, "thumbnail_height": 640.0} {
				if got[key] != want {
					t.Errorf("%s is %v, want %v", key, got[key], want)
				}
			}
		}
	})
	t.Run("in XML too", func(t *testing.T) {
		root, err := parseXML(ask(page, "format", "xml").want(200).body)
		if err != nil || root.XMLName.Local != "oembed" {
			t.Fatal(root, err)
		}
		c := &complaints{}
		if c.one(root, "version") != "1.0" || c.one(root, "type") != "link" || c.one(root, "title") != "A <title>" || c.one(root, "thumbnail_width") != "1200" || len(c.list) > 0 {
			t.Error(root, c.list)
		}
	})
	t.Run("and nothing else", func(t *testing.T) {
		for _, address := range []string{"", "x", "http://example.com/", "http://example.com/posts/x", "http://other.example" + p.Path(), page + "/edit", "http://example.com/@ada",
			"javascript:/posts/" + p.ID, "http://example.com/posts/" + domain.NewID()} {
			ask(address).want(404)
		}
		ask(page, "format", "html").want(501)
		s.change(p.ID, func(p *domain.Post) { p.Status = domain.Unpublished })
		ask(page).want(404)
	})
}

func TestRobotsAndManifest(t *testing.T) {
	s := newSite(t)
	t.Run("crawlers are told what is not for them, and where all posts are", func(t *testing.T) {
		a := s.stranger().get("/robots.txt").want(200)
		for _, line := range []string{"User-agent: *", "Disallow: /drafts", "Disallow: /settings", "Sitemap: http://example.com/sitemap.xml"} {
			if !strings.Contains("\n"+a.body, "\n"+line+"\n") {
				t.Errorf("no %s in\n%s", line, a.body)
			}
		}
		if a.Header.Get("Content-Type") != "text/plain; charset=UTF-8" {
			t.Error(a.Header.Get("Content-Type"))
		}
	})
	t.Run("the manifest's icons are there, in their sizes", func(t *testing.T) {
		path := s.stranger().get("/").page().Find(`link[rel="manifest"]`).AttrOr("href", "")
		a := s.stranger().get(path).want(200)
		var m struct {
			Name  string
			Start string `json:"start_url"`
			Icons []struct{ Src, Sizes, Type, Purpose string }
		}
		if err := json.Unmarshal([]byte(a.body), &m); err != nil || m.Name != "Inkfeed" || m.Start != "/" || a.Header.Get("Content-Type") != "application/manifest+json" {
			t.Fatal(err, a.body)
		}
		maskable := false
		for _, icon := range m.Icons {
			b := s.stranger().get(icon.Src).want(200)
			if b.Header.Get("Content-Type") != icon.Type {
				t.Errorf("%s is %s", icon.Src, b.Header.Get("Content-Type"))
			}
			if icon.Type == "image/png" {
				c, err := png.DecodeConfig(bytes.NewBufferString(b.body))
				if err != nil || fmt.Sprintf("%dx%d", c.Width, c.Height) != icon.Sizes {
					t.Errorf("%s: %dx%d, %v", icon.Src, c.Width, c.Height, err)
				}
			}
			maskable = maskable || icon.Purpose == "maskable"
		}
		if !maskable {
			t.Error("no icon that can be cut to a shape")
		}
		s.stranger().get(s.stranger().get("/").page().Find(`link[rel="apple-touch-icon"]`).AttrOr("href", "")).want(200)
	})
}

// embeddedIndex names an embedded web.Search otherwise than its method.
type embeddedIndex = web.Search

// madeUpIndex lists that many made-up posts.
type madeUpIndex struct {
	embeddedIndex
	count    int
	building bool
	err      error
}

func (f madeUpIndex) CountPosts(context.Context) (int, bool, error) {
	return f.count, f.building, f.err
}

func (f madeUpIndex) Posts(_ context.Context, page, size int) ([]domain.Listing, error) {
	var list []domain.Listing
	for i := (page - 1) * size; i < min(page*size, f.count); i++ {
		list = append(list, domain.Listing{Post: domain.Summary{PostID: fmt.Sprintf("%026d", i), Title: strings.Repeat("漢", 30) + " & <b>"},
			Changed: time.Date(2026, 5, 1, 12, 0, i%60, 0, time.UTC)})
	}
	return list, f.err
}

func siteWithIndex(t *testing.T, index madeUpIndex) *site {
	t.Helper()
	data := newDatabase(t)
	c := config(data, &strings.Builder{}, keyOne)
	c.Search = index
	s := &site{t: t, data: data}
	s.restart(c)
	return s
}

// sitemapAt reads a sitemap as its protocol wants it, and gives its addresses.
func sitemapAt(s *site, path, root string) []string {
	s.t.Helper()
	a := s.stranger().get(path).want(200)
	if len(a.body) > 50<<20 {
		s.t.Errorf("%s has %d bytes", path, len(a.body))
	}
	var file struct {
		XMLName xml.Name
		URLs    []struct {
			Loc     string `xml:"loc"`
			LastMod string `xml:"lastmod"`
		} `xml:",any"`
	}
	if err := xml.Unmarshal([]byte(a.body), &file); err != nil {
		s.t.Fatal(err)
	}
	if file.XMLName.Space != "http://www.sitemaps.org/schemas/sitemap/0.9" || file.XMLName.Local != root || len(file.URLs) > 50_000 {
		s.t.Errorf("%s: %v with %d entries", path, file.XMLName, len(file.URLs))
	}
	var list []string
	c := &complaints{}
	for _, u := range file.URLs {
		c.iri(path, u.Loc)
		if u.LastMod != "" {
			c.rfc3339(path, u.LastMod)
		}
		if len(u.Loc) >= 2048 {
			s.t.Errorf("%s is too long", u.Loc)
		}
		list = append(list, u.Loc)
	}
	if err := errors.Join(c.list...); err != nil {
		s.t.Error(err)
	}
	return list
}

func TestSitemap(t *testing.T) {
	t.Run("is one file for most blogs", func(t *testing.T) {
		for count, want := range map[int]int{0: 1, 3: 4} {
			s := siteWithIndex(t, madeUpIndex{count: count})
			list := sitemapAt(s, "/sitemap.xml", "urlset")
			if len(list) != want || list[0] != "http://example.com/" || count > 0 && !strings.HasPrefix(list[1], "http://example.com/posts/0000") {
				t.Errorf("%d entries for %d posts", len(list), count)
			}
		}
	})
	t.Run("has up to 50,000 addresses", func(t *testing.T) {
		a := siteWithIndex(t, madeUpIndex{count: 49_999}).stranger().get("/sitemap.xml").want(200)
		if n := strings.Count(a.body, "<url>"); n != 50_000 {
			t.Errorf("%d", n)
		}
	})
	t.Run("is split where it would have more, each post in one file", func(t *testing.T) {
		s := siteWithIndex(t, madeUpIndex{count: 50_000})
		files := sitemapAt(s, "/sitemap.xml", "sitemapindex")
		seen := map[string]bool{}
		for _, file := range files {
			for _, loc := range sitemapAt(s, strings.TrimPrefix(file, "http://example.com"), "urlset") {
				if seen[loc] {
					t.Errorf("%s is there twice", loc)
				}
				seen[loc] = true
			}
		}
		if len(files) != 2 || len(seen) != 50_001 {
			t.Errorf("%d files, %d addresses", len(files), len(seen))
		}
	})
	t.Run("has no other files", func(t *testing.T) {
		s := siteWithIndex(t, madeUpIndex{count: 3})
		for _, path := range []string{"/sitemap-0.xml", "/sitemap-2.xml", "/sitemap-01.xml", "/sitemap-x.xml", "/sitemap-1.txt", "/sitemap-", "/else"} {
			s.stranger().get(path).want(http.StatusNotFound).page()
		}
	})
	t.Run("waits until all posts are known", func(t *testing.T) {
		a := siteWithIndex(t, madeUpIndex{building: true}).stranger().get("/sitemap.xml").want(http.StatusServiceUnavailable)
		if a.Header.Get("Retry-After") == "" {
			t.Error("it does not say when to come back")
		}
		siteWithIndex(t, madeUpIndex{err: errors.New("a cause")}).stranger().get("/sitemap.xml").want(500)
	})
}
