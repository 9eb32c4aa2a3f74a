package account_test

import (
	"net/http"
	"testing"

	"inkfeed/web/webtest"
)

func TestATurkishNameLogsInAsItIsTyped(t *testing.T) {
	s := webtest.NewSite(t)
	s.SignUp("İpek")
	for _, typed := range []string{"İpek", "ipek", "IPEK", "ıpek"} {
		s.Anonymous().LogIn(typed, webtest.Password).Want(http.StatusSeeOther)
		s.Anonymous().LogIn(typed, "another password").Want(http.StatusUnprocessableEntity)
	}
	s.Anonymous().Get("/@ipek").WantRedirect(http.StatusMovedPermanently, "/@%C4%B0pek")
	s.Anonymous().Post("/signup", "username", "ipek", "password", webtest.Password).Want(http.StatusUnprocessableEntity)
}
