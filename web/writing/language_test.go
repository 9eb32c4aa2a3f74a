package writing_test

import (
	"testing"

	"inkfeed/web/webtest"
)

func TestAPostHasALanguage(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	t.Run("that its author sets, on every list and on its page", func(t *testing.T) {
		to := ada.Post("/posts", "title", "Grüezi", "content", "Hoi zäme", "tags", "Schwiiz", "language", "DE-ch").Want(303).Header.Get("Location")
		ben.Get(to).Want(200).Has(`h1[lang="de-CH"]`, "Grüezi")
		for _, list := range []string{"/", "/@ada", "/tags/schwiiz"} {
			ben.Get(list).Want(200).Has(`.summary h2 a[lang="de-CH"]`, "Grüezi").Has(`.summary .text[lang="de-CH"]`, "Hoi zäme")
		}
		ben.Get("/@ada/archive").Want(200).Has(`.month a[lang="de-CH"]`, "Grüezi")
	})
	t.Run("that its text tells, without one that its author sets", func(t *testing.T) {
		to := ada.Post("/posts", "title", "Der Fuchs", "content", "Der Fuchs und der Hase sind nicht in dem Wald, und das ist gut.").Want(303).Header.Get("Location")
		ben.Get(to).Want(200).Has(`h1[lang="de"]`, "Der Fuchs")
		ben.Get("/").Has(`.summary h2 a[lang="de"]`, "Der Fuchs")
	})
	t.Run("that is a language code", func(t *testing.T) {
		a := ada.Post("/posts", "title", "A title", "content", "text", "language", "German, I think", "do", "publish").Want(422).
			HasFieldError("language", "Enter a language code")
		if a.Value("language") != "German, I think" {
			t.Errorf("the form holds %q", a.Value("language"))
		}
	})
	t.Run("that a draft keeps, and that can be taken away", func(t *testing.T) {
		form := ada.Get("/new")
		ada.Post("/posts", webtest.FormFields(form, "do", "save", "title", "Salut", "content", "x", "language", "fr")...).Want(303)
		path := "/posts/" + form.Value("post")
		a := ada.Get(path + "/edit").Want(200)
		if a.Value("language") != "fr" {
			t.Errorf("the form holds %q", a.Value("language"))
		}
		to := ada.Post("/posts", webtest.FormFields(a, "do", "publish", "language", "fr")...).Want(303).Header.Get("Location")
		ben.Get(to).Has(`h1[lang="fr"]`, "Salut")
		ada.Post(path, webtest.FormFields(ada.Get(path+"/edit"), "do", "publish", "language", "")...).Want(303)
		ben.Get(to).Want(200).HasNo(`h1[lang]`)
	})
}
