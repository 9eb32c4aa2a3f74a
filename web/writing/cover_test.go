package writing_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestCoverOfAPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	picture := func(letter string) domain.ImageName {
		return domain.ImageName{Hash: strings.Repeat(letter, 26), Width: 2000, Height: 1500, Ext: domain.ExtJPEG}
	}
	a := picture("a")
	b, _ := domain.ParseImageFile(strings.TrimPrefix(ada.UploadPicture(), domain.MediaPrefix))
	content := "![A cat](" + a.Path() + ")\n\nText."
	t.Run("is kept by the editor, drafts and edits", func(t *testing.T) {
		to := ada.Post("/posts", "title", "A title", "content", content, "cover", b.Path(), "coverAlt", "A dog",
			"do", "publish").Want(http.StatusSeeOther).Header.Get("Location")
		ada.Get(to).Want(http.StatusOK).Has(`meta[property="og:image"][content$="`+b.Path()+`"]`, "")
		path := strings.TrimSuffix(to, "/a-title")
		form := ada.Get(path + "/edit")
		if form.Value("cover") != b.String() || form.Value("coverAlt") != "A dog" {
			t.Errorf("the form has %q and %q", form.Value("cover"), form.Value("coverAlt"))
		}
		ada.Post(path, webtest.FormFields(form, "do", "save", "cover", "none")...).Want(http.StatusSeeOther)
		form = ada.Get(path + "/edit")
		if form.Value("cover") != domain.NoCover {
			t.Errorf("the draft has %q", form.Value("cover"))
		}
		ada.Post(path, webtest.FormFields(form, "do", "publish")...).Want(http.StatusSeeOther)
		lines := ada.Get(path + "/versions/1").Want(http.StatusOK).Page().
			Find(`[aria-labelledby="then-title"] .version-line`).Text()
		then := strings.Join(strings.Fields(lines), " ")
		if !strings.Contains(then, "Cover: "+b.String()) || !strings.Contains(then, "cover: A dog") {
			t.Errorf("the past version shows %q", then)
		}
	})
	t.Run("is a picture of this site", func(t *testing.T) {
		form := ada.Post("/posts", "title", "A title", "content", content, "cover", "https://example.org/cat.jpg",
			"coverAlt", "A cat", "do", "publish").Want(http.StatusUnprocessableEntity)
		if form.Value("cover") != "https://example.org/cat.jpg" || form.Value("coverAlt") != "A cat" {
			t.Errorf("the form has %q and %q", form.Value("cover"), form.Value("coverAlt"))
		}
	})
	t.Run("is a picture that the author has", func(t *testing.T) {
		bob := s.SignUp("bob")
		for _, name := range []domain.ImageName{picture("d"), b} {
			for _, do := range []string{"publish", "schedule"} {
				form := bob.Post("/posts", "title", "A title", "content", "Text.", "cover", name.String(), "do", do,
					"publishDate", "2999-01-01T12:00").Want(http.StatusUnprocessableEntity).
					HasFieldError("cover", "Choose one of your pictures")
				if form.Value("cover") != name.String() {
					t.Errorf("the form has %q", form.Value("cover"))
				}
			}
		}
	})
	t.Run("is one of the pictures in the text, another one or none", func(t *testing.T) {
		d := ada.CreateDraft("A title", content+"\n\n![]("+b.Path()+")", "")
		edit := "/posts/" + d.PostID + "/edit"
		form := ada.Get(edit).Has(`label:has([name="cover"][value=""][checked])`, "First picture in the text").
			Has(`[name="cover"][value="`+a.String()+`"] + img[alt="A cat"][src="`+a.Small(240)+`"]`, "").
			Has(`[name="cover"][value="`+b.String()+`"] + img[alt="Picture 2"]`, "").
			Has(`#cover-image img[src="`+a.Small(480)+`"]`, "")
		c := picture("c")
		ada.Post("/posts", webtest.FormFields(form, "do", "save", "cover", c.String())...).Want(http.StatusSeeOther)
		ada.Get(edit).Has(`[name="cover"][value="`+c.String()+`"][checked] + img[alt="Another picture"]`, "").
			Has(`#cover-image img[src="`+c.Small(480)+`"]`, "")
		ada.Post("/posts", webtest.FormFields(ada.Get(edit), "do", "publish", "cover", "x")...).
			Want(http.StatusUnprocessableEntity).HasFieldError("cover", "Choose a picture")
	})
	t.Run("of a past version may be gone, and is chosen again in the editor", func(t *testing.T) {
		first := strings.TrimPrefix(ada.UploadPicture(), domain.MediaPrefix)
		to := ada.Post("/posts", "title", "A title", "content", "The old text.", "cover", first, "do", "publish").
			Want(http.StatusSeeOther).Header.Get("Location")
		path := strings.TrimSuffix(to, "/a-title")
		ada.Post(path, "title", "A title", "content", "The new text.", "cover", "none", "revision", "1", "do",
			"publish").Want(http.StatusSeeOther)
		ada.Post("/images/" + first + "/delete").Want(http.StatusSeeOther)
		form := ada.Post(path+"/versions/1/restore", "revision", "2").Want(http.StatusUnprocessableEntity).
			HasFieldError("cover", "Choose one of your pictures").Has(`form[action="`+path+`"]`, "")
		if form.Value("content") != "The old text." || form.Value("revision") != "2" {
			t.Errorf("the form has %q and revision %q", form.Value("content"), form.Value("revision"))
		}
		ada.Post(path, webtest.FormFields(form, "do", "publish", "cover", "none")...).Want(http.StatusSeeOther)
		if got := ada.Data.Post(strings.TrimPrefix(path, "/posts/")); got.Content != "The old text." {
			t.Errorf("the post has %q", got.Content)
		}
	})
}

func TestAChosenCoverCanBeEnlarged(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	picture := ada.Scripted().Upload("/images", webtest.GreyPNG(t, 40)).Want(http.StatusCreated).JSON().URL
	to := ada.Post("/posts", "title", "A title", "content", "A text without pictures.", "cover", picture,
		"do", "publish").Want(http.StatusSeeOther).Header.Get("Location")
	s.Anonymous().Get(to).Want(http.StatusOK).Has(".post-cover img", "").Has(".prose[data-enlarge]", "").
		Has("script[src*='/text.']", "")
}
