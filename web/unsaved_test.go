package web_test

import (
	"net/http"
	"testing"

	"inkfeed/domain"
)

// The script of the editor goes by data-unsaved: see static/editor.js.
func TestAFormSaysWhetherItsTextIsStored(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	unsaved := func(a *answer) bool { return a.page().Find("#editor[data-unsaved]").Length() > 0 }
	t.Run("a new form has nothing to store", func(t *testing.T) {
		if unsaved(ada.get("/new").want(http.StatusOK)) {
			t.Error("it says that its text is not stored")
		}
	})
	t.Run("a text that could not be stored is not", func(t *testing.T) {
		s.data.fail("Drafts.Save")
		defer s.data.recover("Drafts.Save")
		a := ada.post("/posts", "post", domain.NewID(), "do", "save", "title", "A title", "content", "Some text.")
		if a.want(http.StatusServiceUnavailable); !unsaved(a) {
			t.Error("it does not say so")
		}
	})
	t.Run("a draft is, until its text is changed", func(t *testing.T) {
		id := domain.NewID()
		ada.post("/posts", "post", id, "do", "save", "title", "A title", "content", "Some text.").want(http.StatusSeeOther)
		fields := []string{"post", id, "version", "1", "do", "preview", "title", "A title", "content"}
		if unsaved(ada.post("/posts", append(fields, "Some text.")...).want(http.StatusOK)) {
			t.Error("the stored text counts as not stored")
		}
		if !unsaved(ada.post("/posts", append(fields, "Other text.")...).want(http.StatusOK)) {
			t.Error("a changed text counts as stored")
		}
	})
}
