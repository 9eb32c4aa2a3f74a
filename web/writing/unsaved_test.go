package writing_test

import (
	"net/http"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// The script of the editor goes by data-unsaved: see static/editor.js.
func TestAFormSaysWhetherItsTextIsStored(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	unsaved := func(a *webtest.Response) bool { return a.Page().Find("#editor[data-unsaved]").Length() > 0 }
	t.Run("a new form has nothing to store", func(t *testing.T) {
		if unsaved(ada.Get("/new").Want(http.StatusOK)) {
			t.Error("it says that its text is not stored")
		}
	})
	t.Run("a text that could not be stored is not", func(t *testing.T) {
		s.Data.Fail("Drafts.Save")
		defer s.Data.Recover("Drafts.Save")
		a := ada.Post("/posts", "post", domain.NewID(), "do", "save", "title", "A title", "content", "Some text.")
		if a.Want(http.StatusServiceUnavailable); !unsaved(a) {
			t.Error("it does not say so")
		}
	})
	t.Run("a draft is, until its text is changed", func(t *testing.T) {
		id := domain.NewID()
		ada.Post("/posts", "post", id, "do", "save", "title", "A title", "content", "Some text.").Want(http.StatusSeeOther)
		fields := []string{"post", id, "version", "1", "do", "preview", "title", "A title", "content"}
		if unsaved(ada.Post("/posts", append(fields, "Some text.")...).Want(http.StatusOK)) {
			t.Error("the stored text counts as not stored")
		}
		if !unsaved(ada.Post("/posts", append(fields, "Other text.")...).Want(http.StatusOK)) {
			t.Error("a changed text counts as stored")
		}
	})
}
