package writing_test

import (
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestTitlesDeclareTheirLanguage(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	in := func(title, language string) domain.Post {
		return ada.CreatePostWith(title, "1 2 3", func(p *domain.Post) {
			p.Details = domain.Details{Series: "Učíme se Go", Language: language}
		})
	}
	in("První", "cs")
	second := in("Druhý", "cs")
	in("Zweitens", "de")
	check := func(t *testing.T, last string) {
		t.Helper()
		for _, v := range []*webtest.Visitor{ben, s.Anonymous()} {
			v.Get("/@ada/series").Want(200).Has(`.parts a[lang="`+last+`"]`, "Učíme se Go")
			v.Get("/@ada/series/u%C4%8D%C3%ADme-se-go").Want(200).Has(`h1[lang="`+last+`"]`, "Učíme se Go").
				Has(`.parts li:first-child a[lang="cs"]`, "První").Has(`.parts li:last-child a[lang="`+last+`"]`, "")
			v.Get(second.Path()).Want(200).Has(`.series-line a[lang="cs"]`, "Učíme se Go").
				Has(`[rel="prev"] [lang="cs"]`, "První").Has(`[rel="next"] [lang]`, "")
		}
	}
	t.Run("in lists of series and between their parts", func(t *testing.T) { check(t, "de") })
	t.Run("by the language that their author writes in", func(t *testing.T) {
		in("Üçüncü", "")
		ben.Get("/@ada/series").Has(".parts a:not([lang])", "Učíme se Go")
		if err := s.Data.Store.Profiles.SetProfile(t.Context(), ada.User.ID,
			domain.Profile{WritingLanguage: "tr"}); err != nil {
			t.Fatal(err)
		}
		check(t, "tr")
	})
	t.Run("in search results", func(t *testing.T) {
		ben.Get("/search?q=druh%C3%BD").Want(200).Has(`.summary h2 a[lang="cs"]`, "Druhý").
			Has(`.summary .text[lang="cs"]`, "1 2 3")
	})
}

func TestThePostDeclaresItsLanguage(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	t.Run("as set by its author, on its page and on every list", func(t *testing.T) {
		to := ada.Post("/posts", "title", "Grüezi", "content", "Hoi zäme", "tags", "Schwiiz", "language", "DE-ch").
			Want(303).Header.Get("Location")
		ben.Get(to).Want(200).Has(`h1[lang="de-CH"]`, "Grüezi")
		for _, list := range []string{"/", "/@ada", "/tags/schwiiz"} {
			ben.Get(list).Want(200).Has(`.summary h2 a[lang="de-CH"]`, "Grüezi").
				Has(`.summary .text[lang="de-CH"]`, "Hoi zäme")
		}
		ben.Get("/@ada/archive").Want(200).Has(`.month a[lang="de-CH"]`, "Grüezi")
	})
	t.Run("as detected if the author has set none", func(t *testing.T) {
		to := ada.Post("/posts", "title", "Der Fuchs", "content",
			"Der Fuchs und der Hase sind nicht in dem Wald, und das ist gut.").Want(303).Header.Get("Location")
		ben.Get(to).Want(200).Has(`h1[lang="de"]`, "Der Fuchs")
		ben.Get("/").Has(`.summary h2 a[lang="de"]`, "Der Fuchs")
	})
	t.Run("only if it is a valid language code", func(t *testing.T) {
		a := ada.Post("/posts", "title", "A title", "content", "text", "language", "German, I think", "do", "publish").
			Want(422).
			HasFieldError("language", "Enter a language code")
		if a.Value("language") != "German, I think" {
			t.Errorf("the form has %q", a.Value("language"))
		}
	})
	t.Run("in drafts too, until the author removes it", func(t *testing.T) {
		form := ada.Get("/new")
		ada.Post("/posts",
			webtest.FormFields(form, "do", "save", "title", "Salut", "content", "x", "language", "fr")...).Want(303)
		path := "/posts/" + form.Value("post")
		a := ada.Get(path + "/edit").Want(200)
		if a.Value("language") != "fr" {
			t.Errorf("the form has %q", a.Value("language"))
		}
		to := ada.Post("/posts", webtest.FormFields(a, "do", "publish", "language", "fr")...).Want(303).
			Header.Get("Location")
		ben.Get(to).Has(`h1[lang="fr"]`, "Salut")
		ada.Post(path, webtest.FormFields(ada.Get(path+"/edit"), "do", "publish", "language", "")...).Want(303)
		ben.Get(to).Want(200).HasNo(`h1[lang]`)
		ada.Get(path+"/versions/1").Want(200).Has(`[aria-labelledby="then-title"] .version-line`, "Language: fr")
	})
	t.Run("in previews", func(t *testing.T) {
		text := []string{"title", "Grüezi", "content", "Hoi zäme", "language", "DE-ch"}
		ada.Post("/preview", text...).Want(200).Has(`.title[lang="de-CH"]`, "Grüezi")
		form := ada.Get("/new")
		ada.Post("/posts", webtest.FormFields(form, append(text, "do", "share")...)...).Want(303)
		a := ada.Get("/posts/" + form.Value("post") + "/edit").Want(200)
		_, secret, _ := strings.Cut(a.Page().Find("#preview-link").AttrOr("value", ""), "/preview/")
		ben.Get("/preview/"+secret).Want(200).Has(`h1[lang="de-CH"]`, "Grüezi")
	})
}

func TestAConflictKeepsBothLanguages(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	d := ada.CreateDraft("A title", "text", "")
	var aside []string
	for _, theirs := range []string{"fr", "nl"} {
		d.Details.Language = theirs
		d = must(s.Data.Store.Drafts.Save(t.Context(), d))
		a := ada.Post("/posts", "post", d.PostID, "version", "1", "revision", "0", "do", "save",
			"title", "A title", "content", "text", "language", "de").Want(409)
		a.Has(`[aria-labelledby="mine-title"] .version-line ins`, "de").Has(".saved .version-line del", theirs)
		fields := []string{"do", "mine"}
		for _, name := range []string{"post", "revision", "version", "then", "status", "title", "content", "language"} {
			fields = append(fields, name, a.Page().Find(`#choice [name="`+name+`"]`).AttrOr("value", ""))
		}
		ada.Post("/posts", fields...).WantRedirect(303, "/posts/"+d.PostID+"/edit?done=save")
		if d, _ = draft(ada, d.PostID); d.Details.Language != "de" {
			t.Errorf("the draft's language is %q, want de", d.Details.Language)
		}
	}
	for _, other := range drafts(ada) {
		if other.PostID != d.PostID {
			aside = append(aside, other.Details.Language)
		}
	}
	if slices.Sort(aside); !slices.Equal(aside, []string{"fr", "nl"}) {
		t.Errorf("the drafts with the other versions have the languages %q, want fr and nl", aside)
	}
}

func TestAPostThatDoesNotTellItsLanguageIsInThatOfTheSite(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	unclear := ada.CreatePost("Xyz", `Qwx "zyx" qyz.`)
	ada.CreateComments(unclear, `Wxq "yzq".`)
	english := ada.CreatePost("A loaf", "I finally baked the sourdough loaf that everyone has.")
	persian := ada.CreatePost("سلام", "سلام دنیا، این یک گربه است")
	version := ada.Get("/admin/settings").Value("version")
	ada.Post("/admin/settings", "version", version, "registration", "open", "role", "author", "days", "3",
		"invited", "trusted", "language", "fr").Want(303)
	reader := s.Anonymous()
	reader.Header.Set("Accept-Language", "en")
	t.Run("with its quotation marks, on its page and in previews", func(t *testing.T) {
		reader.Get(unclear.Path()).Has(".prose[lang=fr]", "« zyx »").Has("h1[lang=fr]", "Xyz").
			Has(`meta[property="og:locale"][content="fr_FR"]`, "").Has(".comment", "« yzq »")
		ada.Post("/preview", "title", "Xyz", "content", `Qwx "zyx" qyz.`).Want(200).Has(".prose", "« zyx »")
	})
	t.Run("in lists", func(t *testing.T) {
		for _, list := range []string{"/", "/@ada"} {
			reader.Get(list).Want(200).Has("a[lang=fr]", "Xyz")
		}
	})
	t.Run("in feeds", func(t *testing.T) {
		if feed := reader.Get("/feed.json").Want(200).Body; !strings.Contains(feed, `"language":"fr"`) {
			t.Errorf("the feed is %s", feed)
		}
	})
	t.Run("unless its text is clear, or in other letters", func(t *testing.T) {
		reader.Get(english.Path()).Has(".prose:not([lang])", "sourdough")
		reader.Get(persian.Path()).Has(".prose:not([lang])", "سلام")
		reader.Get("/").Has(`.summary h2 a:not([lang])[href="`+persian.Path()+`"]`, "سلام")
		reader.Get("/@ada/archive").HasNo(".month a[lang]") // which has no texts
	})
}
