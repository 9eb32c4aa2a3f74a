package syndication_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/web/webtest"
)

func TestAddressOfAPictureThatIsNotHereIsNoText(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	to := ada.Post("/posts", "title", "A title", "content", "![](/content/images/2020/x.png)\n\n"+
		"![](https://cdn.example/max/800/1*x.jpeg)\n\n![A cat](https://old.example/cat.png#missing)\n\nThe text.",
		"do", "publish").Want(http.StatusSeeOther).Header.Get("Location")
	post := s.Anonymous().Get(to).Want(http.StatusOK).Has("figure:first-child > .missing-picture", "Missing picture").
		Has(`.missing-picture a[href="https://old.example/cat.png"]`, "A cat")
	if got := post.Page().Find(`meta[property="og:image"]`).AttrOr("content", ""); !strings.Contains(got, "/card.png") {
		t.Errorf("the picture of the link preview is %q", got)
	}
	for _, name := range []string{`meta[name="description"]`, `meta[property="og:description"]`} {
		if got := post.Page().Find(name).AttrOr("content", ""); got != "The text." {
			t.Errorf("%s is %q", name, got)
		}
	}
	for _, address := range []string{to, "/", "/@ada", "/search?q=text"} {
		text := s.Anonymous().Get(address).Want(http.StatusOK).Page().Find("main").Text()
		if strings.Contains(text, "x.jpeg") || strings.Contains(text, "x.png") {
			t.Errorf("%s shows an address: %s", address, text)
		}
	}
	feed := s.Anonymous().Get("/@ada/feed.rss").Want(http.StatusOK).Body
	if strings.Contains(feed, "&gt;https://cdn") || !strings.Contains(feed, "Missing picture:") {
		t.Errorf("the feed is %s", feed)
	}
}
