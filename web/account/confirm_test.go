package account_test

import (
	"net/url"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestConfirmingTheIdentity(t *testing.T) {
	t.Run("is required for security settings some time after the log-in", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.EnableAuthenticator()
		path := "/settings/security/passkeys/" + s.AddPasskey(ada, domain.Passkey{ID: "x"})
		ada = halfAnHourLater(ada)
		for _, to := range []string{
			"/settings/security/totp/delete", "/settings/security/recovery", "/settings/security/password",
			"/settings/security/passkeys/new", path, path + "/delete",
		} {
			want := "/confirm?next=" + strings.ReplaceAll(to, "/", "%2F")
			before := ada.Data.Dump()
			ada.Get(to).WantRedirect(303, want)
			ada.Post(to, "name", "Another").Want(403).Has("h1", "Confirm it's you").
				Has(`form[action="`+to+`"] input[name="name"]`, "")
			if ada.Data.Dump() != before {
				t.Errorf("%s has changed the database", to)
			}
		}
		ada.Post("/passkeys/challenge", "for", "new").Want(403)
		ada.Get("/settings/security").Want(200)
	})
	t.Run("accepts the password and redirects to the requested page", func(t *testing.T) {
		ada := halfAnHourLater(webtest.NewSite(t).SignUp("ada"))
		page := ada.Get("/confirm?next=/settings/security/totp").Want(200).HasNo(".passkey")
		ada.Post("/confirm", "password", webtest.Password, "next", page.Value("next")).
			WantRedirect(303, "/settings/security/totp")
		ada.Get("/settings/security/totp").Want(200)
		ada.Get("/confirm?next=/new").WantRedirect(303, "/new") // already confirmed
	})
	t.Run("links to the settings for users who do not confirm", func(t *testing.T) {
		ada := halfAnHourLater(webtest.NewSite(t).SignUp("ada"))
		for next, settings := range map[string]string{
			"":                                 "/settings",
			"/settings/email":                  "/settings",
			"/settings/password":               "/settings/security",
			"/settings/security/totp":          "/settings/security",
			"/settings/security/passkeys/new":  "/settings/security",
			"https://evil.example/settings/x":  "/settings",
			"/settings/securityandmore/../new": "/settings",
		} {
			ada.Get("/confirm?"+url.Values{"next": {next}}.Encode()).Has(`main a[href="`+settings+`"]`, "")
			ada.Post("/confirm", "password", "wrong", "next", next).Want(422).
				Has(`main a[href="`+settings+`"]`, "")
			ada.Get(settings).Want(200)
		}
	})
	t.Run("refuses a wrong password", func(t *testing.T) {
		ada := halfAnHourLater(webtest.NewSite(t).SignUp("ada"))
		for typed, message := range map[string]string{
			"":                        "Enter your password",
			"wrong password":          "Wrong password",
			strings.Repeat("x", 5000): "Wrong password",
		} {
			a := ada.Post("/confirm", "password", typed, "next", "/settings/security/totp").Want(422).
				HasFieldError("password", message)
			if a.Value("password") != "" || a.Value("next") != "/settings/security/totp" {
				t.Error("the password is in the page, or the requested page is lost")
			}
		}
		ada.Get("/settings/security/totp").Want(303)
	})
	t.Run("never redirects to another site", func(t *testing.T) {
		ada := halfAnHourLater(webtest.NewSite(t).SignUp("ada"))
		ada.Post("/confirm", "password", webtest.Password, "next", "https://evil.example").
			WantRedirect(303, "/settings")
	})
	t.Run("answers 503 when it cannot be stored", func(t *testing.T) {
		ada := halfAnHourLater(webtest.NewSite(t).SignUp("ada"))
		ada.Data.Fail("Sessions.Confirm")
		ada.Post("/confirm", "password", webtest.Password).Want(503)
	})
	t.Run("requires a session", func(t *testing.T) {
		webtest.NewSite(t).Anonymous().Get("/confirm?next=/new").Want(303)
	})
}
