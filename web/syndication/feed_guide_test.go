package syndication_test

import (
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
