package web_test

import "testing"

func TestAPostHasALanguage(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	t.Run("that its author sets, on every list and on its page", func(t *testing.T) {
		to := ada.post("/posts", "title", "Grüezi", "content", "Hoi zäme", "tags", "Schwiiz", "language", "DE-ch").want(303).Header.Get("Location")
		ben.get(to).want(200).has(`h1[lang="de-CH"]`, "Grüezi")
		for _, list := range []string{"/", "/@ada", "/tags/schwiiz"} {
			ben.get(list).want(200).has(`.summary h2 a[lang="de-CH"]`, "Grüezi").has(`.summary .text[lang="de-CH"]`, "Hoi zäme")
		}
		ben.get("/@ada/archive").want(200).has(`.month a[lang="de-CH"]`, "Grüezi")
	})
	t.Run("that its text tells, without one that its author sets", func(t *testing.T) {
		to := ada.post("/posts", "title", "Der Fuchs", "content", "Der Fuchs und der Hase sind nicht in dem Wald, und das ist gut.").want(303).Header.Get("Location")
		ben.get(to).want(200).has(`h1[lang="de"]`, "Der Fuchs")
		ben.get("/").has(`.summary h2 a[lang="de"]`, "Der Fuchs")
	})
	t.Run("that is a language code", func(t *testing.T) {
		a := ada.post("/posts", "title", "A title", "content", "text", "language", "German, I think", "do", "publish").want(422).
			complains("language", "Enter a language code")
		if a.Value("language") != "German, I think" {
			t.Errorf("the form holds %q", a.Value("language"))
		}
	})
	t.Run("that a draft keeps, and that can be taken away", func(t *testing.T) {
		form := ada.get("/new")
		ada.post("/posts", sent(form, "do", "save", "title", "Salut", "content", "x", "language", "fr")...).want(303)
		path := "/posts/" + form.Value("post")
		a := ada.get(path + "/edit").want(200)
		if a.Value("language") != "fr" {
			t.Errorf("the form holds %q", a.Value("language"))
		}
		to := ada.post("/posts", sent(a, "do", "publish", "language", "fr")...).want(303).Header.Get("Location")
		ben.get(to).has(`h1[lang="fr"]`, "Salut")
		ada.post(path, sent(ada.get(path+"/edit"), "do", "publish", "language", "")...).want(303)
		ben.get(to).want(200).hasNo(`h1[lang]`)
	})
}
