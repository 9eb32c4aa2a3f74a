package writing_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
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

func TestRenameOfASeries(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	in := func(title, series string, status domain.Status) domain.Post {
		return ada.CreatePostWith(title, "Text.", func(p *domain.Post) { p.Details.Series, p.Status = series, status })
	}
	first, unlisted := in("One", "Learning Go", ""), in("Two", "learning go", domain.Unlisted)
	other := in("Three", "Another", "")
	draft := ada.CreateDraft("Four", "Text.", "")
	draft.Details.Series = "Learning Go"
	must(s.Data.Store.Drafts.Save(t.Context(), draft))
	changes := domain.DraftOf(s.Data.Post(first.ID), time.Now())
	changes.Content = "Changed."
	must(s.Data.Store.Drafts.Save(t.Context(), changes))
	const path = "/@ada/series/learning-go"
	t.Run("is for its author", func(t *testing.T) {
		ada.Get(path).Has(`.heading a[href="`+path+`/rename"]`, "Rename")
		ben.Get(path).Want(http.StatusOK).HasNo(`a[href$="/rename"]`)
		ben.Get(path + "/rename").Want(http.StatusForbidden)
		ben.Post(path+"/rename", "series", "Mine").Want(http.StatusForbidden)
		ada.Get("/@ada/series/unknown/rename").Want(http.StatusNotFound)
	})
	t.Run("needs a valid title", func(t *testing.T) {
		for _, c := range []struct{ title, message string }{{" ", "Enter the title of the series."},
			{"!", "Enter a title with at least one letter or digit."},
			{strings.Repeat("s", 101), "Use at most 100."}} {
			a := ada.Post(path+"/rename", "series", c.title).Want(http.StatusUnprocessableEntity).
				HasFieldError("series", c.message)
			if got := a.Value("series"); got != c.title {
				t.Errorf("the form has %q, want %q", got, c.title)
			}
		}
	})
	t.Run("keeps the typed title when the session has expired or storage fails", func(t *testing.T) {
		kept := func(a *webtest.Response, status int) {
			a.Want(status).Has(`main form[action="`+path+`/rename"]`, "")
			if got := a.Value("series"); got != "Typed" {
				t.Errorf("the form has %q", got)
			}
		}
		kept(ada.WithoutSession().Post(path+"/rename", "series", "Typed"), http.StatusUnauthorized)
		s.Data.Fail("UserCopies.WholeSeries")
		kept(ada.Post(path+"/rename", "series", "Typed"), http.StatusServiceUnavailable)
		s.Data.Recover("UserCopies.WholeSeries")
	})
	t.Run("renames all its posts and drafts", func(t *testing.T) {
		if form := ada.Get(path + "/rename").Want(http.StatusOK); form.Value("series") != "Learning Go" {
			t.Errorf("the form has %q", form.Value("series"))
		}
		ada.Post(path+"/rename", "series", "Go, the language").
			WantRedirect(http.StatusSeeOther, "/@ada/series?renamed=yes")
		ada.Get("/@ada/series?renamed=yes").Has(".done", "Series renamed.")
		ben.Get("/@ada/series/go-the-language").Want(http.StatusOK).Has(".parts a", "One")
		for _, p := range []domain.Post{first, unlisted} {
			if p := s.Data.Post(p.ID); p.Details.Series != "Go, the language" {
				t.Errorf("%s is in the series %q", p.Title, p.Details.Series)
			}
		}
		if p := s.Data.Post(unlisted.ID); p.Status != domain.Unlisted {
			t.Errorf("the unlisted post is %q", p.Status)
		}
		if p := s.Data.Post(other.ID); p.Details.Series != "Another" || p.Revision != 1 {
			t.Errorf("another post is in the series %q", p.Details.Series)
		}
		d := must(s.Data.Store.Drafts.Get(t.Context(), ada.User.ID, draft.PostID))
		if d.Details.Series != "Go, the language" || d.Content != "Text." {
			t.Errorf("the draft is %+v", d)
		}
	})
	t.Run("leaves unpublished changes that can be published", func(t *testing.T) {
		form := ada.Get("/posts/" + first.ID + "/edit").Want(http.StatusOK)
		if form.Value("series") != "Go, the language" || form.Value("content") != "Changed." {
			t.Errorf("the form has %q and %q", form.Value("series"), form.Value("content"))
		}
		ada.Post("/posts/"+first.ID, webtest.FormFields(form, "do", "publish", "status", "listed")...).
			Want(http.StatusSeeOther)
	})
	t.Run("changes the spelling alone", func(t *testing.T) {
		ada.Post("/@ada/series/go-the-language/rename", "series", "Go: The Language").Want(http.StatusSeeOther)
		ben.Get("/@ada/series/go-the-language").Want(http.StatusOK).Has("h1", "Go: The Language")
	})
}

func TestRenameOntoAnotherSeries(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	in := func(v *webtest.Visitor, title, series string, status domain.Status) domain.Post {
		return v.CreatePostWith(title, "Text.", func(p *domain.Post) { p.Details.Series, p.Status = series, status })
	}
	old, existing := in(ada, "One", "Old", ""), in(ada, "Two", "New: A title", domain.Unlisted)
	in(ben, "Three", "Another", "")
	asks := func(t *testing.T, title, key string) {
		t.Helper()
		a := ada.Post("/@ada/series/old/rename", "series", title).Want(http.StatusUnprocessableEntity).
			HasFieldError("series", "You already have a series with this title. Combine both?").
			Has(`button[name="combine"][value="`+key+`"]`, "Combine both series")
		if got := a.Value("series"); got != title {
			t.Errorf("the form has %q", got)
		}
		if p := s.Data.Post(old.ID); p.Details.Series != "Old" || p.Revision != 1 {
			t.Errorf("the post is in the series %q", p.Details.Series)
		}
	}
	t.Run("asks whether to combine both", func(t *testing.T) { asks(t, "new a title", "new-a-title") })
	t.Run("asks about each series anew", func(t *testing.T) {
		in(ada, "Four", "Third", "")
		a := ada.Post("/@ada/series/old/rename", "series", "Third", "combine", "new-a-title").
			Want(http.StatusUnprocessableEntity)
		a.Has(`button[name="combine"][value="third"]`, "")
	})
	t.Run("does not ask about the series of others", func(t *testing.T) {
		ada.Post("/@ada/series/third/rename", "series", "Another").Want(http.StatusSeeOther)
	})
	t.Run("combines both under the existing title when asked to", func(t *testing.T) {
		ada.Post("/@ada/series/old/rename", "series", "new a title", "combine", "new-a-title").
			Want(http.StatusSeeOther)
		for _, id := range []string{old.ID, existing.ID} {
			if p := s.Data.Post(id); p.Details.Series != "New: A title" || p.Content != "Text." {
				t.Errorf("the post %q is in the series %q", p.Title, p.Details.Series)
			}
		}
	})
	t.Run("continues a rename of many posts without a question", func(t *testing.T) {
		for n := range 51 {
			in(ada, fmt.Sprintf("Part %d", n), "Long", "")
		}
		a := ada.Post("/@ada/series/long/rename", "series", "Longer").Want(http.StatusUnprocessableEntity).
			Has(".error-summary", "1 post still has the old title. Rename again to continue.")
		ada.Post("/@ada/series/long/rename", "series", a.Value("series"), "combine", a.Value("combine")).
			Want(http.StatusSeeOther)
		ada.Get("/@ada/series/longer").Want(http.StatusOK).Has(".heading .meta", "51 posts")
	})
}

func TestFormerAddressOfASeries(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	in := func(title, series string) {
		ada.CreatePostWith(title, "Text.", func(p *domain.Post) { p.Details.Series = series })
	}
	in("One", "First")
	ben.Get("/@ada/series/second").Want(http.StatusNotFound)
	ada.Post("/@ada/series/first/rename", "series", "Second").Want(http.StatusSeeOther)
	t.Run("leads to the series", func(t *testing.T) {
		for _, v := range []*webtest.Visitor{ben, s.Anonymous()} {
			v.Get("/@ada/series/first").WantRedirect(http.StatusFound, "/@ada/series/second")
			v.Get("/@ada/series/first/feed.atom").
				WantRedirect(http.StatusMovedPermanently, "/@ada/series/second/feed.atom")
			v.Get("/@ben/series/first").Want(http.StatusNotFound)
		}
	})
	t.Run("leads to the latest title", func(t *testing.T) {
		ada.Post("/@ada/series/second/rename", "series", "Third").Want(http.StatusSeeOther)
		ben.Get("/@ada/series/first").WantRedirect(http.StatusFound, "/@ada/series/third")
		ben.Get("/@ada/series/second").WantRedirect(http.StatusFound, "/@ada/series/third")
	})
	t.Run("belongs to a new series with that title", func(t *testing.T) {
		in("Two", "First")
		ben.Get("/@ada/series/first").Want(http.StatusOK).Has(".parts a", "Two")
	})
	t.Run("is free when the series gets its title back", func(t *testing.T) {
		ada.Post("/@ada/series/third/rename", "series", "Second").Want(http.StatusSeeOther)
		ben.Get("/@ada/series/second").Want(http.StatusOK).Has(".parts a", "One")
		ben.Get("/@ada/series/third").WantRedirect(http.StatusFound, "/@ada/series/second")
	})
}

func TestRenameOfASeriesKeepsTheProblemOfADraft(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.CreatePostWith("One", "Text.", func(p *domain.Post) { p.Details.Series = "First" })
	d := ada.CreateDraft("Draft", "Text.", "")
	d.Details.Series = "First"
	d = must(s.Data.Store.Drafts.Save(t.Context(), d))
	d = must(s.Data.Store.Drafts.Schedule(t.Context(), ada.User.ID, d.PostID, d.Version, time.Now().Add(time.Hour)))
	if err := s.Data.Store.Drafts.AbandonPublication(t.Context(), domain.ScheduledItem{UserID: ada.User.ID,
		PostID: d.PostID, At: d.Publish}, "The title can't be empty."); err != nil {
		t.Fatal(err)
	}
	ada.Post("/@ada/series/first/rename", "series", "Second").Want(http.StatusSeeOther)
	if d := must(s.Data.Store.Drafts.Get(t.Context(), ada.User.ID, d.PostID)); d.Details.Series != "Second" ||
		d.Problem == "" {
		t.Errorf("the draft is in the series %q with the problem %q", d.Details.Series, d.Problem)
	}
}

// texts returns the texts of the elements that match a selector, in one line.
func texts(a *webtest.Response, selector string) string {
	return strings.Join(strings.Fields(a.Page().Find(selector).Text()), " ")
}
