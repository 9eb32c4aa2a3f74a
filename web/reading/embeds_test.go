package reading_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"inkfeed/domain/embed"
	"inkfeed/web/webtest"
)

const (
	anAddress = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
	aToot     = "https://social.example/@ada/123456789012345"
	someText  = "Before.\n\n" + anAddress + "\n\n" + aToot + "\n\nhttps://codeberg.org/forgejo/forgejo\n\nAfter."
)

func TestAnAddressOnALineOfItsOwnIsACard(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("Embeds", someText)
	t.Run("with the host that a click contacts, and no frame before", func(t *testing.T) {
		page := s.Anonymous().Get(p.Path()).Want(http.StatusOK)
		page.Has("figure.embed-video .embed-source", "YouTube")
		page.Has(`a.embed-card[href="`+anAddress+`"]`, "")
		page.Has(`figure.embed button[hidden][data-frame="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"]`,
			"Load from www.youtube-nocookie.com: youtube.com/watch?v=dQw4w9WgXcQ")
		page.Has("figure.embed-code .embed-title", "forgejo/forgejo")
		page.HasNo("iframe")
		page.HasNo("figure.embed-code button")
	})
	t.Run("a post of a site that has not confirmed what it is stays a link", func(t *testing.T) {
		s.Anonymous().Get(p.Path()).Has(`p.embed > a[href="`+aToot+`"]`, aToot)
	})
	frames := func(v *webtest.Visitor, path string) string {
		policy := v.Get(path).Want(http.StatusOK).Header.Get("Content-Security-Policy")
		_, sources, _ := strings.Cut(policy, "; frame-src ")
		return sources
	}
	t.Run("the policy of the page allows the frames of its embeds only, and nothing else changes", func(t *testing.T) {
		if got := frames(s.Anonymous(), p.Path()); got != "https://www.youtube-nocookie.com" {
			t.Errorf("frames of %q are allowed", got)
		}
		other := ada.CreatePost("No embeds", "A text.")
		without := s.Anonymous().Get(other.Path()).HasNo(`script[src*="embeds"]`).Header.Get("Content-Security-Policy")
		with := s.Anonymous().Get(p.Path()).Has(`script[src*="embeds"]`, "").Header.Get("Content-Security-Policy")
		if with != without+"; frame-src https://www.youtube-nocookie.com" {
			t.Errorf("the policy is %q, and otherwise %q", with, without)
		}
	})
	cards := []embed.Card{{Address: anAddress, Title: `A "video" <b>`, Author: "Someone"},
		{Address: aToot, Author: "Ada", Frame: aToot + "/embed"}}
	stored, err := s.Data.Store.Posts.SetEmbeds(t.Context(), p.ID, p.Revision, embed.NewCards(p.Revision, cards))
	if err != nil || !stored {
		t.Fatal(stored, err)
	}
	t.Run("with what was fetched", func(t *testing.T) {
		page := s.Anonymous().Get(p.Path())
		page.Has("figure.embed-video .embed-title", `A "video" <b>`)
		page.Has("figure.embed-video .embed-source", "YouTube · Someone")
		page.Has("figure.embed-post .embed-title", "Ada")
		page.HasNo("p.embed")
	})
	for name, v := range map[string]*webtest.Visitor{"anonymous": s.Anonymous(), "signed-in": s.SignUp("ben")} {
		t.Run("cached pages of "+name+" visitors keep the policy", func(t *testing.T) {
			for range 3 {
				if got := frames(v, p.Path()); got != "https://www.youtube-nocookie.com https://social.example" {
					t.Errorf("frames of %q are allowed", got)
				}
			}
		})
	}
	t.Run("comments have links", func(t *testing.T) {
		ada.CreateComments(p, anAddress)
		s.Anonymous().Get(p.Path()).HasNo(".comment .embed")
	})
	t.Run("feeds have links", func(t *testing.T) {
		feed := s.Anonymous().Get("/feed.atom").Body
		if !strings.Contains(feed, `href=&#34;`+anAddress) && !strings.Contains(feed, `href="`+anAddress) ||
			strings.Contains(feed, "embed-card") {
			t.Errorf("the feed is %s", feed)
		}
	})
	t.Run("a preview has the card without its frame", func(t *testing.T) {
		page := ada.Post("/preview", "title", "x", "content", anAddress).Want(http.StatusOK)
		page.Has("figure.embed-video", "").HasNo("figure.embed button")
	})
}

func TestTheBrowserContactsAProviderAfterAClickOnly(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	p := w.Ada.CreatePost("Embeds", "https://embed.invalid/w/9c9de5e8-0a1e-484a-b099-e80766180a6d\n\n"+anAddress)
	address := "https://embed.invalid/w/9c9de5e8-0a1e-484a-b099-e80766180a6d"
	_, err := w.Data.Store.Posts.SetEmbeds(t.Context(), p.ID, p.Revision, embed.NewCards(p.Revision, []embed.Card{
		{Address: address, Title: "A video", Frame: "https://embed.invalid/videos/embed/x"}}))
	if err != nil {
		t.Fatal(err)
	}
	b.OpenAndWait(p.Path())
	b.WaitVisible("figure.embed button")
	b.WantValue(`document.querySelectorAll("iframe").length`, "0")
	b.Eval(`document.querySelector("figure.embed button").focus()`)
	b.PressKey(kb.Enter)
	b.WaitUntil(`document.querySelector("figure.embed iframe") !== null`)
	b.WantValue(`document.activeElement.title`, "A video · PeerTube")
	b.WantValue(`document.querySelector("iframe").sandbox.value`,
		"allow-scripts allow-same-origin allow-popups allow-presentation")
	b.WantValue(`document.querySelector("iframe").referrerPolicy`, "no-referrer")
	b.WantValue(`document.querySelectorAll("figure.embed button").length`, "1")
	b.WantValue(`document.querySelector("figure.embed a").getAttribute("href")`, address)
	if !b.FitsWindow() {
		t.Error("the page scrolls sideways")
	}
}
