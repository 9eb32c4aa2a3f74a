package settings_test

import (
	"testing"

	"inkfeed/web/webtest"
)

func TestChangingTheUsername(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	s.SignUp("ben")
	t.Run("renames the user and confirms it", func(t *testing.T) {
		ada.Post("/settings/username", "username", " lovelace ").WantRedirect(303, "/settings?renamed=yes")
		ada.Get("/settings?renamed=yes").Want(200).Has(`[role="status"]`, "You are now @lovelace").
			Has("header .me", "@lovelace")
	})
	t.Run("ignores the current username", func(t *testing.T) {
		ada.Post("/settings/username", "username", "lovelace").WantRedirect(303, "/settings")
	})
	t.Run("accepts another case of letters", func(t *testing.T) {
		ada.Post("/settings/username", "username", "Lovelace").WantRedirect(303, "/settings?renamed=yes")
	})
	t.Run("shows a taken or invalid username again", func(t *testing.T) {
		for name, message := range map[string]string{"Ben": "is taken", "a b": "Use letters", "": "Choose"} {
			a := ada.Post("/settings/username", "username", name).Want(422).HasFieldError("username", message)
			if a.Value("username") != name {
				t.Errorf("the form has the username %q", a.Value("username"))
			}
		}
	})
	t.Run("requires a log-in and returns afterwards", func(t *testing.T) {
		s.Anonymous().Get("/settings").WantRedirect(303, "/login?next=%2Fsettings")
		s.Anonymous().Post("/settings/username", "username", "x").WantRedirect(303, "/login?next=%2Fsettings")
	})
}
