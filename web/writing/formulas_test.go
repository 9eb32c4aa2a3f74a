package writing_test

import (
	"net/http"
	"testing"

	"inkfeed/web/webtest"
)

func TestThePreviewNamesFormulasThatCannotBeSet(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.Post("/preview", "title", "Formulas", "content", "$x^2$ and $\\cancel{x}$").Want(http.StatusOK).
		Has(".unset-formulas code", `$\cancel{x}$`).Has(".prose math", "")
	ada.Post("/preview", "title", "Formulas", "content", "$x^2$").Want(http.StatusOK).HasNo(".unset-formulas")
}
