package writing_test

import (
	"net/http"
	"testing"

	"inkfeed/web/webtest"
)

// The script of the editor depends on data-unsaved, see static/editor.
func TestTheEditorKnowsWhetherItsTextIsStored(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	unsaved := func(a *webtest.Response) bool { return a.Page().Find("#editor[data-unsaved]").Length() > 0 }
	t.Run("a new form has no unsaved text", func(t *testing.T) {
		if unsaved(ada.Get("/new").Want(http.StatusOK)) {
			t.Error("the form has unsaved text")
		}
	})
	t.Run("a text that could not be stored is unsaved", func(t *testing.T) {
		s.Data.Fail("Drafts.Save")
		defer s.Data.Recover("Drafts.Save")
		a := ada.Post("/posts", "post", ada.NewPostID(), "do", "save", "title", "A title", "content", "Some text.")
		if a.Want(http.StatusServiceUnavailable); !unsaved(a) {
			t.Error("the form has no unsaved text")
		}
	})
	t.Run("a stored draft is saved until its text changes", func(t *testing.T) {
		id := ada.NewPostID()
		ada.Post("/posts", "post", id, "do", "save", "title", "A title", "content", "Some text.").
			Want(http.StatusSeeOther)
		fields := []string{"post", id, "version", "1", "do", "preview", "title", "A title", "content"}
		if unsaved(ada.Post("/posts", append(fields, "Some text.")...).Want(http.StatusOK)) {
			t.Error("the stored text is marked as unsaved")
		}
		if !unsaved(ada.Post("/posts", append(fields, "Other text.")...).Want(http.StatusOK)) {
			t.Error("a changed text is not marked as unsaved")
		}
	})
	t.Run("a text that an expired session did not store is unsaved", func(t *testing.T) {
		d := ada.CreateDraft("A title", "Some text.", "")
		path := "/posts/" + d.PostID
		a := ada.WithoutSession().Post(path, webtest.FormFields(ada.Get(path+"/edit"), "content", "Other text.")...).
			Want(http.StatusUnauthorized).HasNo("#editor[data-saved-ago]").HasNo("#saved time")
		if !unsaved(a) {
			t.Error("the text is not marked as unsaved")
		}
	})
}
