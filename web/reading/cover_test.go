package reading_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestCoverAboveTheTitle(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	picture := func(letter string) domain.ImageName {
		return domain.ImageName{Hash: strings.Repeat(letter, 26), Width: 2000, Height: 1000, Ext: domain.ExtJPEG}
	}
	a, b := picture("a"), picture("b")
	image := func(n domain.ImageName) string { return `img[src="` + n.Path() + `"]` }
	show := func(cover, content string) *webtest.Response {
		p := ada.CreatePostWith("A title", content, func(p *domain.Post) { p.Details.Cover = cover })
		return s.Anonymous().Get(p.Path()).Want(200)
	}
	const above = ".post > .post-cover:first-child "
	t.Run("is the picture that the text begins with, which moves there with its caption", func(t *testing.T) {
		page := show("", "![A cat]("+a.Path()+" \"My cat\")\n\nText.")
		page.Has(above+image(a)+`[alt="A cat"][width="2000"][height="1000"][fetchpriority="high"]`, "").
			Has(above+"figcaption", "My cat").HasNo(".prose img")
		page.Has(above+`img[srcset*="480w"][sizes*="60rem"]`, "")
	})
	t.Run("is the picture that the author chose, also if the text does not show it", func(t *testing.T) {
		show(b.String(), "![A cat]("+a.Path()+")\n\nText.").Has(above+image(b), "").Has(".prose "+image(a), "").
			Has(`meta[property="og:image"][content$="`+b.Path()+`"]`, "").
			Has(`meta[name="twitter:card"][content="summary_large_image"]`, "")
	})
	t.Run("moves there from the text, so that the page shows it once", func(t *testing.T) {
		for name, content := range map[string]string{
			"below a paragraph": "Text.\n\n![A cat](" + a.Path() + " \"My cat\")\n\nMore.",
			"at the beginning":  "![A cat](" + a.Path() + " \"My cat\")\n\nText.",
			"below another":     "![A dog](" + b.Path() + ")\n\n![A cat](" + a.Path() + " \"My cat\")",
		} {
			t.Run(name, func(t *testing.T) {
				show(a.String(), content).Has(above+image(a)+`[alt="A cat"]`, "").Has(above+"figcaption", "My cat").
					HasNo(".prose " + image(a))
				ada.Post("/preview", "title", "A title", "content", content, "cover", a.String()).Want(200).
					Has(above+image(a), "").HasNo(".prose " + image(a))
			})
		}
	})
	t.Run("stays in the text if it belongs to something there", func(t *testing.T) {
		picture := "![A cat](" + a.Path() + ")"
		for name, content := range map[string]string{
			"a link":     "[" + picture + "](https://example.org/)\n\nText.",
			"a sentence": "Press " + picture + " twice.",
			"a gallery":  picture + "\n![A dog](" + b.Path() + ")",
			"a quote":    "> " + picture,
		} {
			t.Run(name, func(t *testing.T) {
				show(a.String(), content).HasNo(".post-cover").Has(".prose "+image(a), "").
					Has(`meta[property="og:image"][content$="`+a.Path()+`"]`, "")
			})
		}
	})
	t.Run("leaves a picture within the text where it is, and in previews of links", func(t *testing.T) {
		show("", "Text.\n\n![A cat]("+a.Path()+")").HasNo(".post-cover").Has(".prose "+image(a), "").
			Has(`meta[property="og:image"][content$="`+a.Path()+`"]`, "")
	})
	t.Run("is not shown if the author wants none", func(t *testing.T) {
		show(domain.NoCover, "![A cat]("+a.Path()+")\n\nText.").HasNo(".post-cover").Has(".prose "+image(a), "").
			Has(`meta[property="og:image"][content*="icon-512"]`, "")
	})
	t.Run("is in previews too", func(t *testing.T) {
		ada.Post("/preview", "title", "A title", "content", "![A cat]("+a.Path()+")\n\nText.").Want(200).
			Has(above+image(a), "").HasNo(".prose img")
	})
}
