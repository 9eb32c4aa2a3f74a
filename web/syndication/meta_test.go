package syndication_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestMetadataOfAPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("Katzen </script> & \"Hunde\"",
		"Der Hund und die Katze sind nicht mit dem Fuchs im Wald.\n\n"+
			"![Katze](/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg)")
	s.ChangePost(p.ID, func(p *domain.Post) {
		p.Tags, p.Edited, p.LikeCount, p.CommentCount = "Katzen,Hunde", p.Created.Add(time.Hour), 3, 2
	})
	address := "http://example.com/posts/" + p.ID + "/katzen-script-hunde"
	a := s.Anonymous().Get(p.Path()).Want(200)
	t.Run("has Open Graph properties and Twitter cards", func(t *testing.T) {
		for property, want := range map[string]string{
			"og:site_name":           "Inkfeed",
			"og:type":                "article",
			"og:title":               "Katzen </script> & \"Hunde\"",
			"og:url":                 address,
			"og:locale":              "de_DE",
			"og:image":               "http://example.com/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg",
			"og:image:width":         "1200",
			"og:image:height":        "800",
			"article:published_time": "2026-05-01T12:00:00Z",
			"article:modified_time":  "2026-05-01T13:00:00Z",
			"article:author":         "http://example.com/@ada",
		} {
			if got := a.Page().Find(`meta[property="`+property+`"]`).AttrOr("content", ""); got != want {
				t.Errorf("%s is %q, want %q", property, got, want)
			}
		}
		a.Has(`meta[name="twitter:card"][content="summary_large_image"]`, "")
		if n := a.Page().Find(`meta[property="article:tag"]`).Length(); n != 2 {
			t.Errorf("%d tags, want 2", n)
		}
		description := a.Page().Find(`meta[property="og:description"]`).AttrOr("content", "")
		if !strings.HasPrefix(description, "Der Hund") {
			t.Errorf("the description is %q", description)
		}
	})
	t.Run("has JSON-LD", func(t *testing.T) {
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
		linked := a.Page().Find(`script[type="application/ld+json"]`).Text()
		if err := json.Unmarshal([]byte(linked), &posting); err != nil {
			t.Fatal(err)
		}
		if posting.Context != "https://schema.org" || posting.Type != "BlogPosting" ||
			posting.Headline != "Katzen </script> & \"Hunde\"" || posting.URL != address ||
			!posting.DatePublished.Equal(p.Created) || !posting.DateModified.Equal(p.Created.Add(time.Hour)) ||
			posting.Author.URL != "http://example.com/@ada" ||
			posting.Image.URL == "" || fmt.Sprint(posting.Keywords) != "[Katzen Hunde]" || posting.InLanguage != "de" ||
			posting.WordCount != 12 ||
			posting.CommentCount != 2 || posting.Statistic.UserInteractionCount != 3 {
			t.Errorf("the JSON-LD is %+v", posting)
		}
	})
	t.Run("links feeds and oEmbed responses that exist", func(t *testing.T) {
		links := a.Page().Find(`link[rel="alternate"]`)
		if links.Length() != 8 {
			t.Errorf("%d links, want 8", links.Length())
		}
		links.Each(func(_ int, l *goquery.Selection) {
			b := s.Anonymous().Get(strings.TrimPrefix(l.AttrOr("href", ""), "http://example.com")).Want(200)
			got, _, _ := strings.Cut(b.Header.Get("Content-Type"), ";")
			if want := strings.ReplaceAll(l.AttrOr("type", ""), "+oembed", ""); got != want ||
				l.AttrOr("title", "") == "" {
				t.Errorf("%s has the type %s, want %s", b.Request, got, want)
			}
		})
	})
	t.Run("asks search engines not to index unlisted posts", func(t *testing.T) {
		q := ada.CreatePost("Hidden", "text")
		s.ChangePost(q.ID, func(p *domain.Post) { p.Status = domain.Unlisted })
		for _, path := range []string{q.Path(), "/posts/" + q.ID + "/comments", "/posts/" + q.ID + "/likes"} {
			s.Anonymous().Get(path).Want(200).Has(`meta[name="robots"][content="noindex"]`, "")
		}
		a.HasNo(`meta[name="robots"]`)
	})
	t.Run("shows a drawn picture for a post without one", func(t *testing.T) {
		b := s.Anonymous().Get(ada.CreatePost("Plain", "text").Path()).Want(200).
			Has(`meta[name="twitter:card"][content="summary_large_image"]`, "")
		src := b.Page().Find(`meta[property="og:image"]`).AttrOr("content", "")
		s.Anonymous().Get(strings.TrimPrefix(src, "http://example.com")).Want(200)
	})
}

func TestPagesForReadersDescribeThemselves(t *testing.T) {
	s := webtest.NewSite(t)
	p := s.SignUp("ada").CreatePost("A title", "Some text.")
	titles := map[string]bool{}
	for _, path := range []string{"/", "/@ada", p.Path(), "/posts/" + p.ID + "/comments", "/posts/" + p.ID + "/likes"} {
		a := s.Anonymous().Get(path).Want(200).Has(`link[rel="canonical"][href="http://example.com`+path+`"]`, "")
		page := a.Page()
		title := page.Find("title").Text()
		description := page.Find(`meta[name="description"]`).AttrOr("content", "")
		if len(description) < 10 || titles[title] {
			t.Errorf("%s: the title is %q, the description %q", path, title, description)
		}
		titles[title] = true
		if og := page.Find(`meta[property="og:title"]`).AttrOr("content", ""); og+" · Inkfeed" != title {
			t.Errorf("%s: the title is %q, but that of Open Graph is %q", path, title, og)
		}
	}
	for _, path := range []string{"/login", "/signup", "/nothing"} {
		s.Anonymous().Get(path).Has(`meta[name="robots"][content="noindex"]`, "").HasNo(`link[rel="canonical"]`).
			HasNo(`meta[property]`)
	}
}

func TestRobotsAndManifest(t *testing.T) {
	s := webtest.NewSite(t)
	t.Run("tell crawlers which pages to skip and where the sitemap is", func(t *testing.T) {
		a := s.Anonymous().Get("/robots.txt").Want(200)
		for _, line := range []string{
			"User-agent: *", "Disallow: /drafts$", "Disallow: /drafts/", "Disallow: /login?", "Disallow: /settings/",
			"Disallow: /posts/*/edit$", "Disallow: /posts/*/likes?", "Sitemap: http://example.com/sitemap.xml",
		} {
			if !strings.Contains("\n"+a.Body, "\n"+line+"\n") {
				t.Errorf("%s is missing in\n%s", line, a.Body)
			}
		}
		if a.Header.Get("Content-Type") != "text/plain; charset=UTF-8" {
			t.Error(a.Header.Get("Content-Type"))
		}
	})
	t.Run("exclude no post and no static page whose address begins like that of an excluded page", func(t *testing.T) {
		for line := range strings.Lines(s.Anonymous().Get("/robots.txt").Body) {
			rule, ok := strings.CutPrefix(strings.TrimSpace(line), "Disallow: ")
			if ok && !strings.ContainsAny(rule[len(rule)-1:], "$?/") {
				t.Errorf("the rule %s also excludes longer names", rule)
			}
		}
	})
	t.Run("name icons that exist in their sizes", func(t *testing.T) {
		path := s.Anonymous().Get("/").Page().Find(`link[rel="manifest"]`).AttrOr("href", "")
		a := s.Anonymous().Get(path).Want(200)
		var m struct {
			Name  string
			Start string `json:"start_url"`
			Icons []struct{ Src, Sizes, Type, Purpose string }
		}
		if err := json.Unmarshal([]byte(a.Body), &m); err != nil || m.Name != "Inkfeed" || m.Start != "/" ||
			a.Header.Get("Content-Type") != "application/manifest+json" {
			t.Fatal(err, a.Body)
		}
		maskable := false
		for _, icon := range m.Icons {
			b := s.Anonymous().Get(icon.Src).Want(200)
			if b.Header.Get("Content-Type") != icon.Type {
				t.Errorf("%s has the type %s", icon.Src, b.Header.Get("Content-Type"))
			}
			if icon.Type == "image/png" {
				c, err := png.DecodeConfig(bytes.NewBufferString(b.Body))
				if err != nil || fmt.Sprintf("%dx%d", c.Width, c.Height) != icon.Sizes {
					t.Errorf("%s is %dx%d, error %v", icon.Src, c.Width, c.Height, err)
				}
			}
			maskable = maskable || icon.Purpose == "maskable"
		}
		if !maskable {
			t.Error("no icon is maskable")
		}
		s.Anonymous().Get(s.Anonymous().Get("/").Page().Find(`link[rel="apple-touch-icon"]`).AttrOr("href", "")).
			Want(200)
	})
}

// sitemapAt reads a sitemap, checks it against the protocol and returns its addresses.
func sitemapAt(s *webtest.Site, path, root string) []string {
	s.T.Helper()
	a := s.Anonymous().Get(path).Want(200)
	if len(a.Body) > 50<<20 {
		s.T.Errorf("%s has %d bytes", path, len(a.Body))
	}
	var file struct {
		XMLName xml.Name
		URLs    []struct {
			Loc     string `xml:"loc"`
			LastMod string `xml:"lastmod"`
		} `xml:",any"`
	}
	if err := xml.Unmarshal([]byte(a.Body), &file); err != nil {
		s.T.Fatal(err)
	}
	if file.XMLName.Space != "http://www.sitemaps.org/schemas/sitemap/0.9" || file.XMLName.Local != root ||
		len(file.URLs) > 50_000 {
		s.T.Errorf("%s: %v with %d entries", path, file.XMLName, len(file.URLs))
	}
	var list []string
	c := &complaints{}
	for _, u := range file.URLs {
		c.iri(path, u.Loc)
		if u.LastMod != "" {
			c.rfc3339(path, u.LastMod)
		}
		if len(u.Loc) >= 2048 {
			s.T.Errorf("the address %s is too long", u.Loc)
		}
		list = append(list, u.Loc)
	}
	if err := errors.Join(c.list...); err != nil {
		s.T.Error(err)
	}
	return list
}
