package reading_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/static"
	"inkfeed/web/webtest"
)

func TestCoverBelowTheHeader(t *testing.T) {
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
	const above = ".post > header + .post-cover "
	t.Run("is the picture that the text begins with, which moves there with its caption", func(t *testing.T) {
		page := show("", "![A cat]("+a.Path()+" \"My cat\")\n\nText.")
		page.Has(above+image(a)+`[alt="A cat"][width="2000"][height="1000"][fetchpriority="high"]`, "").
			Has(above+"figcaption", "My cat").HasNo(".prose img")
		page.Has(above+`img[srcset*="480w"][sizes*="60rem"]`, "").Has("script[src^='/static/text.']", "")
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
			Has(`meta[property="og:image"][content*="/card.png?v="]`, "")
	})
	t.Run("is in previews too", func(t *testing.T) {
		ada.Post("/preview", "title", "A title", "content", "![A cat]("+a.Path()+")\n\nText.").Want(200).
			Has(above+image(a), "").HasNo(".prose img")
	})
}

func TestFocusOfACover(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	cover := domain.ImageName{Hash: strings.Repeat("a", 26), Width: 1500, Height: 2000, Ext: domain.ExtJPEG}.Path()
	to := ada.Post("/posts", "title", "A title", "content", "![A cat]("+cover+")\n\nText.", "coverFocus", "50, 0",
		"do", "publish").Want(303).Header.Get("Location")
	s.Data.CatchUp()
	t.Run("is a class of its pictures, for which the style sheet has a rule", func(t *testing.T) {
		s.Anonymous().Get(to).Want(200).Has(".post-cover img.focus-50-0", "")
		s.Anonymous().Get("/").Want(200).Has(".thumb img.focus-50-0", "")
		css := s.Anonymous().Get(static.URL("inkfeed.css")).Want(200).Body
		for _, focus := range domain.CoverFocuses {
			if focus != "" && !strings.Contains(css, ".focus-"+strings.Replace(focus, ",", "-", 1)+"{") {
				t.Errorf("the style sheet has no rule for the focus %q", focus)
			}
		}
	})
	t.Run("can be chosen in the editor without a script", func(t *testing.T) {
		form := ada.Get("/posts/" + strings.Split(to, "/")[2] + "/edit").Want(200)
		form.Has(`[name="coverFocus"][value="50,0"][checked]`, "")
		if n := form.Page().Find(`[name="coverFocus"]`).Length(); n != len(domain.CoverFocuses) {
			t.Errorf("there are %d choices", n)
		}
	})
	t.Run("is one of nine parts", func(t *testing.T) {
		for _, typed := range []string{"10,10", "a", "0,0,0"} {
			ada.Post("/posts", "title", "A title", "content", "text", "coverFocus", typed, "do", "publish").Want(422).
				Has(`[aria-describedby^="coverFocus-error"] #coverFocus-error`,
					"Choose one of the nine parts of the picture.")
		}
	})
}
