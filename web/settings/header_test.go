package settings_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestHeaderPicture(t *testing.T) {
	const saved = "/settings/header?saved=yes"
	t.Run("is uploaded, described, shown and removed", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Upload("/settings/header", webtest.Photo(t, 900, 300), "picture", "", "alt", "The engine").
			WantRedirect(http.StatusSeeOther, saved)
		page := ada.Site.Anonymous().Get("/@ada").Want(http.StatusOK)
		img := page.Page().Find(".profile .blog-header img")
		if img.AttrOr("alt", "") != "The engine" || img.AttrOr("width", "") != "900" ||
			!strings.Contains(img.AttrOr("srcset", ""), "480w") {
			t.Errorf("the header is %v", img.Nodes)
		}
		if src := page.Page().Find(`meta[property="og:image"]`).AttrOr("content", ""); !strings.HasSuffix(src,
			img.AttrOr("src", "-")) {
			t.Errorf("og:image is %q", src)
		}
		ada.Get(img.AttrOr("src", "")).Want(http.StatusOK)
		ada.Upload("/settings/header", nil, "picture", "", "alt", "The engine").
			WantRedirect(http.StatusSeeOther, saved)
		ada.Site.Anonymous().Get("/@ada").HasNo(".blog-header")
	})
	t.Run("is chosen from the author's pictures, with the picture's own description", func(t *testing.T) {
		ada := webtest.NewSite(t).SignUp("ada")
		ada.Upload("/images", webtest.Photo(t, 700, 300), "alt", "A wheel").Want(http.StatusSeeOther)
		wheel := ada.Data.ImageRecords()[0]["name"].(string)
		ada.Upload("/settings/header", nil, "picture", wheel, "alt", "").WantRedirect(http.StatusSeeOther, saved)
		if alt := ada.Get("/@ada").Page().Find(".blog-header img").AttrOr("alt", ""); alt != "A wheel" {
			t.Errorf("the description is %q", alt)
		}
		form := ada.Get("/settings/header")
		if form.Page().Find(`input[name=picture][checked]`).AttrOr("value", "") != wheel {
			t.Error("the header is not chosen in the form")
		}
		t.Run("until it is deleted", func(t *testing.T) {
			ada.Post("/images/" + wheel + "/delete").Want(http.StatusSeeOther)
			ada.Site.Anonymous().Get("/@ada").Want(http.StatusOK).HasNo(".blog-header")
			if u := ada.Data.User(ada.User.ID); u.Header != (domain.Cover{}) {
				t.Errorf("the header is %+v", u.Header)
			}
		})
	})
	t.Run("is refused with what was typed", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		ben.Upload("/images", webtest.Photo(t, 700, 300)).Want(http.StatusSeeOther)
		theirs := s.Data.ImageRecords()[0]["name"].(string)
		ada.Upload("/settings/avatar", webtest.Photo(t, 90, 90)).Want(http.StatusSeeOther)
		avatar := s.Data.User(ada.User.ID).Avatar
		for _, picture := range []string{theirs, avatar, "none", "x.png", "../secret",
			strings.Repeat("a", 26) + "-10x10.png"} {
			page := ada.Upload("/settings/header", nil, "picture", picture, "alt", "Mine").
				Want(http.StatusUnprocessableEntity).HasFieldError("picture", "Choose one of your pictures")
			if page.Value("alt") != "Mine" {
				t.Errorf("the form has %q", page.Value("alt"))
			}
		}
		ada.Upload("/settings/header", nil, "picture", "", "alt", strings.Repeat("x", domain.MaxAlt+1)).
			Want(http.StatusUnprocessableEntity).HasFieldError("alt", "500")
		ada.Upload("/settings/header", []byte("none"), "alt", "Mine").Want(http.StatusUnsupportedMediaType).
			HasFieldError("file", "JPEG")
		ada.Get("/@ada").HasNo(".blog-header")
	})
}

func TestAHeaderFormFromAnotherSessionChangesNothing(t *testing.T) {
	scene := func(t *testing.T) (ada, ben *webtest.Visitor, wheel string) {
		s := webtest.NewSite(t)
		ada, ben = s.SignUp("ada"), s.SignUp("ben")
		ada.Upload("/images", webtest.Photo(t, 700, 300), "alt", "A wheel").Want(http.StatusSeeOther)
		return ada, ben, s.Data.ImageRecords()[0]["name"].(string)
	}
	const user, chosen = `main input[name="user"]`, `input[name="picture"][checked]`
	t.Run("is not accepted from the next user of the browser", func(t *testing.T) {
		ada, ben, wheel := scene(t)
		form := ada.Get("/settings/header").Page().Find(user).AttrOr("value", "")
		for name, file := range map[string][]byte{"with a file": webtest.Photo(t, 60, 30), "without": nil} {
			a := ben.Upload("/settings/header", file, "user", form, "picture", wheel, "alt", "Mine").
				Want(http.StatusForbidden).Has(".error-summary", "Another user is logged in").
				Has(user+`[value="`+ada.User.ID+`"]`, "").Has(chosen+`[value="`+wheel+`"]`, "")
			if a.Value("alt") != "Mine" || ben.Data.User(ben.User.ID).Header.Exists() {
				t.Errorf("%s: the form has %q", name, a.Value("alt"))
			}
		}
		ada.Upload("/settings/header", nil, "user", form, "picture", wheel).Want(http.StatusSeeOther)
	})
	t.Run("removes no header when it is sent again without the file", func(t *testing.T) {
		ada, ben, wheel := scene(t)
		ada.Upload("/settings/header", nil, "picture", wheel).Want(http.StatusSeeOther)
		for name, sender := range map[string]*webtest.Visitor{"next user": ben, "no session": ada.WithoutSession()} {
			sender.Upload("/settings/header", webtest.Photo(t, 60, 30), "user", ada.User.ID).
				Has(user+`[value="`+ada.User.ID+`"]`, "").HasNo(chosen).Has("#file-hint", "Choose the file again")
			ada.Upload("/settings/header", nil, "user", ada.User.ID).Want(http.StatusUnprocessableEntity).
				HasFieldError("file", "Choose a file")
			if !ada.Data.User(ada.User.ID).Header.Exists() {
				t.Errorf("%s: the header was removed", name)
			}
		}
	})
	t.Run("keeps the choice when the session has expired", func(t *testing.T) {
		ada, _, wheel := scene(t)
		ada.WithoutSession().Upload("/settings/header", nil, "picture", wheel).Want(http.StatusUnauthorized).
			Has(chosen+`[value="`+wheel+`"]`, "")
	})
}

func TestHeaderPictureIsForWriters(t *testing.T) {
	s := webtest.NewSite(t)
	rita := s.SignUpAs("rita", domain.RoleReader)
	rita.Upload("/settings/header", webtest.Photo(t, 900, 300), "picture", "").Want(http.StatusForbidden)
	rita.Get("/settings/header").Want(http.StatusForbidden)
	rita.Get("/settings/profile").Want(http.StatusOK).HasNo("a[href='/settings/header']")
}

func TestRejectedHeaderFileLeavesTheHeaderChosen(t *testing.T) {
	ada := webtest.NewSite(t).SignUp("ada")
	ada.Upload("/settings/header", webtest.Photo(t, 900, 300), "picture", "").Want(http.StatusSeeOther)
	header := ada.Data.User(ada.User.ID).Header.Name()
	ada.Upload("/settings/header", []byte("none"), "picture", "").Want(http.StatusUnsupportedMediaType).
		Has("[name=picture][checked][value='"+header+"']", "")
}
