package moderation_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// undoForm returns the address and the fields of the form that offers to undo.
func undoForm(t testing.TB, a *webtest.Response) (path string, fields []string) {
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
			if want := "/moderation/held?" + (url.Values{"done": {"hide"},
				"undo": {text.target.ID()}}).Encode(); to != want {
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

// hideTwice hides a text, sending the form twice, and returns the form that offers to undo it.
func (s reviewScene) hideTwice(path string) (undo string, fields []string) {
	s.T.Helper()
	sent := []string{"do", "hide", "why", "spam", "version", strconv.Itoa(s.version(path))}
	var to string
	for range 2 {
		to = s.mod.Post(path+"/moderate", sent...).Want(http.StatusSeeOther).Header.Get("Location")
	}
	return undoForm(s.T, s.mod.Get(to))
}

// version returns the version of the reports that the moderator's page shows.
func (s reviewScene) version(path string) int {
	s.T.Helper()
	version, err := strconv.Atoi(s.mod.Get(path + "/moderate").Value("version"))
	s.Data.Must(err)
	return version
}

func TestUndoRestoresTheFormerState(t *testing.T) {
	t.Run("in review, after hiding twice", func(t *testing.T) {
		s := beginReview(t)
		for path, held := range map[string]func() domain.Hold{
			"/posts/" + s.post.ID:              func() domain.Hold { return s.Data.Post(s.post.ID).Held },
			webtest.CommentPath(s.comment, ""): func() domain.Hold { return s.Data.Comments(s.bobs.ID)[0].Held },
		} {
			undo, fields := s.hideTwice(path)
			s.mod.Post(undo, fields...).Want(http.StatusSeeOther)
			if h := held(); h != domain.HeldForReview {
				t.Errorf("%s is held as %q", path, h)
			}
		}
		for _, author := range []*webtest.Visitor{s.ada, s.bob} {
			author.Get("/notifications").HasNo(`.notifications li:contains("hid")`).
				HasNo(`.notifications li:contains("is visible to everyone again")`)
		}
	})
	t.Run("and notifies the author of that instead of the hiding", func(t *testing.T) {
		s := beginReview(t)
		hidden, again := `.notifications li:contains("was hidden")`,
			`.notifications li:contains("is visible to everyone again")`
		undo, fields := s.hideTwice("/posts/" + s.bobs.ID)
		s.bob.Get("/notifications").Has(hidden, s.bobs.Title).HasNo(again)
		s.mod.Post(undo, fields...).Want(http.StatusSeeOther)
		s.bob.Get("/notifications").HasNo(hidden).Has(again, s.bobs.Title)
		s.hideTwice("/posts/" + s.bobs.ID)
		s.bob.Get("/notifications").Has(hidden, s.bobs.Title).HasNo(again)
	})
	t.Run("hidden by the author of the post", func(t *testing.T) {
		s := beginReview(t)
		comment := s.ada.CreateComments(s.bobs, "A comment.")[0]
		s.Hold(s.bobs.ID, comment.ID, domain.HeldByAuthor)
		undo, fields := s.hideTwice(webtest.CommentPath(comment, ""))
		s.mod.Post(undo, fields...).Want(http.StatusSeeOther)
		for _, c := range s.Data.Comments(s.bobs.ID) {
			if c.ID == comment.ID && c.Held != domain.HeldByAuthor {
				t.Errorf("held as %q", c.Held)
			}
		}
	})
	t.Run("hidden by the author of the post, also after another moderator restores it", func(t *testing.T) {
		s := beginReview(t)
		comment := s.ada.CreateComments(s.bobs, "A comment.")[0]
		s.Hold(s.bobs.ID, comment.ID, domain.HeldByAuthor)
		path := webtest.CommentPath(comment, "")
		s.hideTwice(path)
		otto := moderator(s.Site, "otto")
		form := otto.Get(path + "/moderate")
		for range 2 {
			otto.Post(path+"/moderate", "do", "restore", "version", form.Value("version"), "text", form.Value("text")).
				Want(http.StatusSeeOther)
		}
		s.mod.Post(path+"/moderate", "do", "restore", "version", strconv.Itoa(s.version(path)), "text",
			form.Value("text")).Want(http.StatusConflict)
		for _, c := range s.Data.Comments(s.bobs.ID) {
			if c.ID == comment.ID && c.Held != domain.HeldByAuthor {
				t.Errorf("held as %q", c.Held)
			}
		}
		if r := s.Data.Reported(domain.Target{PostID: s.bobs.ID, CommentID: comment.ID}); r.By != otto.User.ID {
			t.Errorf("decided by %s", r.By)
		}
		s.ada.Get("/notifications").HasNo(`.notifications li:contains("is visible to everyone again")`)
	})
	t.Run("with its reports dismissed", func(t *testing.T) {
		s := beginReview(t)
		path, target := "/posts/"+s.bobs.ID, domain.Target{PostID: s.bobs.ID}
		s.SignUp("eve").Post(path+"/report", "reason", "abuse").Want(http.StatusSeeOther)
		other := moderator(s.Site, "otto")
		other.Post(path+"/moderate", "do", "dismiss", "version", "1").Want(http.StatusSeeOther)
		was := s.Data.Reported(target)
		undo, fields := s.hideTwice(path)
		s.mod.Post(undo, fields...).Want(http.StatusSeeOther)
		is := s.Data.Reported(target)
		if is.Decision != domain.DecisionDismissed || is.By != other.User.ID || !is.At.Equal(was.At) {
			t.Errorf("the reports are %+v, want %+v", is, was)
		}
		s.mod.Get("/moderation").HasNo(".queue > li")
	})
	for _, method := range []string{"Posts.Unhide", "Reports.UndoHiding"} {
		t.Run("when it is sent again after "+method+" failed", func(t *testing.T) {
			s := beginReview(t)
			undo, fields := s.hideTwice("/posts/" + s.post.ID)
			s.Data.Fail(method)
			s.mod.Post(undo, fields...).Want(http.StatusServiceUnavailable)
			s.Data.Recover(method)
			s.mod.Post(undo, fields...).Want(http.StatusSeeOther)
			if p := s.Data.Post(s.post.ID); p.Held != domain.HeldForReview {
				t.Errorf("held as %q", p.Held)
			}
			if r := s.Data.Reported(domain.Target{PostID: s.post.ID}); r.Decision != domain.Undecided {
				t.Errorf("the decision is %q", r.Decision)
			}
			s.wantInReview("In review (2)", 2)
		})
	}
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
