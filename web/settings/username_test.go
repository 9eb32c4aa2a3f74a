package settings_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site/ratelimit"
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

// With the default limits, 20 renames of an author with 200 posts would cost half a million request units.
func TestRenamesAreLimitedByWhatTheyCost(t *testing.T) {
	for posts, want := range map[int]int{5: 20, 40: 5, 300: 1} {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		for n := range posts {
			s.Data.Must(s.Data.Store.Posts.Create(s.Data.Context(), domain.Post{ID: domain.NewID(),
				AuthorID: ada.User.ID, AuthorName: "ada", Title: fmt.Sprint("Post ", n), Content: "Text.",
				Revision: 1, Version: 1, Status: domain.Published, Created: domain.Timestamp(time.Now())}))
		}
		config := webtest.Config(s.Data, s.Log, webtest.KeyOne)
		config.RateLimits, _ = ratelimit.Parse("")
		s.Restart(config)
		s.SignUp("ben")
		for range 25 { // a refused change costs nothing
			ada.Post("/settings/username", "username", "ben").Want(http.StatusUnprocessableEntity)
		}
		renames := 0
		for n := range 25 {
			form, field, value := "/settings/username", "username", fmt.Sprint("ada", n)
			if n == 0 {
				form, field, value = "/settings/profile", "displayName", "Ada"
			}
			switch a := ada.Post(form, field, value); a.StatusCode {
			case http.StatusSeeOther:
				renames++
			default:
				a.Want(http.StatusTooManyRequests)
			}
		}
		if renames != want {
			t.Errorf("an author of %d posts has %d renames, want %d", posts, renames, want)
		}
	}
}
