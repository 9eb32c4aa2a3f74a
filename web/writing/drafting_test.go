package writing_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// draft returns a draft of the visitor, if it exists.
func draft(v *webtest.Visitor, postID string) (d domain.Draft, there bool) {
	v.T.Helper()
	d, err := v.Data.Store.Drafts.Get(v.Data.Context(), v.User.ID, postID)
	if domain.Is(err, domain.NotFound) {
		return d, false
	}
	v.Data.Must(err)
	return d, true
}

// drafts returns the newest drafts of the visitor.
func drafts(v *webtest.Visitor) []domain.Draft {
	v.T.Helper()
	page, err := v.Data.Store.Drafts.List(v.Data.Context(), v.User.ID, 1)
	v.Data.Must(err)
	return page.Items
}

// text joins the fields of a draft, for comparisons.
func text(d domain.Draft) string { return d.Title + "|" + d.Content + "|" + d.Tags }

func TestTheEditorOfAHeldPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	for hold, says := range map[domain.Hold]string{domain.NotHeld: "is live", domain.HeldForReview: "is in review",
		domain.HeldByModerator: "A moderator hid this post"} {
		s.Hold(p.ID, "", hold)
		ada.Get("/posts/"+p.ID+"/edit").Want(200).Has(".post-status", says)
	}
	s.Hold(p.ID, "", domain.NotHeld)
	ada.Post("/posts/" + p.ID + "/unpublish").Want(303)
	for hold, says := range map[domain.Hold]string{domain.NotHeld: "Unpublished: only you",
		domain.HeldForReview: "Unpublished and in review", domain.HeldByModerator: "hidden by a moderator"} {
		s.Hold(p.ID, "", hold)
		ada.Get("/posts/"+p.ID+"/edit").Want(200).Has(".post-status", says)
	}
}

func TestDraftsAreSavedAsTyped(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	t.Run("saves a draft that breaks the rules of posts, and shows it again as typed", func(t *testing.T) {
		form := ada.Get("/new").Want(200)
		id := form.Value("post")
		a := ada.Post("/posts",
			webtest.FormFields(form, "do", "save", "content", "\nHalf a\r\nsentence ", "tags", "a,, b")...)
		a.WantRedirect(303, "/posts/"+id+"/edit?done=save")
		a = ada.Get(a.Header.Get("Location")).Want(200).Has(`.done[role="status"]`, "Draft saved").
			Has("h1", "Edit draft")
		if a.Value("content") != "\nHalf a\nsentence " || a.Value("tags") != "a,, b" || a.Value("version") != "1" ||
			a.Value("post") != id {
			t.Errorf("the form has %q with the tags %q at version %s",
				a.Value("content"), a.Value("tags"), a.Value("version"))
		}
		ada.Get("/posts/" + id).Want(404)
		ben.Get("/posts/" + id + "/edit").Want(404)
		t.Run("and publishes it later under the same id", func(t *testing.T) {
			to := ada.Post("/posts", webtest.FormFields(a, "do", "publish", "title", "Whole")...).
				WantRedirect(303, "/posts/"+id+"/whole").Header.Get("Location")
			ben.Get(to).Want(200).Has("h1", "Whole")
			if _, there := draft(ada, id); there {
				t.Error("the draft is still there")
			}
			if got := s.Data.Post(id).Tags; got != "a,b" {
				t.Errorf("the tags are %q", got)
			}
		})
	})
	t.Run("saves on Enter in a single-line field instead of publishing", func(t *testing.T) {
		first := ada.Get("/new").Page().Find("#editor button:not([type=button]), #editor [type=submit]").First()
		if first.AttrOr("value", "") != "save" {
			t.Error("the default button of the form does not save")
		}
	})
	t.Run("keeps changes of a post private until they are published", func(t *testing.T) {
		p := ada.CreatePost("A title", "The text")
		path := "/posts/" + p.ID
		ada.Post(path, webtest.FormFields(ada.Get(path+"/edit"), "do", "save", "content", "Other text")...).Want(303)
		ben.Get(p.Path()).Has(".post .prose", "The text")
		a := ada.Get(path+"/edit").Want(200).Has(".post-status", "aren't published yet").
			Has(`main form button[value="publish"]`, "Update").
			Has("#open-publish", "Update")
		if a.Value("content") != "Other text" || a.Value("revision") != "1" {
			t.Errorf("the form has %q", a.Value("content"))
		}
		ada.Post(path, webtest.FormFields(a, "do", "publish")...).WantRedirect(303, p.Path())
		ben.Get(p.Path()).Has(".post .prose", "Other text")
	})
	t.Run("hides an unlisted post from lists", func(t *testing.T) {
		to := ada.Post("/posts", "title", "Hush", "content", "text", "status", "unlisted").Want(303).
			Header.Get("Location")
		ben.Get(to).Want(200)
		if strings.Contains(ben.Get("/").Body, "Hush") {
			t.Error("the front page has the unlisted post")
		}
		ada.Get(strings.TrimSuffix(to, "/hush")+"/edit").Has(`[name="status"][value="unlisted"][checked]`, "")
	})
	t.Run("shows a text that is too long for a draft again, with the error beside the field", func(t *testing.T) {
		long := strings.Repeat("x", domain.MaxDraftContent+1)
		a := ada.Post("/posts", "do", "save", "content", long).Want(422).HasFieldError("content", "too long")
		if a.Value("content") != long {
			t.Error("the typed text is lost")
		}
	})
	t.Run("keeps the form when the session has expired or storage fails", func(t *testing.T) {
		id := ada.NewPostID()
		fields := []string{
			"post", id, "version", "0", "do", "save", "title", "T", "content", "precious", "tags", "sea",
			"status", "unlisted", "publishDate", "2030-01-01T10:00", "zone", "Europe/Paris",
		}
		s.Data.Fail("Drafts.Save")
		defer s.Data.Recover("Drafts.Save")
		for _, a := range []*webtest.Response{
			ada.WithoutSession().Post("/posts", fields...).Want(401), ada.Post("/posts", fields...).Want(503),
		} {
			for name, want := range map[string]string{
				"post": id, "title": "T", "content": "precious", "tags": "sea",
				"publishDate": "2030-01-01T10:00", "zone": "Europe/Paris",
			} {
				if got := a.Value(name); got != want {
					t.Errorf("%s: the field %s has %q", a.Request, name, got)
				}
			}
			a.Has(`[name="status"][value="unlisted"][checked]`, "")
		}
	})
	t.Run("shows a preview above the form without JavaScript", func(t *testing.T) {
		a := ada.Post("/posts", "do", "preview", "title", "A title", "content", "Some *text*", "tags", "sea").Want(200)
		a.Has(".previewed .prose em", "text").Has(".previewed .title", "A title")
		if a.Value("content") != "Some *text*" || a.Value("tags") != "sea" {
			t.Error("the typed text is lost")
		}
		if len(drafts(ada)) != 0 {
			t.Errorf("%d drafts", len(drafts(ada)))
		}
	})
	t.Run("shows a form that was never saved with the same id again", func(t *testing.T) {
		id := ada.NewPostID()
		if got := ada.Get("/new?post=" + id).Want(200).Value("post"); got != id {
			t.Errorf("the form has the id %s", got)
		}
		if got := ada.Get("/new?post=%3Cb%3E").Want(200).Value("post"); !domain.IsID(got) {
			t.Errorf("the form has the id %s", got)
		}
		s.Anonymous().Get("/new?post="+id).WantRedirect(303, "/login?next=%2Fnew%3Fpost%3D"+id)
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
