package settings_test

import (
	"testing"

	"inkfeed/web/webtest"
)

func TestSettings(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	s.SignUp("ben")
	t.Run("renames and says what follows", func(t *testing.T) {
		ada.Post("/settings/username", "username", " lovelace ").WantRedirect(303, "/settings?renamed=yes")
		ada.Get("/settings?renamed=yes").Want(200).Has(`[role="status"]`, "You are now @lovelace").Has("header .me", "@lovelace")
	})
	t.Run("the same name changes nothing", func(t *testing.T) {
		ada.Post("/settings/username", "username", "lovelace").WantRedirect(303, "/settings")
	})
	t.Run("another case of letters is a change", func(t *testing.T) {
		ada.Post("/settings/username", "username", "Lovelace").WantRedirect(303, "/settings?renamed=yes")
	})
	t.Run("a taken or impossible name comes back", func(t *testing.T) {
		for name, message := range map[string]string{"Ben": "is taken", "a b": "Use letters", "": "Choose"} {
			a := ada.Post("/settings/username", "username", name).Want(422).HasFieldError("username", message)
			if a.Value("username") != name {
				t.Errorf("the form holds %q", a.Value("username"))
			}
		}
	})
	t.Run("needs a log-in, and leads back", func(t *testing.T) {
		s.Anonymous().Get("/settings").WantRedirect(303, "/login?next=%2Fsettings")
		s.Anonymous().Post("/settings/username", "username", "x").WantRedirect(303, "/login?next=%2Fsettings")
	})
}
