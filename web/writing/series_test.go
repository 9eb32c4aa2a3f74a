package writing_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/web/webtest"
)

func TestThePostIsPartOfASeries(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	var path string
	t.Run("as its author says in the editor", func(t *testing.T) {
		to := ada.Post("/posts", "title", "Types", "content", "Text.", "series", " Learning  Go ", "seriesPart", "０2",
			"do", "publish").Want(http.StatusSeeOther).Header.Get("Location")
		path = strings.TrimSuffix(to, "/types")
		ben.Get("/@ada/series/learning-go").Want(http.StatusOK).Has("h1", "Learning Go")
		form := ada.Get(path + "/edit")
		if form.Value("series") != "Learning Go" || form.Value("seriesPart") != "2" {
			t.Errorf("the form has %q and %q", form.Value("series"), form.Value("seriesPart"))
		}
	})
	t.Run("that the editor then offers to its author", func(t *testing.T) {
		ada.Get("/new").Want(http.StatusOK).Has(`#series-list option[value="Learning Go"]`, "")
		ben.Get("/new").Want(http.StatusOK).HasNo("#series-list")
	})
	t.Run("with a valid title and part", func(t *testing.T) {
		for _, c := range []struct{ series, part, field, message string }{
			{"!?", "", "series", "Enter a title with at least one letter or digit."},
			{strings.Repeat("s", 101), "1", "series", "Use at most 100."},
			{"", "3", "series", "Enter the title of the series"},
			{"Go", "three", "seriesPart", "Enter a whole number from 0 to 9999"},
			{"Go", "-1", "seriesPart", "Enter a whole number from 0 to 9999"},
			{"Go", "10000", "seriesPart", "Enter a whole number from 0 to 9999"},
		} {
			a := ada.Post("/posts", "title", "Types", "content", "Text.", "series", c.series, "seriesPart", c.part,
				"do", "publish").Want(http.StatusUnprocessableEntity).HasFieldError(c.field, c.message)
			if a.Value("series") != c.series || a.Value("seriesPart") != c.part || a.Value("content") != "Text." {
				t.Errorf("the form has %q and %q", a.Value("series"), a.Value("seriesPart"))
			}
		}
	})
	t.Run("in drafts, previews and past versions", func(t *testing.T) {
		form := ada.Get(path + "/edit")
		ada.Post("/preview", webtest.FormFields(form)...).Want(http.StatusOK).
			Has(".series-line", "Part of Learning Go")
		ada.Post(path, webtest.FormFields(form, "do", "save", "series", "!", "seriesPart", "x")...).
			Want(http.StatusSeeOther)
		form = ada.Get(path + "/edit")
		if form.Value("series") != "!" || form.Value("seriesPart") != "x" {
			t.Errorf("the draft has %q and %q", form.Value("series"), form.Value("seriesPart"))
		}
		ada.Post(path, webtest.FormFields(form, "do", "publish", "series", "", "seriesPart", "")...).
			Want(http.StatusSeeOther)
		ben.Get("/@ada/series/learning-go").Want(http.StatusNotFound)
		lines := texts(ada.Get(path+"/versions/1").Want(http.StatusOK), `[aria-labelledby="then-title"] .version-line`)
		if !strings.Contains(lines, "Series: Learning Go") || !strings.Contains(lines, "Part: 2") {
			t.Errorf("the past version shows %q", lines)
		}
	})
}

func TestAConflictKeepsTheSeries(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	d := ada.CreateDraft("A title", "text", "")
	d.Details.Series = "Theirs"
	d = must(s.Data.Store.Drafts.Save(t.Context(), d))
	a := ada.Post("/posts", "post", d.PostID, "version", "1", "revision", "0", "do", "save", "title", "A title",
		"content", "text", "series", "Mine", "seriesPart", "7").Want(http.StatusConflict)
	if got := texts(a, `[aria-labelledby="mine-title"] .version-line ins`); got != "Mine7" {
		t.Errorf("the conflict shows %q of the author's version", got)
	}
	a.Has(".saved .version-line del", "Theirs")
	for _, form := range []string{"#choice", "#merge"} {
		if got := a.Page().Find(form+` [name="series"]`).AttrOr("value", "") +
			a.Page().Find(form+` [name="seriesPart"]`).AttrOr("value", ""); got != "Mine7" {
			t.Errorf("the form %s has %q", form, got)
		}
	}
}

// texts returns the texts of the elements that match a selector, in one line.
func texts(a *webtest.Response, selector string) string {
	return strings.Join(strings.Fields(a.Page().Find(selector).Text()), " ")
}
