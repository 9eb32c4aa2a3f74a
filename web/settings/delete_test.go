package settings_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/web/webtest"
)

func TestDeletingTheAccount(t *testing.T) {
	t.Run("is offered in the settings", func(t *testing.T) {
		webtest.NewSite(t).SignUp("ada").Get("/settings").Has(`main a[href="/settings/delete"]`, "Delete your account")
	})
	t.Run("lists what is deleted and requires only the password", func(t *testing.T) {
		a := webtest.NewSite(t).SignUp("ada").Get("/settings/delete").Want(200).Has("h1", "Delete your account?")
		for _, part := range []string{
			"@ada", "all your posts", "comments and likes", "old usernames", "cannot be undone",
		} {
			a.Has("main form", part)
		}
		a.Has("main form input[name]", "").Has(`input#password[type="password"][autocomplete="current-password"]`, "")
		a.Has("main form button.danger", "Delete my account").Has(`main form a[href="/settings"]`, "Keep my account")
	})
	t.Run("ends the session and confirms the deletion", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		p := ada.CreatePost("A title", "text")
		a := ada.Post("/settings/delete", "password", webtest.Password).WantRedirect(303, "/goodbye")
		if got := a.Header.Get("Clear-Site-Data"); got != `"cache"` || ada.Cookies["inkfeed"] != "" {
			t.Errorf("Clear-Site-Data is %q, the session cookie %q", got, ada.Cookies["inkfeed"])
		}
		ada.Get("/goodbye").Want(200).Has(`[role="status"]`, "Your account is deleted").
			Has(`header a[href="/login"]`, "")
		ada.Get("/@ada").Want(404)
		ada.Get(p.Path()).Want(404)
		ada.Post("/login", "username", "ada", "password", webtest.Password).Want(422)
		ada.Post("/signup", "username", "ada", "password", webtest.Password).Want(303) // the username is free
	})
	t.Run("confirms the deletion although the session cannot be deleted", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		s.Data.Fail("Sessions.Delete")
		a := ada.Post("/settings/delete", "password", webtest.Password).WantRedirect(303, "/goodbye")
		if got := a.Header.Get("Clear-Site-Data"); got != `"cache"` || ada.Cookies["inkfeed"] != "" {
			t.Errorf("Clear-Site-Data is %q, the session cookie %q", got, ada.Cookies["inkfeed"])
		}
		s.Data.Recover("Sessions.Delete")
		ada.Get("/goodbye").Want(200).Has(`[role="status"]`, "Your account is deleted")
		if !strings.Contains(s.Log.String(), "cannot show a stored change") {
			t.Error("the log lacks the failure")
		}
	})
	t.Run("confirms a deletion that is sent twice at the same time", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		s.Data.Before("AccountDeletions.Delete", func() {
			s.Data.Must(s.Data.Store.AccountDeletions.Delete(s.Data.Context(), ada.User.ID))
		})
		ada.Post("/settings/delete", "password", webtest.Password).WantRedirect(303, "/goodbye")
	})
	t.Run("deletes nothing after a wrong password", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		s.Anonymous().Post("/signup", "username", "ben", "password", "the password of ben")
		for typed, message := range map[string]string{
			"":                        "Enter your password",
			"short":                   "Wrong password",
			"wrong password":          "Wrong password",
			"the password of ben":     "Wrong password",
			strings.Repeat("x", 5000): "Wrong password",
		} {
			a := ada.Post("/settings/delete", "password", typed).Want(422).HasFieldError("password", message).
				Has("#password[autofocus]", "")
			if a.Value("password") != "" || !strings.Contains(a.Header.Get("Cache-Control"), "no-store") {
				t.Error("the password is in the page, or the page may be stored")
			}
		}
		if s.Data.Calls("AccountDeletions.Delete") != 0 {
			t.Error("the account was deleted")
		}
		ada.Get("/settings").Want(200)
	})
	t.Run("does not hash a text that is too long for a password", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUp("ada").Post("/settings/delete", "password", strings.Repeat("x", 1<<20)).Want(422)
		if s.Data.Calls("Credentials.PasswordHash") != 0 {
			t.Error("the password hash was read")
		}
	})
	t.Run("ends sessions in other browsers", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		phone := s.Anonymous()
		phone.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
		p := s.SignUp("ben").CreatePost("A title", "text")
		ada.Post("/settings/delete", "password", webtest.Password).Want(303)
		phone.Get("/").Want(200).Has(`header a[href="/login"]`, "")
		phone.Get("/settings").Want(303)
		a := phone.Post("/posts/"+p.ID+"/comments", "content", "precious").Want(401)
		if a.Value("content") != "precious" || len(s.Data.Comments(p.ID)) != 0 {
			t.Error("the text is lost, or the comment was stored")
		}
	})
	t.Run("accepts a second deletion", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		twice := *ada
		twice.Cookies = map[string]string{"inkfeed": ada.Cookies["inkfeed"]}
		for _, v := range []*webtest.Visitor{ada, &twice} {
			v.Post("/settings/delete", "password", webtest.Password).WantRedirect(303, "/goodbye")
			v.Get("/goodbye").Want(200)
		}
	})
	t.Run("requires a log-in and returns afterwards", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.Anonymous().Get("/settings/delete").WantRedirect(303, "/login?next=%2Fsettings%2Fdelete")
		s.Anonymous().Post("/settings/delete", "password", webtest.Password).
			WantRedirect(303, "/login?next=%2Fsettings%2Fdelete")
	})
	t.Run("reports a failure, keeps the session and accepts another attempt", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		for _, method := range []string{"Credentials.PasswordHash", "AccountDeletions.Delete", "Users.ByID"} {
			s.Data.Fail(method)
			a := ada.Post("/settings/delete", "password", webtest.Password).Want(503).
				Has("h1", "Temporarily unavailable")
			if a.Header.Get("Retry-After") == "" {
				t.Error("Retry-After is missing")
			}
			s.Data.Recover(method)
		}
		ada.Post("/settings/delete", "password", webtest.Password).WantRedirect(303, "/goodbye")
	})
	t.Run("redirects signed-in users from the goodbye page", func(t *testing.T) {
		webtest.NewSite(t).SignUp("ada").Get("/goodbye").WantRedirect(http.StatusSeeOther, "/")
	})
}
