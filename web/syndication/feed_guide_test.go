package syndication_test

import (
	"slices"
	"testing"

	"inkfeed/web/webtest"
)

func TestFeedsExplainThemselvesToBrowsers(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.CreateTaggedPost("Of engines", "go")
	browser := s.Anonymous()
	browser.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
	for _, path := range []string{"/feed", "/@ada/feed", "/tags/go/feed"} {
		t.Run("with an address to copy and the newest posts, at "+path, func(t *testing.T) {
			page := browser.Get(path).Want(200).Has("label[for='Page-feed']", "Address").
				Has("input#Page-feed[readonly][value='http://example.com"+path+".atom']", "").
				Has(".posts h2", "Of engines").Has("meta[name=robots][content=noindex]", "")
			if vary := page.Header.Values("Vary"); len(vary) == 0 {
				t.Error("the page does not say that it depends on the header Accept")
			}
		})
		t.Run("and lead feed readers to the feed, at "+path, func(t *testing.T) {
			s.Anonymous().Get(path).WantRedirect(301, path+".atom")
			s.Anonymous().Get(path + ".atom").Want(200)
		})
	}
	t.Run("but not to clients that prefer a feed, or name one first", func(t *testing.T) {
		for accept, page := range map[string]bool{
			"text/html":                  true,
			"text/html, application/xml": true,
			"text/html;q=0.9, application/atom+xml;q=0.8": true,
			"TEXT/HTML; Q=0.9, */*":                       true,
			"application/xhtml+xml, text/html":            true,
			"":                                            false,
			"*/*":                                         false,
			"text/html;q=0":                               false,
			"application/rss+xml, text/html":              false,
			"text/html;q=0.7, application/rdf+xml":        false,
			// SimplePie, Feedparser and an old Miniflux
			"application/atom+xml, application/rss+xml, application/rdf+xml;q=0.9, application/xml;q=0.8, " +
				"text/xml;q=0.8, text/html;q=0.7, unknown/unknown;q=0.1, application/unknown;q=0.1, */*;q=0.1": false,
			"application/atom+xml,application/rdf+xml,application/rss+xml,application/x-netcdf," +
				"application/xml;q=0.9,text/xml;q=0.2,*/*;q=0.1": false,
			"application/xml, application/atom+xml, application/rss+xml, application/rdf+xml, " +
				"application/feed+json, text/html, */*;q=0.9": false,
		} {
			client := s.Anonymous()
			client.Header.Set("Accept", accept)
			a := client.Get("/feed")
			if vary := a.Header.Values("Vary"); !slices.Contains(vary, "Accept") {
				t.Errorf("%s: Vary is %q", accept, vary)
			}
			if page {
				a.Want(200)
			} else {
				a.WantRedirect(301, "/feed.atom")
			}
		}
	})
	t.Run("in the language of the reader", func(t *testing.T) {
		browser.Header.Set("Accept-Language", "cs")
		browser.Get("/feed").Want(200).Has("html[lang=cs] label[for='Page-feed']", "Adresa")
	})
	t.Run("at the link in the footer", func(t *testing.T) {
		s.Anonymous().Get("/@ada").Want(200).Has("footer.site a[href='/@ada/feed']", "RSS feed")
	})
	t.Run("in other spellings of their address", func(t *testing.T) {
		browser.Get("/@Ada/feed").WantRedirect(301, "/@ada/feed")
		s.Anonymous().Get("/@Ada/feed").WantRedirect(301, "/@ada/feed.atom")
		browser.Get("/@nobody-here/feed").Want(404)
	})
}
