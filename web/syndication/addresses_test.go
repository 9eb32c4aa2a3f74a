package syndication_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// Programs write some addresses of this site in another form than its links do.
func TestAddressesThatProgramsWriteInTheirOwnWay(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	post := ada.CreatePostWith("Gulls", "text", func(p *domain.Post) { p.Details.Series = "Sea žluť" })
	redirects := func(outcome, method, from string, status int, to string) {
		t.Run(outcome, func(t *testing.T) {
			a := ada.Send(method, from, nil)
			if got := a.Header.Get("Location"); got != to || a.StatusCode != status {
				t.Errorf("%s %s leads to %q with %d, want %q with %d", method, from, got, a.StatusCode, to, status)
			}
		})
	}
	get, posted := http.MethodGet, http.MethodPost
	redirects("an encoded @ leads to the user", get, "/%40ada", 301, "/@ada")
	redirects("an encoded @ leads to the feed", get, "/%40ada/feed.atom", 301, "/@ada/feed.atom")
	redirects("an encoded @ keeps the rest of the path and the query", get,
		"/%40ada/series/sea-%C5%BElu%C5%A5?page=2", 301, "/@ada/series/sea-%C5%BElu%C5%A5?page=2")
	redirects("an encoded @ keeps the method of a form", posted, "/%40ada/series/sea/rename", 308,
		"/@ada/series/sea/rename")
	redirects("an encoded @ leads to no other site", get, "/%40/%2Fexample.net", 301, "/@/%2Fexample.net")
	redirects("a password manager finds the settings", get, "/.well-known/change-password", 303, "/settings/password")
	for from, to := range map[string]string{"/feed/": "/feed", "/@ada/feed.atom/": "/@ada/feed.atom",
		"/sitemap.xml/": "/sitemap.xml", "/robots.txt/": "/robots.txt", "/oembed/?url=x": "/oembed?url=x",
		"/manifest.webmanifest/": "/manifest.webmanifest"} {
		redirects("a slash is dropped from "+from, get, from, 301, to)
	}
	for _, path := range []string{post.Path() + "/", "/posts/" + post.ID + "/",
		strings.Replace(post.Path(), "gulls", "g%75lls", 1)} {
		t.Run("oEmbed finds the post at "+path, func(t *testing.T) {
			a := s.Anonymous().Get("/oembed?url=" + url.QueryEscape("http://example.com"+path))
			if a.StatusCode != 200 {
				t.Errorf("status %d", a.StatusCode)
			}
		})
	}
	t.Run("the redirected addresses exist", func(t *testing.T) {
		s.Anonymous().Get("/@ada/series/sea-%C5%BElu%C5%A5").Want(200)
		ada.Get("/settings/password").Want(200)
	})
}

// A page announces its own feed before that of the site, because readers take the first.
func TestThePagesOwnFeedIsAnnouncedFirst(t *testing.T) {
	s := webtest.NewSite(t)
	post := s.SignUp("ada").CreatePostWith("Gulls", "text", func(p *domain.Post) {
		p.Details.Series, p.Tags = "Sea", "birds"
	})
	for page, want := range map[string]string{"/": "/feed", "/@ada": "/@ada/feed", post.Path(): "/@ada/feed",
		"/tags/birds": "/tags/birds/feed", "/@ada/series/sea": "/@ada/series/sea/feed", "/@ada/series": "/@ada/feed",
		"/@ada/archive": "/@ada/feed"} {
		t.Run(page, func(t *testing.T) {
			a := s.Anonymous().Get(page).Want(200).Page()
			var paths []string
			for _, l := range a.Find(`link[rel="alternate"][type="application/atom+xml"]`).EachIter() {
				paths = append(paths, strings.TrimSuffix(l.AttrOr("href", ""), ".atom"))
			}
			if paths[0] != want || paths[len(paths)-1] != "/feed" {
				t.Errorf("the feeds are %q, want %s first and the site's last", paths, want)
			}
			if got := a.Find(`footer .footer-tools > a`).AttrOr("href", ""); got != want {
				t.Errorf("the footer links to %s", got)
			}
		})
	}
}

// A reader of RSS takes the description of an item for HTML, and every other text for plain text.
func TestFeedReadersShowEveryWordOfAPlainText(t *testing.T) {
	s := webtest.NewSite(t)
	const title = "AT&T if a < b"
	ada := s.SignUp("ada")
	ada.CreatePost(title, "When `a < b` and `<script>` &amp; `x > y`")
	ada.CreatePost("<b>no words</b>", "![](/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg)")
	body := s.Anonymous().Get("/feed.rss").Want(200).Body
	for outcome, want := range map[string]string{
		"the summary is HTML": "<description>When a &#x26;lt; b and &#x26;lt;script&#x26;gt; &#x26;amp; " +
			"x &#x26;gt; y</description>",
		"a title that replaces the summary is HTML": "<description>&#x26;lt;b&#x26;gt;no words&#x26;lt;/b&#x26;gt;" +
			"</description>",
		"a title is plain text, with numbers for characters": "<title>AT&#x26;T if a &#x3C; b</title>",
	} {
		t.Run(outcome, func(t *testing.T) {
			if !strings.Contains(body, want) {
				t.Errorf("%q is missing in\n%s", want, body)
			}
		})
	}
	t.Run("the other formats have the plain text", func(t *testing.T) {
		for path, want := range map[string]string{
			"/feed.atom": "<summary>When a &lt; b and &lt;script&gt; &amp; x &gt; y</summary>",
			"/feed.json": `"summary":"When a < b and <script> & x > y"`} {
			if body := s.Anonymous().Get(path).Want(200).Body; !strings.Contains(body, want) {
				t.Errorf("%q is missing in\n%s", want, body)
			}
		}
	})
}
