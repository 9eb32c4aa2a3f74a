package writing_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestTheCardShowsAPostAsListsWill(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	id := ada.Get("/new").Value("post")
	card := func(fields ...string) *webtest.Response {
		return ada.HTMX().Post("/preview", append([]string{"card", "yes", "post", id}, fields...)...)
	}
	picture := domain.MediaPrefix + ada.UploadPicture()
	fields := []string{"title", "The tide", "subtitle", "Twice a day", "content", "Words.\n\n![](" + picture + ")",
		"tags", "sea"}
	t.Run("with its title, subtitle, cover, author and tags, but without links", func(t *testing.T) {
		a := card(fields...).Want(http.StatusOK).Has(".summary h2", "The tide").Has(".summary .text", "Twice a day").
			Has(`.thumb img[src="`+picture+`"]`, "").Has(".byline", "@ada").Has(".tags", "sea").HasNo("[href]").
			Has(".full-address", "http://example.com/posts/"+id+"/the-tide")
		if a.Header.Get("Cache-Control") != "no-store" {
			t.Error("the card may be cached")
		}
	})
	t.Run("without JavaScript, below the preview", func(t *testing.T) {
		ada.Post("/posts", append([]string{"post", id, "do", "preview"}, fields...)...).Want(http.StatusOK).
			Has(".previewed .summary h2", "The tide").Has("#full-address", "/posts/"+id+"/the-tide")
	})
	t.Run("with the chosen end of the address, even if other fields are invalid", func(t *testing.T) {
		card("address", "Tides of Eling", "language", "German, I think").Want(http.StatusOK).
			Has(".summary h2", "Untitled").Has(".full-address", "/posts/"+id+"/tides-of-eling")
	})
	t.Run("with the date of a post that exists", func(t *testing.T) {
		p := ada.CreatePostWith("Old", "Text.", func(p *domain.Post) {
			p.Created = time.Date(2020, time.May, 1, 12, 0, 0, 0, time.UTC)
		})
		ada.HTMX().Post("/preview", "card", "yes", "post", p.ID, "title", "New").Has("time", "1 May 2020").
			Has(".full-address", "/posts/"+p.ID+"/new")
	})
	t.Run("unless the session has ended or the text is too long", func(t *testing.T) {
		ada.WithoutSession().HTMX().Post("/preview", "card", "yes", "post", id).Want(http.StatusUnauthorized)
		card("content", strings.Repeat("x", domain.MaxContent+1)).Want(http.StatusRequestEntityTooLarge)
	})
}

func TestListsWithNamesKeepOtherCodes(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	d := ada.CreateDraft("A title", "Text.", "")
	edit := "/posts/" + d.PostID + "/edit"
	t.Run("of languages", func(t *testing.T) {
		ada.Get(edit).Has(`#language option[value=""]`, "Detect from the text").
			Has(`#language option[value="cs"][lang="cs"]`, "čeština")
		ada.Post("/posts", webtest.FormFields(ada.Get(edit), "do", "save", "language", "gsw")...).Want(303)
		ada.Get(edit).Has(`#language option[value="gsw"][selected]`, "Schwiizertüütsch")
		ada.Post("/settings/profile", "blogTitle", "", "writingLanguage", "gsw").Want(303)
		ada.Get(edit).Has(`#language option[value=""]`, "Schwiizertüütsch, as in your settings")
		ada.Get("/settings/profile").Has(`#writingLanguage option[value="gsw"][selected]`, "Schwiizertüütsch")
	})
	t.Run("of time zones", func(t *testing.T) {
		form := ada.Get(edit).Has(`#zone option[value="UTC"][selected]`, "UTC").
			Has(`#zone optgroup[label="Asia"] option[value="Asia/Tokyo"]`, "Tokyo (UTC+09:00)")
		ada.Post("/posts", webtest.FormFields(form, "do", "schedule", "zone", "Asia/Urumqi", "publishDate", "x")...).
			Want(422).Has(`#zone option[value="Asia/Urumqi"][selected]`, "Urumqi (UTC+06:00)")
	})
}
