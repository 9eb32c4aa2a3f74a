package moderation_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// undoForm returns the address and the fields of the form that offers to undo.
func undoForm(t *testing.T, a *webtest.Response) (path string, fields []string) {
	t.Helper()
	form := a.Want(http.StatusOK).Page().Find(".moderation-done form")
	if form.Length() != 1 || form.Find("button").Text() != "Undo" {
		t.Fatalf("%s offers no undo", a.Request)
	}
	form.Find("[name]").Each(func(_ int, field *goquery.Selection) {
		fields = append(fields, field.AttrOr("name", ""), field.AttrOr("value", ""))
	})
	return form.AttrOr("action", ""), fields
}

func TestHidingCanBeUndone(t *testing.T) {
	type text struct {
		path   string
		target domain.Target
		held   func() domain.Hold
	}
	texts := func(s reviewScene) map[string]text {
		return map[string]text{
			"post": {"/posts/" + s.post.ID, domain.Target{PostID: s.post.ID},
				func() domain.Hold { return s.Data.Post(s.post.ID).Held }},
			"comment": {webtest.CommentPath(s.comment, ""), domain.Target{PostID: s.bobs.ID, CommentID: s.comment.ID},
				func() domain.Hold { return s.Data.Comments(s.bobs.ID)[0].Held }},
		}
	}
	for _, kind := range []string{"post", "comment"} {
		t.Run("of a "+kind+" in review, which returns there", func(t *testing.T) {
			s := beginReview(t)
			text := texts(s)[kind]
			to := s.mod.Post(text.path+"/moderate", "do", "hide", "why", "spam", "version", "0", "back",
				"/moderation/held?page=2").Want(http.StatusSeeOther).Header.Get("Location")
			if want := "/moderation/held?" + (url.Values{"done": {"hide"}, "undo": {text.target.ID()},
				"was": {"review"}}).Encode(); to != want {
				t.Errorf("the next page is %s, want %s", to, want)
			}
			s.wantInReview("In review (1)", 1)
			path, fields := undoForm(t, s.mod.Get(to).Has(`.done [role="status"]`, "Hidden."))
			for range 2 {
				s.mod.Post(path, fields...).WantRedirect(http.StatusSeeOther, "/moderation/held?done=undo")
			}
			if h := text.held(); h != domain.HeldForReview {
				t.Errorf("held as %q", h)
			}
			s.wantInReview("In review (2)", 2)
			s.mod.Get("/moderation/held?done=undo").Has(`.done [role="status"]`, "Undone.").
				HasNo(".moderation-done form")
		})
		t.Run("of a reported "+kind+", whose reports are open again", func(t *testing.T) {
			s := beginReview(t)
			text := texts(s)[kind]
			v := s.mod.Get(text.path + "/moderate")
			s.mod.Post(text.path+"/moderate", "do", "approve", "version", "0", "text", v.Value("text")).
				Want(http.StatusSeeOther)
			s.SignUp("eve").Post(text.path+"/report", "reason", "abuse").Want(http.StatusSeeOther)
			form := s.mod.Get(text.path + "/moderate")
			to := s.mod.Post(text.path+"/moderate", "do", "hide", "why", "abuse", "version", form.Value("version")).
				Want(http.StatusSeeOther).Header.Get("Location")
			s.mod.Get("/moderation").HasNo(".queue > li")
			page := s.mod.Get(to)
			path, fields := undoForm(t, page)
			s.mod.Post(path, fields...).WantRedirect(http.StatusSeeOther, text.path+"/moderate?done=undo")
			if h := text.held(); h != domain.NotHeld {
				t.Errorf("held as %q", h)
			}
			s.mod.Get("/moderation").Has(".queue > li", "1 report")
			s.mod.Get("/admin/log").Has(".log li:first-child", "@max")
		})
	}
	t.Run("on the page of the post itself", func(t *testing.T) {
		s := beginReview(t)
		form := s.mod.Get(s.bobs.Path()).Page().Find(`form[action="/posts/` + s.bobs.ID + `/moderate"]`)
		if n := form.Find("select[name=why] option[selected]").Length(); n != 0 {
			t.Error("a reason is preselected")
		}
		to := s.mod.Post("/posts/"+s.bobs.ID+"/moderate", "do", "hide", "why", "spam", "seen", "", "text", "1", "back",
			s.bobs.Path()).Want(http.StatusSeeOther).Header.Get("Location")
		s.bob.Get(to).Want(http.StatusOK).HasNo(".moderation-done")
		path, fields := undoForm(t, s.mod.Get(to))
		s.mod.Post(path, fields...).WantRedirect(http.StatusSeeOther, s.bobs.Path()+"?done=undo")
		s.Anonymous().Get(s.bobs.Path()).Want(http.StatusOK)
	})
	t.Run("but not by another moderator, and not after an edit", func(t *testing.T) {
		s := beginReview(t)
		other := moderator(s.Site, "otto")
		path := "/posts/" + s.post.ID + "/moderate"
		to := s.mod.Post(path, "do", "hide", "why", "spam", "version", "0").Want(http.StatusSeeOther).
			Header.Get("Location")
		other.Get(to).Want(http.StatusOK).HasNo(".moderation-done form")
		_, fields := undoForm(t, s.mod.Get(to))
		other.Post(path, fields...).Want(http.StatusConflict)
		s.ada.Post("/posts/"+s.post.ID, "title", "A title", "content", "Worse.", "revision", "1", "version", "0",
			"do", "publish").Want(http.StatusSeeOther)
		s.mod.Post(path, fields...).Want(http.StatusConflict).Has(`[role="alert"]`, "The text was edited")
		if h := s.Data.Post(s.post.ID).Held; h != domain.HeldByModerator {
			t.Errorf("held as %q", h)
		}
	})
}

func TestHidingNeedsAReason(t *testing.T) {
	s := beginReview(t)
	s.SignUp("eve").Post("/posts/"+s.bobs.ID+"/report", "reason", "abuse").Want(http.StatusSeeOther)
	path := "/posts/" + s.bobs.ID + "/moderate"
	for _, page := range []string{"/moderation", "/moderation/held", path, s.bobs.Path()} {
		a := s.mod.Get(page).Want(http.StatusOK)
		a.Page().Find(`select[name="why"]`).Each(func(_ int, choice *goquery.Selection) {
			first := choice.Find("option").First()
			if _, required := choice.Attr("required"); !required || first.AttrOr("value", "?") != "" ||
				choice.Find("option[selected]").Length() != 0 {
				t.Errorf("%s preselects a reason", page)
			}
			if n := choice.Closest("form").Find(`button:not([value="hide"]):not([formnovalidate])`).Length(); n != 0 {
				t.Errorf("%s: %d other buttons need a reason", page, n)
			}
		})
		if a.Page().Find(`select[name="why"]`).Length() == 0 {
			t.Errorf("%s has no choice of a reason", page)
		}
	}
	a := s.mod.Post(path, "do", "hide", "why", "", "words", "Be kind.", "version", "1").
		Want(http.StatusUnprocessableEntity).HasFieldError("why", "Choose a reason. The author will see it.")
	if got := a.Page().Find("#words").Text(); got != "Be kind." {
		t.Errorf("the message is %q", got)
	}
	long := s.mod.Post(path, "do", "hide", "why", "abuse", "words", strings.Repeat("x", domain.MaxReason+1), "version",
		"1").Want(http.StatusUnprocessableEntity).HasFieldError("words", "500 characters")
	if chosen := long.Page().Find("#why option[selected]").AttrOr("value", ""); chosen != "abuse" {
		t.Errorf("the chosen reason is %q", chosen)
	}
	comment := webtest.CommentPath(s.bob.CreateComments(s.bobs, "Another.")[0], "/moderate")
	s.mod.HTMX().Post(comment, "do", "hide", "seen", "", "text", "unedited").Want(http.StatusUnprocessableEntity).
		Has("dialog", "Choose a reason.")
}
