package web_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestDeletingAnAccount(t *testing.T) {
	t.Run("is offered in the settings", func(t *testing.T) {
		newSite(t).member("ada").get("/settings").has(`main a[href="/settings/delete"]`, "Delete your account")
	})
	t.Run("says what goes, and asks for the password only", func(t *testing.T) {
		a := newSite(t).member("ada").get("/settings/delete").want(200).has("h1", "Delete your account?")
		for _, what := range []string{"@ada", "all your posts", "comments and likes", "old usernames", "cannot be undone"} {
			a.has("main form", what)
		}
		a.has("main form input[name]", "").has(`input#password[type="password"][autocomplete="current-password"]`, "")
		a.has("main form button.danger", "Delete my account").has(`main form a[href="/settings"]`, "Keep my account")
	})
	t.Run("ends the session and says goodbye", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		p := ada.aPost("A title", "text")
		a := ada.post("/settings/delete", "password", password).wantRedirect(303, "/goodbye")
		if got := a.Header.Get("Clear-Site-Data"); got != `"cache"` || ada.cookies["inkfeed"] != "" {
			t.Errorf("Clear-Site-Data is %q, the cookie %q", got, ada.cookies["inkfeed"])
		}
		ada.get("/goodbye").want(200).has(`[role="status"]`, "Your account is deleted").has(`header a[href="/login"]`, "Log in")
		ada.get("/@ada").want(404)
		ada.get(p.Path()).want(404)
		ada.post("/login", "username", "ada", "password", password).want(422)
		ada.post("/signup", "username", "ada", "password", password).want(303) // the name is free
	})
	t.Run("sent twice at the same moment says goodbye twice", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		s.data.before("Users.Delete", func() { s.data.must(s.data.store.Users.Delete(s.data.ctx(), ada.user.ID)) })
		ada.post("/settings/delete", "password", password).wantRedirect(303, "/goodbye")
	})
	t.Run("a wrong password deletes nothing", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		s.stranger().post("/signup", "username", "ben", "password", "the password of ben")
		for typed, says := range map[string]string{"": "Enter your password", "short": "Wrong password",
			"wrong password": "Wrong password", "the password of ben": "Wrong password",
			strings.Repeat("x", 5000): "Wrong password"} {
			a := ada.post("/settings/delete", "password", typed).want(422).complains("password", says).has("#password[autofocus]", "")
			if a.Value("password") != "" || !strings.Contains(a.Header.Get("Cache-Control"), "no-store") {
				t.Error("the password is in the page, or the page may be stored")
			}
		}
		if s.data.calls("Users.Delete") != 0 {
			t.Error("the account was deleted")
		}
		ada.get("/settings").want(200)
	})
	t.Run("what is too long to be a password is not hashed", func(t *testing.T) {
		s := newSite(t)
		s.member("ada").post("/settings/delete", "password", strings.Repeat("x", 1<<20)).want(422)
		if s.data.calls("Users.PasswordHash") != 0 {
			t.Error("the store was asked")
		}
	})
	t.Run("sessions elsewhere sign nobody in any more", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		phone := s.stranger()
		phone.post("/login", "username", "ada", "password", password).want(303)
		p := s.member("ben").aPost("A title", "text")
		ada.post("/settings/delete", "password", password).want(303)
		phone.get("/").want(200).has(`header a[href="/login"]`, "Log in")
		phone.get("/settings").want(303)
		a := phone.post("/posts/"+p.ID+"/comments", "content", "precious").want(401)
		if a.Value("content") != "precious" || len(s.data.comments(p.ID)) != 0 {
			t.Error("the text is lost, or the comment is there")
		}
	})
	t.Run("twice is no error", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		twice := *ada
		twice.cookies = map[string]string{"inkfeed": ada.cookies["inkfeed"]}
		for _, v := range []*visitor{ada, &twice} {
			v.post("/settings/delete", "password", password).wantRedirect(303, "/goodbye")
			v.get("/goodbye").want(200)
		}
	})
	t.Run("needs a log-in, and leads back", func(t *testing.T) {
		s := newSite(t)
		s.stranger().get("/settings/delete").wantRedirect(303, "/login?next=%2Fsettings%2Fdelete")
		s.stranger().post("/settings/delete", "password", password).wantRedirect(303, "/login?next=%2Fsettings%2Fdelete")
	})
	t.Run("a failure says so, keeps the session, and another try is possible", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		for _, method := range []string{"Users.PasswordHash", "Users.Delete", "Users.ByID"} {
			s.data.fail(method)
			if a := ada.post("/settings/delete", "password", password).want(503).has("h1", "Temporarily unavailable"); a.Header.Get("Retry-After") == "" {
				t.Error("no word when to try again")
			}
			s.data.recover(method)
		}
		ada.post("/settings/delete", "password", password).wantRedirect(303, "/goodbye")
	})
	t.Run("goodbye is not for members", func(t *testing.T) {
		newSite(t).member("ada").get("/goodbye").wantRedirect(http.StatusSeeOther, "/")
	})
}
