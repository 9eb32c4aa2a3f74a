package writing_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// draft reads a draft of v's, if there is one.
func draft(v *webtest.Visitor, postID string) (d domain.Draft, there bool) {
	v.T.Helper()
	d, err := v.Data.Store.Drafts.Get(v.Data.Context(), v.User.ID, postID)
	if domain.Is(err, domain.NotFound) {
		return d, false
	}
	v.Data.Must(err)
	return d, true
}

// drafts reads the newest drafts of v's.
func drafts(v *webtest.Visitor) []domain.Draft {
	v.T.Helper()
	page, err := v.Data.Store.Drafts.List(v.Data.Context(), v.User.ID, 1)
	v.Data.Must(err)
	return page.Items
}

func text(d domain.Draft) string { return d.Title + "|" + d.Content + "|" + d.Tags }

func TestDrafting(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	t.Run("saves what breaks the rules of posts, and opens it again as typed", func(t *testing.T) {
		form := ada.Get("/new").Want(200)
		id := form.Value("post")
		a := ada.Post("/posts", webtest.FormFields(form, "do", "save", "content", "\nHalf a\r\nsentence ", "tags", "a,, b")...)
		a.WantRedirect(303, "/posts/"+id+"/edit?done=save")
		a = ada.Get(a.Header.Get("Location")).Want(200).Has(`.done[role="status"]`, "Draft saved").Has("h1", "Edit draft")
		if a.Value("content") != "\nHalf a\nsentence " || a.Value("tags") != "a,, b" || a.Value("version") != "1" || a.Value("post") != id {
			t.Errorf("the form holds %q, %q at version %s", a.Value("content"), a.Value("tags"), a.Value("version"))
		}
		ada.Get("/posts/" + id).Want(404)
		ben.Get("/posts/" + id + "/edit").Want(404)
		t.Run("and publishes it later as that very post", func(t *testing.T) {
			to := ada.Post("/posts", webtest.FormFields(a, "do", "publish", "title", "Whole")...).WantRedirect(303, "/posts/"+id+"/whole").Header.Get("Location")
			ben.Get(to).Want(200).Has("h1", "Whole")
			if _, there := draft(ada, id); there {
				t.Error("the draft is still there")
			}
			if got := s.Data.Post(id).Tags; got != "a,b" {
				t.Errorf("the tags are %q", got)
			}
		})
	})
	t.Run("Enter in a field of one line saves, and does not publish", func(t *testing.T) {
		first := ada.Get("/new").Page().Find("#editor button:not([type=button]), #editor [type=submit]").First()
		if first.AttrOr("value", "") != "save" {
			t.Error("the default button of the form does not save")
		}
	})
	t.Run("changes of a post stay a draft until they are published", func(t *testing.T) {
		p := ada.CreatePost("A title", "The text")
		path := "/posts/" + p.ID
		ada.Post(path, webtest.FormFields(ada.Get(path+"/edit"), "do", "save", "content", "Other text")...).Want(303)
		ben.Get(p.Path()).Has(".post .prose", "The text")
		a := ada.Get(path+"/edit").Want(200).Has(".post-status", "aren't published yet").Has(`main form button[value="publish"]`, "Publish changes")
		if a.Value("content") != "Other text" || a.Value("revision") != "1" {
			t.Errorf("the form holds %q", a.Value("content"))
		}
		ada.Post(path, webtest.FormFields(a, "do", "publish")...).WantRedirect(303, p.Path())
		ben.Get(p.Path()).Has(".post .prose", "Other text")
	})
	t.Run("an unlisted post is in no list", func(t *testing.T) {
		to := ada.Post("/posts", "title", "Hush", "content", "text", "status", "unlisted").Want(303).Header.Get("Location")
		ben.Get(to).Want(200)
		if strings.Contains(ben.Get("/").Body, "Hush") {
			t.Error("it is on the front page")
		}
		ada.Get(strings.TrimSuffix(to, "/hush")+"/edit").Has(`[name="status"][value="unlisted"][checked]`, "")
	})
	t.Run("too long for a draft is said beside the field, and comes back", func(t *testing.T) {
		long := strings.Repeat("x", domain.MaxDraftContent+1)
		a := ada.Post("/posts", "do", "save", "content", long).Want(422).HasFieldError("content", "too long")
		if a.Value("content") != long {
			t.Error("what was typed is lost")
		}
	})
	t.Run("a session that ended, and a busy store, lose nothing", func(t *testing.T) {
		id := domain.NewID()
		fields := []string{"post", id, "version", "0", "do", "save", "title", "T", "content", "precious", "tags", "sea",
			"status", "unlisted", "publishDate", "2030-01-01T10:00", "zone", "Europe/Paris"}
		s.Data.Fail("Drafts.Save")
		defer s.Data.Recover("Drafts.Save")
		for _, a := range []*webtest.Response{ada.WithoutSession().Post("/posts", fields...).Want(401), ada.Post("/posts", fields...).Want(503)} {
			for name, want := range map[string]string{"post": id, "title": "T", "content": "precious", "tags": "sea",
				"publishDate": "2030-01-01T10:00", "zone": "Europe/Paris"} {
				if got := a.Value(name); got != want {
					t.Errorf("%s: %s holds %q", a.Request, name, got)
				}
			}
			a.Has(`[name="status"][value="unlisted"][checked]`, "")
		}
	})
	t.Run("a preview without JavaScript shows the post above the form", func(t *testing.T) {
		a := ada.Post("/posts", "do", "preview", "title", "A title", "content", "Some *text*", "tags", "sea").Want(200)
		a.Has(".previewed .prose em", "text").Has(".previewed .title", "A title")
		if a.Value("content") != "Some *text*" || a.Value("tags") != "sea" {
			t.Error("what was typed is lost")
		}
		if len(drafts(ada)) != 0 {
			t.Errorf("%d drafts", len(drafts(ada)))
		}
	})
	t.Run("who comes back to a form that was never saved gets its post again", func(t *testing.T) {
		id := domain.NewID()
		if got := ada.Get("/new?post=" + id).Want(200).Value("post"); got != id {
			t.Errorf("the form is of %s", got)
		}
		if got := ada.Get("/new?post=%3Cb%3E").Want(200).Value("post"); !domain.IsID(got) {
			t.Errorf("the form is of %s", got)
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
