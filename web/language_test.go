package web_test

import (
	"strings"
	"testing"

	"inkfeed/domain/locale"
	"inkfeed/web"
	"inkfeed/web/webtest"
)

// withPseudoLocales adds the pseudo-locales to the languages of a site.
func withPseudoLocales(c *web.Config) {
	c.Languages = locale.NewSet(append([]*locale.Language{locale.English()}, locale.Pseudo()...)...)
}

func TestPagesAreInTheLanguageOfTheirReader(t *testing.T) {
	s := webtest.NewCachedSite(t, "", withPseudoLocales)
	anonymous := s.Anonymous()
	get := func(t *testing.T, accept, language, direction string) *webtest.Response {
		t.Helper()
		anonymous.Header.Set("Accept-Language", accept)
		a := anonymous.Get("/").Want(200).Has("html[lang='"+language+"'][dir="+direction+"]", "")
		if got := a.Header.Get("Content-Language"); got != language {
			t.Errorf("Content-Language is %q, want %q", got, language)
		}
		return a
	}
	t.Run("of the browser", func(t *testing.T) {
		get(t, "en-XA", "en-XA", "ltr")
		get(t, "ar-XB,en;q=0.5", "ar-XB", "rtl")
		get(t, "en-GB,en;q=0.9", "en", "ltr")
	})
	t.Run("with one cache entry for all languages that do not exist", func(t *testing.T) {
		get(t, "tlh", "en", "ltr")
		for _, accept := range []string{"tlh-Latn", "xx,yy;q=0.3", "*", ""} {
			if status := get(t, accept, "en", "ltr").Header.Get("Cache-Status"); status != "Inkfeed; hit" {
				t.Errorf("%q: Cache-Status is %q", accept, status)
			}
		}
	})
	t.Run("of the user's setting before that of the browser", func(t *testing.T) {
		ada := s.SignUp("ada")
		ada.Header.Set("Accept-Language", "ar-XB")
		ada.Get("/").Want(200).Has("html[lang=ar-XB]", "")
		ada.Post("/settings/language", "language", "en-XA").WantRedirect(303, "/settings#language")
		ada.Get("/").Want(200).Has("html[lang=en-XA]", "")
		ada.Get("/settings").Want(200).Has("option[value=en-XA][selected]", "").Has("label[for=language]", "[Ļåñĝûåĝé]")
		ada.Post("/settings/language", "language", "tlh").Want(422).HasFieldError("language", "Çĥööšé")
		ada.Post("/settings/language", "language", "").Want(303)
		ada.Get("/").Want(200).Has("html[lang=ar-XB]", "")
	})
	t.Run("but feeds are in the site's", func(t *testing.T) {
		anonymous.Header.Set("Accept-Language", "en-XA")
		a := anonymous.Get("/feed.atom").Want(200)
		if vary := strings.Join(a.Header.Values("Vary"), ", "); strings.Contains(vary, "Accept-Language") {
			t.Errorf("Vary is %q", vary)
		}
	})
}

func TestPagesOfOneLanguageDoNotVaryByIt(t *testing.T) {
	s := webtest.NewCachedSite(t, "", func(c *web.Config) { c.Languages = locale.NewSet(locale.English()) })
	v := s.Anonymous()
	v.Header.Set("Accept-Language", "cs")
	if got := v.Get("/").Want(200).Header.Get("Vary"); got != "HX-Request, Accept-Encoding, Cookie" {
		t.Errorf("Vary is %q", got)
	}
}
